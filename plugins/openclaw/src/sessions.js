// Which conversation of the memory a session of the host is, and which users spoke in it. The host goes on with the same
// session id after /new, when the words before are out of the model's sight; for the memory that is a new conversation.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const MOST_SESSIONS = 500;
const MOST_OWNERS = 1000;

export class Sessions {
  #file;
  #log;
  #now;
  #known = null;
  #changed = new Map();
  #owners = new Map();
  #savesRequests;

  /** `savesRequests`: whether a request is saved before its answer, as it is with automatic recall. */
  constructor({ file, log, savesRequests = true, now = Date.now }) {
    this.#file = file;
    this.#savesRequests = savesRequests;
    this.#log = log;
    this.#now = now;
  }

  /** Notes what the host said about the sender of a session's current run. */
  noteOwner(sessionId, isOwner) {
    if (!sessionId) return;
    this.#owners.delete(sessionId);
    this.#owners.set(sessionId, isOwner);
    if (this.#owners.size > MOST_OWNERS) this.#owners.delete(this.#owners.keys().next().value);
  }

  isOwner(sessionId) {
    return this.#owners.get(sessionId) === true;
  }

  /** Gives the conversation of a session, and notes that a user spoke in it. */
  enter(sessionId, sessionKey, user) {
    const entry = this.#entry(sessionId);
    if (entry?.users.includes(user) && entry.key === sessionKey) return entry.name;
    const next = entry ?? { name: `openclaw:${sessionId}`, users: [], key: sessionKey };
    const users = next.users.includes(user) ? next.users : [...next.users, user];
    this.#save(sessionId, { ...next, users, key: sessionKey });
    return next.name;
  }

  /** Gives `{name, users}` of a session, or undefined. */
  find(sessionId) {
    return this.#entry(sessionId);
  }

  /** Gives the only user who spoke under a session key; null when there are several or none. */
  userOfKey(sessionKey) {
    if (!sessionKey) return null;
    const users = new Set(Object.values(this.#load()).filter((entry) => entry.key === sessionKey).flatMap((entry) => entry.users));
    return users.size === 1 ? [...users][0] : null;
  }

  /** Gives the argument of a search that leaves out the turn that is going on: the question just asked is no answer to it. */
  underWay({ sessionId, sessionKey } = {}) {
    const isCurrent = ([id, entry]) => sessionKey && entry.key === sessionKey && !id.endsWith(`@${entry.name}`); // those are over
    const ofKey = Object.entries(this.#load()).filter(isCurrent).map(([, entry]) => entry).sort((one, other) => other.at - one.at);
    const entry = this.#entry(sessionId) ?? ofKey[0];
    return entry && this.#savesRequests ? { current: entry.name } : {};
  }

  /** Begins a new conversation for what is said next in a session. The key keeps its users. */
  renew(sessionId) {
    const entry = this.#entry(sessionId);
    if (!entry) return;
    this.#save(`${sessionId}@${entry.name}`, entry);
    this.#save(sessionId, { ...entry, name: `openclaw:${sessionId}:${this.#now().toString(36)}`, users: [] });
  }

  /** Goes on with a conversation under another session id. */
  follow(sessionId, nextId) {
    const entry = this.#entry(sessionId);
    if (entry && nextId && nextId !== sessionId) this.#save(nextId, entry);
  }

  #entry(sessionId) {
    return this.#load()[sessionId];
  }

  #load() {
    this.#known ??= this.#read();
    return this.#known;
  }

  #read() {
    try {
      const found = JSON.parse(readFileSync(this.#file, "utf8"));
      return Object.fromEntries(Object.entries(found).filter(([, entry]) => typeof entry?.name === "string" && Array.isArray(entry.users)));
    } catch {
      return {};
    }
  }

  #save(sessionId, entry) {
    const whole = { ...entry, at: this.#now() };
    this.#load()[sessionId] = whole;
    this.#changed.set(sessionId, whole);
  }

  /** Writes what changed to the disk. It is called after an answer, so that no turn waits for it. */
  flush() {
    if (!this.#changed.size) return;
    const all = { ...this.#read(), ...Object.fromEntries(this.#changed) };
    const newest = Object.entries(all).sort(([, one], [, other]) => other.at - one.at).slice(0, MOST_SESSIONS);
    this.#changed.clear();
    this.#known = Object.fromEntries(newest);
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      const partial = `${this.#file}.${process.pid}.part`;
      writeFileSync(partial, JSON.stringify(this.#known), { mode: 0o600 });
      renameSync(partial, this.#file);
    } catch (error) {
      this.#log.warn(`recollect: ${this.#file} cannot be written (${error.code ?? error.message}); sessions are known until this process ends`);
    }
  }
}
