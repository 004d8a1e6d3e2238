// The background service of the plugin: delivers what waits, and starts `recollect serve` when that is wanted and none
// runs. Otherwise it says how to start one.

import { spawn } from "node:child_process";

import { serviceEnvironment } from "./config.js";

const EVERY_MS = 15000;
const START_MS = 60000;
const STOP_MS = 5000;

export class BackgroundService {
  #memory;
  #timer;
  #child;
  #isStopped = false;

  constructor(memory) {
    this.#memory = memory;
  }

  /** Returns at once: a gateway does not wait for its memory. */
  start() {
    this.#isStopped = false;
    this.#timer = setInterval(() => void this.#deliver(), EVERY_MS);
    this.#timer.unref();
    this.ready = this.#begin().catch((error) => this.#memory.log.warn(`recollect: ${error.message}`));
  }

  async stop() {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#deliver(2000);
    await this.#end();
  }

  async #begin() {
    const { client, config, keys, log } = this.#memory;
    await keys.tidy().catch((error) => log.warn(`recollect: ${error.message}`));
    if (await client.isAlive()) {
      await this.#deliver();
      return;
    }
    const { hostname, port } = new URL(config.url);
    const command = `${config.command} serve --host ${hostname} --port ${port || 80}`;
    if (!config.startService) {
      log.warn(`recollect: no memory service answers at ${config.url}. Start one with \`${command}\`, or set startService. Agents go on without memory; what is said is kept and delivered later.`);
      return;
    }
    await this.#spawn(hostname, port || "80");
  }

  async #spawn(hostname, port) {
    const { client, config, keys, log } = this.#memory;
    const { RECOLLECT_API_KEY: _, RECOLLECT_KEY: __, ...inherited } = process.env; // keys of callers, which a service does not take
    const env = { ...inherited, ...serviceEnvironment(config.service) };
    const child = spawn(config.command, ["--json", "serve", "--host", hostname, "--port", port], { env, stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    const ready = await firstLine(child, START_MS);
    if (this.#isStopped) return;
    await keys.note(ready.key_file).catch((error) => log.warn(`recollect: ${error.message}`));
    client.reset();
    log.info(`recollect: started \`${config.command} serve\` at ${ready.url} with ${ready.location}`);
    await this.#deliver();
  }

  async #deliver(timeoutMs = this.#memory.config.captureTimeoutMs) {
    try {
      const delivered = await this.#memory.spool.deliver({ timeoutMs, hurried: false });
      if (delivered) this.#memory.log.debug(`recollect: delivered ${delivered} that waited`);
    } catch (error) {
      this.#memory.log.warnOnce(`recollect: ${error.message}`);
    }
  }

  async #end() {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const over = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await over;
    clearTimeout(timer);
  }
}

/** Gives the first line of a program's output as JSON; throws what it said when it ends before. */
function firstLine(child, timeoutMs) {
  return new Promise((resolve, reject) => {
    let out = "";
    let said = "";
    const timer = setTimeout(() => fail(`it was not ready within ${timeoutMs / 1000} s`), timeoutMs);
    const fail = (why) => {
      clearTimeout(timer);
      reject(new Error(`The memory service could not be started: ${why}. Agents go on without memory.`));
    };
    child.on("error", (error) => fail(error.code === "ENOENT" ? `there is no program ${child.spawnfile}; set command to its path` : error.message));
    child.on("exit", (code) => fail(`it ended with ${code}: ${said.trim().slice(-500)}`));
    child.stderr.on("data", (data) => (said = (said + data).slice(-2000)));
    child.stdout.on("data", (data) => {
      out = (out + data).slice(0, 20000);
      const end = out.indexOf("\n");
      if (end < 0) return;
      clearTimeout(timer);
      try {
        resolve(JSON.parse(out.slice(0, end)));
      } catch {
        fail(`it said ${out.slice(0, 200)}`);
      }
    });
  });
}
