// The plugin against a real service. The test run starts it and says where it is: `pytest tests/plugins` does.

import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, test } from "node:test";

import plugin from "../index.js";
import { registerCommands } from "../src/cli.js";
import { parseConfig } from "../src/config.js";
import { createMemory } from "../src/plugin.js";
import { TOOLS } from "../src/tools.js";
import { commandsOf, HostDouble, manifestOf, temporaryFolder } from "./doubles.js";

const { RECOLLECT_URL: url, RECOLLECT_ADMIN_KEY: apiKey, RECOLLECT_KEY: userKey } = process.env;
const whenServed = { skip: url && apiKey && userKey ? false : "RECOLLECT_URL, RECOLLECT_ADMIN_KEY and RECOLLECT_KEY name no service" };
const OWNER = { sessionId: "s1", sessionKey: "agent:main:s1", senderIsOwner: true, messageChannel: "webchat" };
let folder, host, calls = 0;

before(async () => {
  folder = await temporaryFolder();
  host = new HostDouble(plugin, manifestOf(""), { url, apiKey, spoolDir: folder, ownerUser: "anna", recallTimeoutMs: 14000, toolTimeoutMs: 60000, captureTimeoutMs: 25000 });
});

after(() => rm(folder, { recursive: true }));

async function call(name, params) {
  const done = await host.tool(name, OWNER).execute(`call ${++calls}`, params);
  return { text: done.content[0].text, ...done.details };
}

test("every type that the tool offers is stored and searched", whenServed, async () => {
  const types = TOOLS.find(({ name }) => name === "memory_store").parameters.properties.type.enum;
  for (const type of types) {
    assert.equal((await call("memory_store", { content: `The ${type} of the harbour`, type })).action, "created", type);
    const { memories } = await call("memory_recall", { query: `The ${type} of the harbour`, type, limit: 100 });
    assert.ok(memories.some(({ content }) => content === `The ${type} of the harbour`), type);
  }
});

test("a call that cannot be carried out says what to mend, and leaves the memory to others", whenServed, async () => {
  for (const [name, params] of [["memory_store", { content: " " }], ["memory_store", {}], ["memory_store", { content: "x", importance: 7 }], ["memory_store", { content: "x", type: "evil" }], ["memory_recall", { query: "" }], ["memory_recall", { query: "x", limit: 0 }], ["search_context", { query: "x".repeat(2001) }], ["memory_forget", {}]]) {
    const refused = await call(name, params);
    assert.deepEqual([refused.action, refused.reason], ["failed", "refused"], refused.text);
    assert.ok(!refused.text.includes("not available"), refused.text);
  }
  const memory = createMemory(parseConfig({ url, apiKey }), folder, undefined);
  await assert.rejects(memory.client.call("GET", "/api/stats", { user: "a\nb" }), { kind: "refused" });
  assert.equal(memory.client.isPaused, false);
});

test("search_context does not find the question that was just asked, but what was said before", whenServed, async () => {
  await host.turn("My sister Jana keeps bees in Olomouc.", { sessionId: "s0", before: [] });
  const ctx = { runId: "r1", sessionId: "s1", sessionKey: "agent:main:s1", channel: "webchat", trigger: "user" };
  host.tool("memory_recall", OWNER);
  await host.hook("before_prompt_build", { prompt: "What is the blood type of my sister?", messages: [] }, ctx);
  assert.equal((await call("search_context", { query: "blood type" })).count, 0);
  const found = await call("search_context", { query: "sister Jana bees" });
  assert.ok(found.results.some(({ content }) => content.includes("Olomouc")), found.text);
  assert.ok(!found.results.some(({ content }) => content.includes("blood type")), found.text);
});

test("commands count what is held true, and what was said", whenServed, async () => {
  const printed = [];
  const memory = createMemory(parseConfig({ url, apiKey, ownerUser: "anna", toolTimeoutMs: 60000 }), folder, undefined);
  const commands = commandsOf((program, print) => registerCommands(program, () => memory, print), (line) => printed.push(line));
  const run = async (name, ...given) => {
    printed.length = 0;
    await commands[name](...given);
    return printed.join("\n");
  };
  const before = Number((await run("count", { user: "ben" })).match(/\d+$/)[0]);
  for (const value of ["red", "green", "blue"]) await memory.client.call("POST", "/api/facts", { user: "ben", body: { subject: "gate", key: "colour", value } });
  assert.equal(await run("count", { user: "ben" }), `Total memories: ${before + 1}`);
  const whole = (await run("count", {})).match(/\d+$/)[0];
  assert.match(await run("stats", {}), new RegExp(`Memories: +${whole}\\n.*Requests: +[2-9]\\n.*Responses: +1\\n.*Reasoning: +1\\n`, "s"));
  assert.match(await run("stats", { user: "ben" }), new RegExp(`Memories: +${before + 1}\\n.*Requests: +0\\n`, "s"));
  assert.match(await run("search", "Jana bees", { limit: "5" }), /Olomouc/);
  const own = createMemory(parseConfig({ url, apiKey: userKey, ownerUser: "anna", toolTimeoutMs: 60000 }), folder, undefined);
  const limited = commandsOf((program, print) => registerCommands(program, () => own, print), (line) => printed.push(line));
  await limited.stats({}); // with a key that is not an admin's
  assert.match(printed.at(-1), /Chunks: +0$/);
});

test("a reply is learned from together with the question of the turn before", whenServed, async () => {
  const question = "What's your sister's name?";
  await host.turn("Can you help me with a present for my sister?", { sessionId: "s9", answer: `Gladly. ${question}` });
  await host.turn("Eva", { sessionId: "s9" });
  const { memories } = await call("memory_recall", { query: "the name of my sister", limit: 100 });
  assert.ok(memories.some(({ content }) => content === `${question} Eva`), JSON.stringify(memories));
});
