// The key of the service: that of the settings, or the one whose file a service named that the gateway started. Commands
// run in a process of their own, so where that file is stands in a small file; the key itself is never copied.

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const NONE = "No key is configured. Set apiKey or apiKeyFile; `recollect keys create --scope admin` makes a key. With startService none is needed once the gateway has started the service.";

export class Keys {
  #config;
  #folder;
  #known;
  #started = "";

  constructor(config, folder) {
    this.#config = config;
    this.#folder = folder;
  }

  /** Gives the key. Throws an Error that says what to do. */
  async secret() {
    const key = (this.#known ??= this.#config.apiKey || (await this.#read()));
    if (!/^[\x21-\x7e]+$/.test(key)) throw new Error("The key has characters that no key has, or is empty. `recollect keys create` makes one.");
    return key;
  }

  /** Reads the key anew when it is next asked for. */
  forget() {
    this.#known = undefined;
  }

  /** Notes the file with the key of a service that was started, for the processes that did not start it. */
  async note(keyFile) {
    if (!keyFile) return;
    this.#started = keyFile;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(this.#noted, `${keyFile}\n`, { mode: 0o600 });
  }

  /** Removes a file that earlier versions wrote, with the settings of the service and their secrets. */
  async tidy() {
    await rm(join(this.#folder, "service.json"), { force: true });
  }

  get #noted() {
    return join(this.#folder, "key-file");
  }

  async #read() {
    const { apiKeyFile, startService } = this.#config;
    const noted = this.#started || (startService && (await readFile(this.#noted, "utf8").catch(() => "")).trim());
    if (!apiKeyFile && !noted) throw new Error(NONE);
    let failure;
    for (const file of [apiKeyFile, noted].filter(Boolean)) {
      try {
        return (await readFile(file, "ascii")).trim();
      } catch (error) {
        failure ??= new Error(`The key file ${file} cannot be read: ${error.code ?? error.message}.`);
      }
    }
    throw failure;
  }
}
