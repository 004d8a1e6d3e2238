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

  /** Returns the current summary; null when there is none. */
  async summary(call = {}) {
    return (await this.#service.get(`${this.#path}/summary`, {}, call)).summary;
  }

  /** Returns the messages that a summary was made from, in order. */
  async originals(summaryId, call = {}) {
    return (await this.#service.get(`/api/messages/${pathPart(summaryId)}/originals`, {}, call)).items;
  }

  /** Returns the memories that were captured from the messages of this conversation, oldest first. */
  async learned(call = {}) {
    return (await this.#service.get(`${this.#path}/learned`, {}, call)).items;
  }

  /** Switches storing off, or on again, from now on. What was stored before stays. */
  async setPrivate(isPrivate = true, call = {}) {
    await this.#service.write("PUT", `${this.#path}/private`, { private: isPrivate }, call);
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
