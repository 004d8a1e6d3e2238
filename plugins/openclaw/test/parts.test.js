import assert from "node:assert/strict";
import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { registerCommands } from "../src/cli.js";
import { parseConfig, serviceEnvironment } from "../src/config.js";
import { createMemory } from "../src/plugin.js";
import { BackgroundService } from "../src/service.js";
import { Sessions } from "../src/sessions.js";
import { messagesOfTurn } from "../src/turns.js";
import { harmless, ownWords } from "../src/words.js";
import { commandsOf, ServiceDouble, temporaryFolder, until } from "./doubles.js";

test("settings have defaults, and ${VAR} comes from the environment", () => {
  const config = parseConfig({ apiKey: "${KEY}", database: { host: "h", password: "${NOT_SET_HERE}" } }, { KEY: "rk_1" });
  assert.deepEqual([config.url, config.apiKey, config.ownerUser, config.autoCapture, config.sessionSummaries], ["http://127.0.0.1:8787", "rk_1", "owner", true, false]);
  assert.equal(config.service.database.password, "${NOT_SET_HERE}"); // substituted when a service is started
});

for (const [given, message] of [
  [{ foo: 1, bar: 2 }, "recollect config has unknown keys: foo, bar"],
  [{ apiKey: "${MISSING}" }, "Environment variable MISSING is not set"],
  [{ embedding: { provider: "invalid" } }, "Unknown embedding provider: invalid"],
  [{ database: "x" }, "recollect config: database must be a object, found string"],
  [{ url: "nowhere" }, 'recollect config: url is "nowhere"; it must be an address such as http://127.0.0.1:8787'],
  [{ url: "https://me:secret@host" }, "recollect config: url holds a login; give the bare address of host, and the key as apiKey or apiKeyFile"],
  [{ ownerUser: "a\nb" }, 'recollect config: ownerUser is "a\\nb"; it must name a user'],
  [{ recallTimeoutMs: 1 }, "recollect config: recallTimeoutMs is 1; it must be between 50 and 14000"],
]) {
  test(`wrong settings are named: ${message}`, () => assert.throws(() => parseConfig(given, {}), { message }));
}

test("what the host adds is not what a person said", () => {
  assert.equal(ownWords("[Sun 2026-11-15 06:00 UTC] Hello"), "Hello");
  assert.equal(ownWords('<relevant-context id="a">x</relevant-context id="a">\n\nHello'), "Hello");
  assert.equal(ownWords("Sender: ⟦openclaw:ctx⟧\n```json\n{}\n```\nHello\n\nChat so far: ⟦openclaw:ctx⟧\nBob: my PIN is 1\n\nagain"), "Hello\n\nagain");
  assert.equal(ownWords("(session bootstrap)"), "");
  assert.equal(harmless("a\nb <<<END\u0000 </ relevant-context>"), "a ⏎ b ‹<<END ‹/ relevant-context>");
});

test("words that others say in the same turn are not the sender's", () => {
  const turn = { user: "telegram:5", said: "mine", id: "r:user", startedAt: 10, isDirect: false };
  const messages = [{ role: "user", content: "mine", timestamp: 11 }, { role: "user", content: "another's", timestamp: 12 }, { role: "assistant", content: "ok", timestamp: 13 }];
  assert.deepEqual(messagesOfTurn(turn, messages, "r").map(({ content }) => content), ["mine", "ok"]);
  assert.deepEqual(messagesOfTurn({ ...turn, isDirect: true }, messages, "r").length, 3);
  assert.deepEqual(messagesOfTurn(turn, [{ role: "user", content: "before", timestamp: 1 }], "r").map(({ content }) => content), ["mine"]);
});

test("sessions are known to the next process", async () => {
  const folder = await temporaryFolder();
  const opened = () => new Sessions({ file: join(folder, "sessions.json"), log: { warn: assert.fail }, now: () => 1e12 });
  const first = opened();
  assert.equal(first.enter("s1", "agent:main:s1", "owner"), "openclaw:s1");
  first.renew("s1");
  first.flush();
  const second = opened();
  assert.match(second.enter("s1", "agent:main:s1", "owner"), /^openclaw:s1:/);
  assert.equal(second.userOfKey("agent:main:s1"), "owner");
  second.enter("s1", "agent:main:s1", "telegram:5");
  assert.equal(second.userOfKey("agent:main:s1"), null);
  second.follow("s1", "s2");
  assert.deepEqual(second.find("s2").users, ["owner", "telegram:5"]);
  await rm(folder, { recursive: true });
});

test("a memory that may have been stored a day ago is not sent again", async () => {
  const folder = await temporaryFolder();
  const service = await new ServiceDouble({ "POST /x": {} }).start();
  let now = 1e12;
  const memory = createMemory(parseConfig({ url: service.url, apiKey: "k" }), folder, undefined, () => now);
  service.isSilent = true;
  await memory.spool.keep({ kind: "store", user: "u", path: "/x", body: { a: 1 } });
  await until(async () => {
    await memory.spool.deliver({ timeoutMs: 100 });
    return service.requests.length > 0;
  });
  const sent = service.requests.length;
  service.isSilent = false;
  now += 24 * 3600 * 1000;
  await memory.spool.deliver({ timeoutMs: 120_000 });
  assert.deepEqual([service.requests.length, await memory.spool.count()], [sent, 0]);
  await service.stop();
  await rm(folder, { recursive: true });
});

test("the background service says how to start one, or starts it", async () => {
  const folder = await temporaryFolder();
  const lines = [];
  const logger = { warn: (line) => lines.push(line), info: (line) => lines.push(line), debug() {} };
  const url = "http://127.0.0.1:9";
  const without = new BackgroundService(createMemory(parseConfig({ url }), folder, logger));
  without.start();
  await without.ready;
  await without.stop();
  assert.match(lines[0], /Start one with `recollect serve --host 127.0.0.1 --port 9`, or set startService/);
  const program = join(folder, "recollect");
  const keyFile = join(folder, "key");
  await writeFile(keyFile, "rk_first\n");
  await writeFile(join(folder, "service.json"), '{"database": {"password": "an older version wrote this"}}');
  await writeFile(program, `#!/bin/sh\necho "$@" > '${folder}/started'\n[ -n "$RECOLLECT_DATABASE" ] && echo "with a database$RECOLLECT_API_KEY" >> '${folder}/started'\necho '{"url": "${url}", "location": "here", "key_file": "${keyFile}"}'\nexec sleep 600\n`);
  await chmod(program, 0o755);
  const resolved = { database: { database: "memory", password: "hunter-two" }, embedding: { provider: "openai", apiKey: "sk-very-secret" } }; // as the host gives them
  const config = parseConfig({ url, startService: true, command: program, ...resolved });
  const memory = createMemory(config, folder, logger);
  const starting = new BackgroundService(memory);
  process.env.RECOLLECT_API_KEY = "of a caller";
  starting.start();
  await starting.ready;
  delete process.env.RECOLLECT_API_KEY;
  await starting.stop();
  assert.match(lines.at(-1), /^recollect: started/);
  const started = await readFile(join(folder, "started"), "utf8");
  assert.equal(started, "--json serve --host 127.0.0.1 --port 9\nwith a database\n");
  const written = await Promise.all((await readdir(folder)).filter((name) => name !== "spool").map((name) => readFile(join(folder, name), "utf8")));
  assert.ok(!/hunter-two|sk-very-secret|an older version/.test(written.join("\n")), "a secret is in a file");
  assert.equal(await memory.keys.secret(), "rk_first");
  assert.equal(await createMemory(config, folder, logger).keys.secret(), "rk_first", "another process, such as that of a command, has the key");
  await rm(folder, { recursive: true });
});

test("a service that is started gets its settings in its environment", () => {
  const given = parseConfig({ database: { host: "::1", database: "a b", user: "u@x", password: "p/@:${SECRET}", ssl: true }, embedding: { provider: "e5-local", apiKey: "k", e5Endpoint: "http://e5" }, zaiApiKey: "z", autoCapture: false }, {}).service;
  assert.deepEqual(serviceEnvironment(given, { SECRET: "s#" }), {
    RECOLLECT_DATABASE: "postgresql://u%40x:p%2F%40%3As%23@[::1]:5432/a%20b?sslmode=require", RECOLLECT_AUTO_CAPTURE: "false",
    RECOLLECT_EMBEDDING_PROVIDER: "e5-local", RECOLLECT_EMBEDDING_API_KEY: "k", RECOLLECT_EMBEDDING_E5_ENDPOINT: "http://e5", RECOLLECT_EMBEDDING_ZAI_API_KEY: "z",
  });
  assert.throws(() => serviceEnvironment(given, {}), { message: "Environment variable SECRET is not set" });
  assert.throws(() => serviceEnvironment({ database: {} }, {}), /name the PostgreSQL database/);
});

test("a key file that cannot be read is named, and no key at all says what to do", async () => {
  const folder = await temporaryFolder();
  const keys = (config) => createMemory(parseConfig(config), folder, undefined).keys;
  await assert.rejects(keys({}).secret(), /No key is configured/);
  await assert.rejects(keys({ apiKey: "rk_a b" }).secret(), /characters that no key has/);
  await assert.rejects(keys({ apiKeyFile: join(folder, "none") }).secret(), /The key file .*none cannot be read: ENOENT/);
  await rm(folder, { recursive: true });
});

test("commands print what the service counts", async () => {
  const service = await new ServiceDouble({
    "GET /api/stats": { memories: 15 },
    "GET /api/status": { stats: { memories: 42, messages: 9, requests: 4, responses: 3, reasoning: 2, files: 7, chunks: 156, users: 3 } },
    "GET /api/memories/search": { hits: [{ id: "m1", type: "fact", content: "Tea", score: 0.5 }] },
  }).start();
  const folder = await temporaryFolder();
  const memory = createMemory(parseConfig({ url: service.url, apiKey: "k" }), folder, undefined);
  const printed = [];
  const actions = commandsOf((program, print) => registerCommands(program, () => memory, print), (line) => printed.push(line));
  await actions.count({});
  await actions.count({ user: "user123" });
  await actions.search("tea", { limit: "3" });
  await actions.stats({});
  assert.deepEqual(printed.slice(0, 3), ["Total memories: 42", "Total memories: 15", "m1  [fact] Tea (50%)"]);
  assert.deepEqual(printed.slice(3, 6), ["📊 Conversation Statistics:", "   Memories:  42", "   Messages:  9"]);
  assert.deepEqual(printed.slice(6), ["   Requests:  4", "   Responses: 3", "   Reasoning: 2", "   Files:     7", "   Chunks:    156", "   Users:     3"]);
  await service.stop();
  await rm(folder, { recursive: true });
});
