// The service as the verbs ask it: one request, its answer, and errors by name. The invariant: a write is carried out
// at most once. Each has an Idempotency-Key, so sending it again after a lost answer is safe.

import * as errors from "./errors.js";
import { VERSION } from "./version.js";

const TIMEOUT_MS = 30_000;
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
const ATTEMPTS = 2;
const KEY = /^[\x21-\x7e]+$/;
const BY_STATUS = new Map([
  [400, errors.InvalidInput],
  [401, errors.UnknownKey],
  [403, errors.NotPermitted],
  [404, errors.NotFound],
  [409, errors.StaleVersion],
  [410, errors.AlreadyProcessed],
  [412, errors.StaleVersion],
  [413, errors.InvalidInput],
  [415, errors.InvalidInput],
  [422, errors.InvalidInput],
  [426, errors.VersionMismatch],
  [429, errors.RateLimited],
  [503, errors.StoreUnavailable],
  [507, errors.QuotaExceeded],
]);
const etags = new WeakMap(); // of the records that were given to the caller

/** A service that is asked with one key. */
export class Service {
  #key;
  #timeoutMs;

  constructor(url, { key, timeoutMs = TIMEOUT_MS } = {}) {
    this.url = checkedUrl(url);
    if (typeof key !== "string" || !KEY.test(key)) {
      throw new errors.SettingsError("The key is missing, or has characters that no key has. `recollect keys create` makes one.");
    }
    this.#key = key;
    this.#timeoutMs = checkedTimeout(timeoutMs);
  }

  /** Checks that a Recollect service of a fitting version answers and knows the key. */
  async check(call) {
    const found = await this.ask("GET", "/", { call });
    if (found?.name !== "Recollect") {
      throw new errors.ServiceUnavailable(`What answers at ${this.url} is no Recollect service. Check the address.`);
    }
    const theirs = String(found.version ?? "");
    if (release(theirs) !== release(VERSION)) {
      throw new errors.VersionMismatch(
        `The service at ${this.url} is Recollect ${theirs}, this client is ${VERSION}. Install the same version on both sides.`,
      );
    }
    try {
      await this.ask("GET", "/readyz", { call });
    } catch (error) {
      if (error instanceof errors.UnknownKey || !error.status) throw error; // whatever else it says, the key is known
    }
  }

  /** Sends a request, and once more if no answer came. */
  async ask(method, path, { user, scope, query, body, bytes, binary = false, idempotencyKey, call = {} } = {}) {
    const { signal } = call;
    signal?.throwIfAborted();
    const request = { method, headers: this.#headers({ user, scope, body, bytes, idempotencyKey, call }), redirect: "manual" };
    if (body !== undefined) request.body = jsonOf(body);
    if (bytes !== undefined) request.body = bytes;
    const deadline = AbortSignal.timeout(checkedTimeout(call.timeoutMs ?? this.#timeoutMs));
    request.signal = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const address = `${this.url}${path}${queryOf(query)}`;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await fetch(address, request);
        if (binary && response.ok) return new Uint8Array(await response.arrayBuffer());
        return this.#read(response, await response.text(), idempotencyKey);
      } catch (error) {
        if (error instanceof errors.RecollectError) throw error;
        signal?.throwIfAborted();
        if (deadline.aborted) throw this.#failure(errors.TimedOut, "did not answer in time", { cause: error, idempotencyKey });
        if (attempt < ATTEMPTS) continue;
        const reason = error.cause?.code ?? error.cause?.message ?? error.message;
        throw this.#failure(errors.ServiceUnavailable, `did not answer (${reason})`, { cause: error, idempotencyKey });
      }
    }
  }

  #headers({ user, scope, body, bytes, idempotencyKey, call }) {
    const headers = { Accept: "application/json", Authorization: `Bearer ${this.#key}`, "X-Recollect-Version": VERSION };
    if (user) headers["X-Recollect-User"] = bytesOf(user);
    if (scope) headers["X-Recollect-Scope"] = bytesOf(scope);
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (bytes !== undefined) headers["Content-Type"] = "application/octet-stream";
    if (idempotencyKey !== undefined) headers["Idempotency-Key"] = idempotencyKey;
    if (call.zone) headers["X-Recollect-Zone"] = bytesOf(call.zone);
    if (call.ifMatch !== undefined) headers["If-Match"] = etagOf(call.ifMatch);
    try {
      return new Headers(headers);
    } catch (error) {
      throw new errors.InvalidInput("A user, an Idempotency-Key or an ETag has characters that no header may hold.", { cause: error });
    }
  }

  #failure(kind, what, details) {
    return new kind(`The Recollect service at ${this.url} ${what}. Is \`recollect serve\` running there?`, details);
  }

  #read(response, text, idempotencyKey) {
    const { status, headers } = response;
    let answer;
    try {
      answer = JSON.parse(text);
    } catch (error) {
      throw new errors.ServiceUnavailable(
        `What answers at ${this.url} is no Recollect service: status ${status}, and no JSON. Check the address.`,
        { status, cause: error, idempotencyKey },
      );
    }
    if (response.ok) {
      if (headers.has("ETag") && typeof answer === "object" && answer !== null) etags.set(answer, headers.get("ETag"));
      return answer;
    }
    const kind = BY_STATUS.get(status) ?? errors.ServiceUnavailable;
    throw new kind(answer?.detail || `The service at ${this.url} answered ${status}.`, {
      status,
      problem: answer ?? undefined,
      requestId: headers.get("X-Request-ID") ?? undefined,
      retryAfterMs: retryAfterMs(headers) ?? (status === 429 ? 1000 : undefined),
      idempotencyKey,
    });
  }
}

/** The service, asked for one user, or in a shared scope of theirs; without a name, for the key's own user. */
export class ScopedService {
  #service;

  constructor(service, user, scope = "") {
    this.#service = service;
    this.user = user;
    this.scope = scope;
  }

  /** Gives the same for a shared scope. */
  inScope(name) {
    return new ScopedService(this.#service, this.user, name);
  }

  /** Reads something. What is undefined or null is left out of the query. */
  get(path, query, call) {
    return this.#service.ask("GET", path, { user: this.user, scope: this.scope, query, call });
  }

  /** Searches with a body. */
  search(path, body, call) {
    return this.#service.ask("POST", path, { user: this.user, scope: this.scope, body, call });
  }

  /** Sends bytes as they are. */
  upload(path, bytes, call = {}) {
    if (!(bytes instanceof Uint8Array || bytes instanceof ArrayBuffer || bytes instanceof Blob)) {
      throw new errors.InvalidInput("The bytes are a Uint8Array, an ArrayBuffer or a Blob.");
    }
    const idempotencyKey = call.idempotencyKey ?? crypto.randomUUID();
    return this.#service.ask("POST", path, { user: this.user, scope: this.scope, bytes, idempotencyKey, call });
  }

  /** Reads bytes as they are. */
  download(path, call) {
    return this.#service.ask("GET", path, { user: this.user, scope: this.scope, binary: true, call });
  }

  /** Writes something, at most once. */
  write(method, path, body, call = {}) {
    if (call.ifMatch !== undefined && method !== "PATCH") throw new errors.InvalidInput("Only update takes ifMatch.");
    const idempotencyKey = call.idempotencyKey ?? crypto.randomUUID();
    return this.#service.ask(method, path, { user: this.user, scope: this.scope, body, idempotencyKey, call });
  }
}

/** Writes a name as a part of a path. */
export function pathPart(text) {
  if (typeof text !== "string" || !text || text === "." || text === ".." || !text.isWellFormed()) {
    throw new errors.InvalidInput(`${JSON.stringify(text)} cannot be an id in an address. Give the id as the service gave it.`);
  }
  return encodeURIComponent(text);
}

/** Takes the name of a user, which must reach the service as it was given. */
export function checkedUser(userId, noun = "user") {
  if (typeof userId !== "string" || !userId || userId !== userId.trim() || !userId.isWellFormed()) {
    throw new errors.InvalidInput(`${JSON.stringify(userId)} is no ${noun}. Give a name without spaces around it.`);
  }
  return userId;
}

/** Takes several things, such as an array. */
export function several(given, verb) {
  if (typeof given !== "object" || given === null || typeof given[Symbol.iterator] !== "function") {
    throw new errors.InvalidInput(`${verb} takes several, for example an array.`);
  }
  return [...given];
}

function checkedUrl(url) {
  let parsed;
  try {
    parsed = new URL(url);
  } catch (error) {
    throw new errors.SettingsError(`${JSON.stringify(url)} is not a URL. Write it like http://127.0.0.1:8787.`, { cause: error });
  }
  if (!["http:", "https:"].includes(parsed.protocol) || parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw new errors.SettingsError("The address of the service must be http or https, without a user, a query or a fragment, like http://127.0.0.1:8787.");
  }
  return parsed.href.replace(/\/+$/, "");
}

function checkedTimeout(timeoutMs) {
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS)) {
    throw new errors.SettingsError(`timeoutMs is ${timeoutMs}; it must be a number of milliseconds from 1 to ${LONGEST_TIMEOUT_MS}.`);
  }
  return Math.ceil(timeoutMs);
}

function release(version) {
  return version.split(".", 2).join(".");
}

/** Writes a body, and refuses what JSON would silently turn into null. */
function jsonOf(body) {
  try {
    return JSON.stringify(body, function checked(name, value) {
      checkedValue(name, this[name]);
      return value;
    });
  } catch (error) {
    if (error instanceof errors.InvalidInput) throw error;
    throw new errors.InvalidInput(`This cannot be written as JSON: ${error.message}`, { cause: error });
  }
}

function checkedValue(name, value) {
  if (value instanceof Date && Number.isNaN(value.getTime())) throw new errors.InvalidInput(`${name} is an invalid Date.`);
  if (typeof value === "number" && !Number.isFinite(value)) throw new errors.InvalidInput(`${name} is ${value}; it must be a finite number.`);
  return value instanceof Date ? value.toISOString() : value;
}

function queryOf(query) {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  const given = pairs.filter(([, value]) => value !== undefined && value !== null);
  const written = given.map(([name, value]) => [name, String(checkedValue(name, value))]);
  return written.length ? `?${new URLSearchParams(written)}` : "";
}

/** Writes a name as bytes that a header may hold: UTF-8, as the service reads it. */
function bytesOf(name) {
  return Array.from(new TextEncoder().encode(name), (byte) => String.fromCharCode(byte)).join("");
}

function etagOf(seen) {
  if (typeof seen === "string") return seen;
  if (!etags.has(seen)) {
    throw new errors.InvalidInput("ifMatch takes an ETag, or a record as `get` or `update` returned it.");
  }
  return etags.get(seen);
}

function retryAfterMs(headers) {
  const said = headers.get("Retry-After");
  if (said === null) return undefined;
  const waitMs = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
