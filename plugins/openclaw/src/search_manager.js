// The host's view of the memory as a searchable corpus. The host asks with a session key; it reaches the memory of the
// one user who spoke under that key, and nothing when there are several or none. What may be read was found before.

import { harmless, marks } from "./words.js";

const MOST_READABLE = 500;
const ROOT = "recollect";

export class SearchManager {
  #memory;
  #purpose;
  #readable = new Map();
  #status;

  constructor(memory, purpose = "default") {
    this.#memory = memory;
    this.#purpose = purpose;
    this.#status = {
      backend: "builtin", provider: "recollect", dirty: false, sources: ["memory"],
      fts: { enabled: true, available: true }, vector: { enabled: true }, custom: { url: memory.config.url },
    };
  }

  async search(query, { maxResults = 6, minScore = 0, sessionKey, signal, timeoutMs } = {}) {
    const { client, config, log, sessions } = this.#memory;
    const user = this.#userOf(sessionKey);
    const asked = String(query ?? "").trim().slice(0, 2000);
    if (!user || !asked) return [];
    const body = { query: asked, limit: Math.min(Math.max(maxResults, 1), 100), min_score: minScore, only_related: true, ...sessions.underWay({ sessionKey }) };
    try {
      const found = await client.call("POST", "/api/context/search", { user, body, signal, timeoutMs: timeoutMs ?? config.toolTimeoutMs });
      return (found.hits ?? []).map((hit) => this.#result(hit, user));
    } catch (error) {
      log.warnOnce(`recollect: ${error.message}`);
      this.#status.custom = { ...this.#status.custom, lastError: error.message };
      return [];
    }
  }

  async readFile({ relPath, from = 1, lines }) {
    const content = this.#readable.get(relPath);
    if (content === undefined) return { status: "not_found", text: "", path: relPath };
    const all = content.split("\n");
    const end = lines === undefined ? all.length : from - 1 + lines;
    const truncated = end < all.length;
    return { status: "ok", text: all.slice(from - 1, end).join("\n"), path: relPath, from, lines: Math.min(end, all.length) - from + 1, ...(truncated && { truncated, nextFrom: end + 1 }) };
  }

  status() {
    return this.#status;
  }

  /** Delivers what waits, and asks for the figures of the owner's memory. */
  async sync() {
    const { client, config, spool } = this.#memory;
    await spool.deliver({ timeoutMs: config.captureTimeoutMs, hurried: false });
    const waiting = await spool.count();
    try {
      const stats = await client.call("GET", "/api/stats", { user: config.ownerUser });
      this.#status = { ...this.#status, files: stats.files, chunks: stats.chunks, dirty: waiting > 0, custom: { url: config.url, memories: stats.memories, waiting } };
    } catch (error) {
      this.#status = { ...this.#status, dirty: true, lastSyncError: error.message, custom: { url: config.url, waiting, lastError: error.message } };
    }
  }

  async probeEmbeddingAvailability() {
    try {
      await this.#memory.client.call("GET", "/readyz", { user: this.#memory.config.ownerUser });
      return { ok: true, checked: true };
    } catch (error) {
      return { ok: false, checked: true, error: error.message };
    }
  }

  async probeVectorAvailability() {
    return (await this.probeEmbeddingAvailability()).ok;
  }

  async close() {
    this.#readable.clear();
  }

  #userOf(sessionKey) {
    const { config, sessions } = this.#memory;
    return this.#purpose === "cli" ? config.ownerUser : sessions.userOfKey(sessionKey);
  }

  #result(hit, user) {
    const path = `${ROOT}/${hit.source}/${hit.id}.md`;
    const snippet = `${harmless(hit.content)}${marks(hit)}`;
    this.#readable.delete(path);
    this.#readable.set(path, hit.content);
    if (this.#readable.size > MOST_READABLE) this.#readable.delete(this.#readable.keys().next().value);
    const end = hit.content.split("\n").length;
    return { path, startLine: 1, endLine: end, score: hit.score, vectorScore: hit.similarity ?? undefined, snippet, source: "memory", citation: `${path} (${(hit.occurred_at ?? hit.created_at ?? "").slice(0, 10)}, ${user})` };
  }
}

/** Gives the runtime of the memory slot: one manager for each purpose. */
export function memoryRuntime(memory) {
  const managers = new Map();
  return {
    async getMemorySearchManager({ purpose = "default" } = {}) {
      if (!managers.has(purpose)) managers.set(purpose, new SearchManager(memory(), purpose));
      const manager = managers.get(purpose);
      if (purpose !== "default") await manager.sync();
      return { manager, debug: { backend: "builtin", purpose } };
    },
    resolveMemoryBackendConfig: () => ({ backend: "builtin" }),
    async closeAllMemorySearchManagers() {
      managers.clear();
    },
  };
}

/** Gives the corpus that stands beside the built-in memory's files. */
export function corpusSupplement(memory) {
  let manager;
  const own = () => (manager ??= new SearchManager(memory()));
  return {
    async search({ query, maxResults, agentSessionKey }) {
      const results = await own().search(query, { maxResults, sessionKey: agentSessionKey });
      return results.map(({ path, score, snippet, startLine, endLine, citation }) => ({ corpus: ROOT, path, score, snippet, startLine, endLine, citation, source: ROOT, provenanceLabel: "Recollect" }));
    },
    async get({ lookup, fromLine = 1, lineCount }) {
      const read = await own().readFile({ relPath: lookup, from: fromLine, lines: lineCount });
      if (read.status !== "ok") return null;
      return { corpus: ROOT, path: lookup, content: read.text, fromLine, lineCount: read.lines, provenanceLabel: "Recollect" };
    },
  };
}
