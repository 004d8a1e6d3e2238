import { Conversation } from "./conversation.js";
import { InvalidInput, RecollectError } from "./errors.js";
import { userMedia } from "./media.js";
import { checkedUser, pathPart, several } from "./service.js";
import { typedMemories } from "./typed.js";

const BATCH = 100;

/** One user's memories. Verbs are those of the Python package; fields and results are those of the HTTP routes. */
export class UserMemory {
  #service;

  constructor(service) {
    this.#service = service;
    this.userId = service.user;
    this.media = userMedia(service);
    Object.assign(this, typedMemories(service));
  }

  /** Returns a shared scope that this user is a member of, with the same verbs. */
  async scope(name, call = {}) {
    const shared = new UserMemory(this.#service.inScope(checkedUser(name, "shared scope")));
    await shared.scopes(call);
    return shared;
  }

  /** Lists the shared scopes that this user is a member of, by name. */
  async scopes(call = {}) {
    return (await this.#service.get("/api/scopes", {}, call)).items;
  }

  /** Stores a memory. It is durable when this resolves. */
  async remember(content, fields = {}, call = {}) {
    return this.#service.write("POST", "/api/memories/unified", { ...fields, content }, call);
  }

  /** Stores many memories, in requests of a hundred, each whole or not at all; one result for each, in order. */
  async rememberMany(memories, call = {}) {
    const bodies = several(memories, "rememberMany").map((memory) => (typeof memory === "string" ? { content: memory } : memory));
    const idempotencyKey = call.idempotencyKey ?? crypto.randomUUID();
    const results = [];
    for (let start = 0; start < bodies.length; start += BATCH) {
      const ofBatch = { ...call, idempotencyKey: `${idempotencyKey}-${start}` };
      try {
        const found = await this.#service.write("POST", "/api/memories/bulk", { memories: bodies.slice(start, start + BATCH) }, ofBatch);
        results.push(...found.results);
      } catch (error) {
        if (error instanceof RecollectError) error.idempotencyKey = idempotencyKey; // repeats the whole call
        throw error;
      }
    }
    return results;
  }

  /** Finds memories by meaning and by words, best first. */
  async recall(query, options = {}, call = {}) {
    return this.#service.get("/api/memories/search", { ...options, query }, call);
  }

  /** Searches memories, messages and files together, best first. */
  async searchContext(query, options = {}, call = {}) {
    return this.#service.search("/api/context/search", { ...options, query }, call);
  }

  /** Collects what is known about a topic. */
  async about(topic, options = {}, call = {}) {
    return this.#service.get("/api/about", { ...options, topic }, call);
  }

  /** Returns one memory, current or superseded; with `reveal` its kept secrets are shown. */
  async get(id, { reveal, ...call } = {}) {
    return this.#service.get(memoryPath(id), { reveal: reveal || undefined }, call);
  }

  /** Lists current memories, newest first, a page of at most 100 at a time. */
  async list(options = {}, call = {}) {
    return this.#service.get("/api/memories", options, call);
  }

  /** Changes a memory and returns it; the version before stays in its history. */
  async update(id, changes, call = {}) {
    return this.#service.write("PATCH", memoryPath(id), changes, call);
  }

  /** Stores the user's feedback on a memory: 1, -1, or null to take it back. */
  async rate(id, feedback, { comment = "" } = {}, call = {}) {
    return this.#service.write("POST", `${memoryPath(id)}/feedback`, { feedback, comment }, call);
  }

  /** Returns all versions of a memory, oldest first. */
  async history(id, call = {}) {
    return (await this.#service.get(`${memoryPath(id)}/history`, {}, call)).items;
  }

  /** Finds groups of similar memories, the largest first, and memories that say the same. */
  async clusters({ limit, examples } = {}, call = {}) {
    return this.#service.get("/api/memories/clusters", { limit, examples }, call);
  }

  /** Merges a memory into another that says the same, and returns that one. */
  async merge(id, into, call = {}) {
    return this.#service.write("POST", `${memoryPath(id)}/merge`, { into }, call);
  }

  /** Finds what is like a memory, by the vector that is stored for it. */
  async similar(id, { limit } = {}, call = {}) {
    return this.#service.get(`${memoryPath(id)}/similar`, { limit }, call);
  }

  /** Deletes for good, by id or by another target; with `dry_run` only says what would be deleted. */
  async forget(target, call = {}) {
    if (typeof target !== "string" && (typeof target !== "object" || target === null)) {
      throw new InvalidInput("forget takes an id, or an object with one of id, query, session, source, folder and everything.");
    }
    return this.#service.write("POST", "/api/forget", typeof target === "string" ? { id: target } : target, call);
  }

  /** Returns statistics of what this user has stored. */
  async stats(call = {}) {
    return this.#service.get("/api/stats", {}, call);
  }

  /** Returns what is asked of this user's memory, and what it holds. */
  async insights(options = {}, call = {}) {
    return this.#service.get("/api/insights", options, call);
  }

  /** Suggests what could go. */
  async tidy(options = {}, call = {}) {
    return this.#service.get("/api/tidy", options, call);
  }

  /** Forgets, or archives, suggestions of `tidy` by their ids, at most 100. */
  async applyTidying(ids, call = {}) {
    return this.#service.write("POST", "/api/tidy", { apply: several(ids, "applyTidying") }, call);
  }

  /** Lists conversations, the last changed first, a page at a time. */
  async conversations(options = {}, call = {}) {
    return this.#service.get("/api/conversations", options, call);
  }

  /** Returns a conversation by its id; it need not exist yet. Throws InvalidInput. */
  conversation(id) {
    return new Conversation(this.#service, id);
  }

  /** Hook at the start of a session: what is known about a project and the user. */
  async startSession(project = "", options = {}, call = {}) {
    return this.#service.get("/api/hooks/session-start", { ...options, project }, call);
  }

  /** Hook before an agent answers: recalls for the user's message, then saves it as a request. */
  async beforePrompt(prompt, options, call = {}) {
    return this.#service.write("POST", "/api/hooks/before-prompt", { ...options, prompt }, call);
  }

  /** Hook after an agent has answered: saves the turn's messages and captures what the user's words say. */
  async afterTurn(messages, { session } = {}, call = {}) {
    return this.#service.write("POST", "/api/hooks/agent-end", { session, messages: several(messages, "afterTurn") }, call);
  }

  /** Hook at the end of a session: stores its summary as a memory, if `session_summaries` is set. */
  async endSession(session, call = {}) {
    return (await this.#service.write("POST", "/api/hooks/session-end", { session }, call)).summary;
  }
}

function memoryPath(id) {
  return `/api/memories/${pathPart(id)}`;
}
