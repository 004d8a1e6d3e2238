import { checkedUser, ScopedService, Service } from "./service.js";
import { UserMemory } from "./user.js";

/** A Recollect service. `Client.open` also checks that it answers, fits and knows the key; `new Client` asks nothing yet. */
export class Client {
  #service;

  constructor(url, options = {}) {
    this.#service = new Service(url, options);
    this.me = options.user === undefined ? new UserMemory(new ScopedService(this.#service, "")) : this.user(options.user);
  }

  /** Opens a service at its address, with a key that it gave. */
  static async open(url, options = {}) {
    const { signal, ...others } = options;
    const client = new Client(url, others);
    await client.check({ signal });
    return client;
  }

  /** Returns one user's part; only an admin's key may name another user than its own. */
  user(userId) {
    return new UserMemory(new ScopedService(this.#service, checkedUser(userId)));
  }

  /** Checks that a Recollect service of a fitting version answers and knows the key. */
  async check(call) {
    await this.#service.check(call);
  }

  /** Returns the state of the service and its store, for an admin's key. */
  status(call) {
    return this.#service.ask("GET", "/api/status", { call });
  }
}
