// What is to be delivered to the service, one small file each. A file is written before the first attempt and deleted
// after the service has answered, so a process that ends in between loses nothing. Every item has an idempotency key:
// however often it is sent, it has one effect.

import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";

const ITEM = /^\d{13}-[0-9a-f]+\.json$/;
const SURELY_KNOWN_MS = 23 * 3600 * 1000; // the service knows an idempotency key for 24 hours
const MOST_UNSAVED = 1000;

export class Spool {
  #folder;
  #limit;
  #client;
  #log;
  #now;
  #unsaved = [];
  #running = null;
  #last = 0;

  constructor({ folder, limitBytes, client, log, now = Date.now }) {
    this.#folder = folder;
    this.#limit = limitBytes;
    this.#client = client;
    this.#log = log;
    this.#now = now;
  }

  /** Keeps an item until it is delivered: `{kind, user, path, body, name?}`. Items with one name are one. */
  async keep(item) {
    const whole = { ...item, key: keyOf(item), at: this.#now() };
    try {
      await this.#write(whole);
    } catch (error) {
      if (this.#unsaved.length >= MOST_UNSAVED) throw error;
      this.#log.warn(`recollect: the spool in ${this.#folder} cannot be written (${error.code ?? error.message}); what is new is kept in memory only`);
      this.#unsaved.push(whole);
    }
  }

  /** Delivers what waits, oldest first, until something fails or the time is over. Gives how many were delivered. */
  async deliver({ timeoutMs, hurried = true, signal } = {}) {
    const until = this.#now() + timeoutMs;
    while (this.#running && this.#now() < until) await within(this.#running, until - this.#now());
    if (this.#running) return 0;
    this.#running = this.#deliverAll(until, hurried, signal);
    try {
      return await this.#running;
    } finally {
      this.#running = null;
    }
  }

  /** How many items wait. */
  async count() {
    return (await this.#names()).length + this.#unsaved.length;
  }

  async #deliverAll(until, hurried, signal) {
    let delivered = 0;
    for (const name of await this.#names()) {
      const item = await this.#read(name);
      if (!item) continue;
      const outcome = await this.#send(item, until, hurried, signal);
      if (outcome === "done") delivered++;
      if (outcome === "done" || outcome === "over") await this.#remove(name);
      else if (outcome === "refused") await this.#setAside(name);
      else {
        if (outcome === "unclear" && !item.sentAt) await this.#mark(name, item);
        if (outcome !== "forbidden") return delivered;
      }
    }
    for (const item of [...this.#unsaved]) {
      const outcome = await this.#send(item, until, hurried, signal);
      if (outcome === "done") delivered++;
      if (["done", "over", "refused"].includes(outcome)) this.#unsaved.splice(this.#unsaved.indexOf(item), 1);
      else if (outcome === "unclear") item.sentAt ??= this.#now();
      else if (outcome !== "forbidden") break;
    }
    return delivered;
  }

  async #send(item, until, hurried, signal) {
    if (item.kind === "store" && item.sentAt && this.#now() - item.sentAt > SURELY_KNOWN_MS) {
      this.#log.warn("recollect: a memory that may have been stored a day ago was not sent again");
      return "over";
    }
    const timeoutMs = until - this.#now();
    if (timeoutMs <= 0) return "waits";
    try {
      await this.#client.call("POST", item.path, { user: item.user, body: item.body, idempotencyKey: item.key, givenAt: item.at, timeoutMs, hurried, signal });
      return "done";
    } catch (error) {
      if (error.status === 410) return "done"; // it was carried out, and forgotten since
      if (error.status === 403) return this.#forbidden(error);
      if (error.isAmbiguous) return "unclear";
      if (error.kind !== "refused") return this.#waits(error);
      this.#log.warn(`recollect: ${error.message} It is set aside in ${this.#folder}.`);
      return "refused";
    }
  }

  #forbidden(error) {
    this.#log.warn(`recollect: ${error.message}`);
    return "forbidden";
  }

  #waits(error) {
    if (error.kind === "key" || error.kind === "version") this.#log.warn(`recollect: ${error.message} What was said is kept until this is mended.`);
    return "waits";
  }

  async #names() {
    try {
      return (await readdir(this.#folder)).filter((name) => ITEM.test(name)).sort();
    } catch {
      return [];
    }
  }

  async #write(item, name = this.#newName()) {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const text = JSON.stringify(item);
    if ((await this.#size()) + text.length > this.#limit) throw new Error("the spool is full");
    const path = join(this.#folder, name);
    const partial = `${path}.part`;
    const file = await open(partial, "w", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
  }

  #newName() {
    this.#last = Math.max(this.#last + 1, this.#now());
    return `${String(this.#last).padStart(13, "0")}-${randomBytes(4).toString("hex")}.json`;
  }

  async #size() {
    const sizes = await Promise.all((await this.#names()).map((name) => stat(join(this.#folder, name)).then((found) => found.size, () => 0)));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  async #read(name) {
    try {
      return JSON.parse(await readFile(join(this.#folder, name), "utf8"));
    } catch (error) {
      if (error.code !== "ENOENT") await this.#setAside(name);
      return null;
    }
  }

  async #mark(name, item) {
    await this.#write({ ...item, sentAt: this.#now() }, name).catch(() => {});
  }

  async #remove(name) {
    await unlink(join(this.#folder, name)).catch(() => {});
  }

  async #setAside(name) {
    await rename(join(this.#folder, name), join(this.#folder, `${name}.refused`)).catch(() => {});
  }
}

/** Gives the idempotency key of an item: of its name, or else of all that is sent. */
export function keyOf({ user, path, body, name }) {
  return createHash("sha256").update(JSON.stringify([user, path, name ?? body])).digest("hex");
}

async function within(promise, timeoutMs) {
  let timer;
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, Math.max(timeoutMs, 0));
  });
  await Promise.race([promise.catch(() => {}), over]);
  clearTimeout(timer);
}
