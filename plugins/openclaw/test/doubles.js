// A small host that checks the contract of the real one, and a service on loopback that remembers what it was sent.

import { mkdtemp } from "node:fs/promises";
import { readFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const HOOKS = new Set([
  "before_model_resolve", "before_prompt_build", "agent_end", "before_compaction", "after_compaction", "before_reset",
  "session_start", "session_end", "gateway_start", "gateway_stop", "before_tool_call", "after_tool_call",
]);

/** Loads a plugin as the host does: with its manifest, several times, and with names that it must have declared. */
export class HostDouble {
  constructor(plugin, manifest, pluginConfig) {
    this.manifest = manifest;
    this.lines = [];
    this.load(plugin, pluginConfig);
    this.load(plugin, pluginConfig); // discovery, and the like
  }

  load(plugin, pluginConfig) {
    this.hooks = new Map();
    this.tools = new Map();
    this.services = [];
    this.capability = undefined;
    this.supplements = {};
    const keep = (level) => (line) => this.lines.push(`${level} ${line}`);
    const result = plugin.register({
      id: plugin.id,
      pluginConfig,
      logger: { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") },
      runtime: {},
      registerTool: (factory, { name }) => {
        if (!this.manifest.contracts.tools.includes(name)) throw new Error(`tool ${name} is not in the manifest`);
        this.tools.set(name, factory);
      },
      on: (name, run, options) => {
        if (!HOOKS.has(name)) throw new Error(`unknown typed hook "${name}" ignored`);
        this.hooks.set(name, { run, options });
      },
      registerMemoryCapability: (capability) => {
        if (plugin.kind !== "memory") throw new Error("only memory plugins can register a memory capability");
        this.capability = capability;
      },
      registerMemoryPromptSupplement: (builder) => (this.supplements.prompt = builder),
      registerMemoryCorpusSupplement: (supplement) => (this.supplements.corpus = supplement),
      registerService: (service) => this.services.push(service),
      registerCli: (registrar, options) => (this.cli = { registrar, options }),
    });
    if (result !== undefined) throw new Error("register must be synchronous");
  }

  hook(name, event, ctx) {
    return this.hooks.get(name).run(event, ctx);
  }

  tool(name, ctx) {
    return this.tools.get(name)(ctx);
  }

  /** Runs a turn of the owner on this machine, as the host does, and gives what the plugin put before the prompt. */
  async turn(text, { sessionId = "s1", runId = `run-${Math.random()}`, answer = "Noted.", before = [], hook = {}, tool = {} } = {}) {
    const ctx = { runId, sessionId, sessionKey: `agent:main:${sessionId}`, agentId: "main", trigger: "user", channel: "webchat", ...hook };
    this.tool("memory_recall", { sessionId, senderIsOwner: true, messageChannel: "webchat", ...tool });
    const result = await this.hook("before_prompt_build", { prompt: text, messages: before }, ctx);
    const now = Date.now();
    const messages = [
      ...before,
      { role: "user", content: [{ type: "text", text }], timestamp: now },
      { role: "toolResult", toolCallId: "c1", content: [{ type: "text", text: "Found 1 memory: SECRET-OF-A-TOOL" }], timestamp: now },
      { role: "assistant", content: [{ type: "thinking", thinking: "Hm." }, { type: "text", text: answer }], timestamp: now, model: "m" },
    ];
    await this.hook("agent_end", { messages, success: true }, ctx);
    return result;
  }
}

/** Gives the commands that a plugin registers, by name. */
export function commandsOf(register, print) {
  const actions = {};
  const command = (name) => {
    const self = { command, description: () => self, option: () => self, argument: () => self, action: (run) => ((actions[name] = run), self) };
    return self;
  };
  register({ command }, print);
  return actions;
}

export function manifestOf(folder) {
  return JSON.parse(readFileSync(new URL(`../${folder}openclaw.plugin.json`, import.meta.url)));
}

export function temporaryFolder() {
  return mkdtemp(join(tmpdir(), "recollect-plugin-"));
}

/** A service: `answers` maps "METHOD /path" to a body or a function of the request; `requests` is what came. */
export class ServiceDouble {
  constructor(answers = {}) {
    this.answers = { "GET /livez": { status: "alive" }, ...answers };
    this.requests = [];
    this.status = 0;
    this.isSilent = false;
    this.server = http.createServer((request, response) => this.#take(request, response));
  }

  async start(port = 0) {
    await new Promise((resolve) => this.server.listen(port, "127.0.0.1", resolve));
    this.server.unref(); // a test that failed and left it behind must not keep the run from ending
    this.port = this.server.address().port;
    this.url = `http://127.0.0.1:${this.port}`;
    return this;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  sent(path) {
    return this.requests.filter((request) => request.path === path);
  }

  #take(request, response) {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      const url = new URL(request.url, "http://host");
      const { authorization, "x-recollect-user": user, "idempotency-key": key } = request.headers;
      const taken = { method: request.method, path: url.pathname, query: Object.fromEntries(url.searchParams), authorization, user, key, body: text ? JSON.parse(text) : undefined };
      this.requests.push(taken);
      if (this.isSilent) return;
      const known = this.answers[`${taken.method} ${taken.path}`];
      const body = typeof known === "function" ? known(taken) : known;
      const status = this.status || (body === undefined ? 404 : 200);
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(this.status || body === undefined ? { detail: `status ${status}` } : body));
    });
  }
}

/** Waits until something holds. */
export async function until(holds) {
  for (const last = Date.now() + 120_000; !(await holds()); ) {
    if (Date.now() > last) throw new Error("what was waited for did not come");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
