import { NotFound } from "./errors.js";
import { pathPart, several } from "./service.js";

/** One conversation. It begins with the first message that is appended. */
export class Conversation {
  #service;
  #path;

  constructor(service, id) {
    this.#service = service;
    this.#path = `/api/conversations/${pathPart(id)}`;
    this.id = id;
  }

  /** Appends a message. */
  async append(role, content, fields = {}, call = {}) {
    return (await this.extend([{ ...fields, role, content }], call))[0];
  }

  /** Appends several messages, all or none. */
  async extend(messages, call = {}) {
    const body = { messages: several(messages, "extend") };
    return (await this.#service.write("POST", `${this.#path}/messages`, body, call)).results;
  }

  /** Returns what to show a model: system prompts, the current summary and the newest turns that fit. */
  async window(options = {}, call = {}) {
    return this.#service.get(`${this.#path}/window`, options, call);
  }

  /** Folds all but the newest messages into the summary. */
  async compact(options = {}, call = {}) {
    return this.#service.write("POST", `${this.#path}/compact`, options, call);
  }

  /** Returns the statistics of the conversation; null when it does not exist yet. */
  async info(call = {}) {
    const page = await this.#page({ limit: 1 }, call);
    return page?.conversation ?? null;
  }

  /** Returns the last messages in order, at most 100; to page, pass a sequence number as `before`. */
  async messages({ limit, before } = {}, call = {}) {
    const page = await this.#page({ limit, cursor: before }, call);
    return page?.messages ?? [];
  }

  async #page(query, call) {
    try {
      return await this.#service.get(this.#path, query, call);
    } catch (error) {
      if (error instanceof NotFound) return null;
      throw error;
    }
  }
}
