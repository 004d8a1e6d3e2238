// The HTTP client of a Recollect service. Each exchange has a deadline, and each failure a kind that says what to do.

import http from "node:http";
import https from "node:https";

import { isUser } from "./identity.js";
import { VERSION } from "./version.js";

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30000;
const LONGEST_REPLY = 8 * 1024 * 1024;

/** A failed exchange. `kind`: away, slow, busy, key, version, refused or stopped. */
export class ServiceError extends Error {
  constructor(kind, message, status = 0) {
    super(message);
    this.name = "ServiceError";
    this.kind = kind;
    this.status = status;
  }

  /** Whether the same request may succeed later, without being changed. */
  get isTemporary() {
    return this.kind !== "refused" && this.kind !== "stopped";
  }

  /** Whether the service may have carried the request out although no answer came. */
  get isAmbiguous() {
    return this.kind === "slow" || (this.kind === "away" && this.status === -1);
  }
}

export class Client {
  #config;
  #now;
  #pauseMs = 0;
  #pausedUntil = 0;
  #keys;
  #transport;
  #agent;

  constructor(config, keys, { now = Date.now } = {}) {
    this.#config = config;
    this.#keys = keys;
    this.#now = now;
    this.#transport = config.url.startsWith("https:") ? https : http;
    this.#agent = new this.#transport.Agent({ keepAlive: true, maxSockets: 8, timeout: 60000 });
  }

  /** Closes connections that are kept for the next request. */
  close() {
    this.#agent.destroy();
  }

  /** Whether the service failed a moment ago, so that a turn should not wait for it again. */
  get isPaused() {
    return this.#now() < this.#pausedUntil;
  }

  /** Forgets earlier failures and the key, because the service was started and its key file may be new. */
  reset() {
    this.#pauseMs = 0;
    this.#pausedUntil = 0;
    this.#keys.forget();
  }

  /** Asks the service for a user. Throws ServiceError. */
  async call(method, path, { user, body, query, timeoutMs, idempotencyKey, givenAt, signal, hurried = false } = {}) {
    if (hurried && this.isPaused) throw new ServiceError("away", `The memory service at ${this.#config.url} failed a moment ago.`);
    try {
      const answer = await this.#exchange(method, path, { user, body, query, timeoutMs, idempotencyKey, givenAt, signal });
      this.#pauseMs = 0;
      this.#pausedUntil = 0;
      return answer;
    } catch (error) {
      if (error.kind === "away" || error.kind === "slow" || error.kind === "busy") this.#pause();
      if (error.kind === "key") this.#keys.forget(); // a key file may be written anew
      throw error;
    }
  }

  async isAlive(timeoutMs = 1000) {
    try {
      const { status, text } = await this.#send("GET", "/livez", {}, undefined, AbortSignal.timeout(timeoutMs));
      return status === 200 && JSON.parse(text).status === "alive";
    } catch {
      return false;
    }
  }

  #pause() {
    this.#pauseMs = Math.min(this.#pauseMs ? this.#pauseMs * 2 : FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    this.#pausedUntil = this.#now() + this.#pauseMs;
  }

  async #exchange(method, path, { user, body, query, timeoutMs, idempotencyKey, givenAt, signal }) {
    const headers = { Accept: "application/json", Authorization: `Bearer ${await this.#secret()}` };
    headers["X-Recollect-Version"] = VERSION;
    if (user !== undefined) headers["X-Recollect-User"] = headerValue(user);
    if (idempotencyKey) headers["Idempotency-Key"] = idempotencyKey;
    if (givenAt) headers["X-Recollect-Given-At"] = new Date(givenAt).toISOString();
    const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    if (sent) Object.assign(headers, { "Content-Type": "application/json", "Content-Length": sent.length });
    const deadline = AbortSignal.timeout(Math.max(1, Math.round(timeoutMs ?? this.#config.toolTimeoutMs)));
    const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
    let answer;
    try {
      answer = await this.#send(method, `${path}${queryOf(query)}`, headers, sent, either);
    } catch (error) {
      throw this.#failure(error, signal, deadline);
    }
    return this.#read(answer);
  }

  /** Sends a request; once more if a kept connection was closed before it got through, which is no failure. */
  async #send(method, path, headers, sent, signal) {
    try {
      return await this.#sendOnce(method, path, headers, sent, signal);
    } catch (error) {
      if (!error.wasReused || error.code !== "ECONNRESET" || signal.aborted) throw error;
      return this.#sendOnce(method, path, headers, sent, signal);
    }
  }

  #sendOnce(method, path, headers, sent, signal) {
    return new Promise((resolve, reject) => {
      const request = this.#transport.request(`${this.#config.url}${path}`, { method, headers, signal, agent: this.#agent });
      request.on("error", (error) => reject(Object.assign(error, { wasReused: request.reusedSocket })));
      request.on("response", (response) => {
        const chunks = [];
        let size = 0;
        response.on("data", (chunk) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size > LONGEST_REPLY) response.destroy(new Error("its answer has no end"));
        });
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString("utf8") }));
      });
      request.end(sent);
    });
  }

  async #secret() {
    try {
      return await this.#keys.secret();
    } catch (error) {
      throw new ServiceError("key", error.message);
    }
  }

  #failure(error, signal, deadline) {
    const { url } = this.#config;
    if (signal?.aborted) return new ServiceError("stopped", "The call was cancelled.");
    if (deadline.aborted) return new ServiceError("slow", `The memory service at ${url} did not answer in time.`);
    const cause = error.code ?? error.message;
    const unsent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"].includes(cause);
    return new ServiceError("away", `The memory service at ${url} cannot be reached (${cause}).`, unsent ? 0 : -1);
  }

  #read({ status, text }) {
    const { url } = this.#config;
    let answer;
    try {
      answer = text ? JSON.parse(text) : null;
    } catch {
      throw new ServiceError("version", `${url} did not answer with JSON; is it a Recollect service of this version?`, status);
    }
    if (status >= 200 && status < 300) return answer;
    const detail = answer?.detail ?? answer?.title ?? `status ${status}`;
    switch (status) {
      case 401: case 403: throw new ServiceError("key", `The memory service refused the key: ${detail}`, status);
      case 404: case 405: throw new ServiceError("version", `The memory service does not know this request (${detail}). Is it of another version?`, status);
      case 426: throw new ServiceError("version", `The memory service does not fit: ${detail}`, status);
      case 408: case 429: case 503: case 507: throw new ServiceError("busy", `The memory service cannot answer now: ${detail}`, status);
      default: break;
    }
    if (status < 400) throw new ServiceError("version", `${url} sends requests elsewhere; it does not seem to be Recollect.`, status);
    if (status >= 500) throw new ServiceError("busy", `The memory service failed: ${detail}`, status);
    throw new ServiceError("refused", `The memory service refused this: ${detail}`, status);
  }
}

function queryOf(query) {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
}

/** Writes a user's name as bytes that a header may hold: UTF-8, as the service reads it. */
function headerValue(user) {
  if (!isUser(user)) throw new ServiceError("refused", `No user can be called ${JSON.stringify(user)}.`);
  return Buffer.from(user, "utf8").toString("latin1");
}
