import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, InvalidInput, NotFound, StaleVersion } from "../index.js";
import { adminKey, freshUser, key, url } from "./service.js";

test("a memory is stored, found, read, changed, rated and listed", async () => {
  const me = freshUser();
  const made = await me.remember("Prefers dark mode", { type: "preference", importance: 0.8, occurred_at: new Date("2026-03-01T12:00:00Z") });
  assert.equal(made.action, "created");
  assert.equal((await me.remember("Prefers dark mode", { type: "preference" })).action, "duplicate");
  const { hits, degraded } = await me.recall("dark mode", { limit: 1, type: ["preference", "fact"], since: new Date(0) });
  assert.deepEqual([hits.map((hit) => hit.id), degraded], [[made.id], []]);
  assert.equal((await me.recall("dark mode", { whole: true })).hits[0].item.importance, 0.8);
  const record = await me.get(made.id);
  assert.deepEqual([record.content, Date.parse(record.occurred_at)], ["Prefers dark mode", Date.parse("2026-03-01T12:00:00Z")]);
  assert.equal((await me.update(made.id, { importance: 0.9 })).importance, 0.9);
  assert.equal((await me.rate(made.id, 1, { comment: "right" })).metadata.feedback, 1);
  assert.ok((await me.history(made.id)).length >= 1);
  assert.deepEqual((await me.similar(made.id, { limit: 3 })).hits, []);
  assert.equal((await me.stats()).memories, 1);
  const [bucket, ...others] = await me.events.timeline({ unit: "month", zone: "Europe/Prague" });
  assert.deepEqual([bucket.start, bucket.memories, others], ["2026-02-28T23:00:00Z", 1, []]);
  const { coverage, log } = await me.insights({ days: 7 });
  assert.deepEqual([coverage.map(({ kind, type, items }) => [kind, type, items]), log], [[["memory", "preference", 1]], "off"]);
});

test("an answer names the secrets that were left out, and kept ones are asked for", async () => {
  const me = freshUser();
  const made = await me.remember("The gate code is 4711");
  assert.deepEqual([made.left_out, made.kept_secret], [["access code"], []]);
  const record = await me.get(made.id, { reveal: true });
  assert.deepEqual([record.content, record.left_out], ["The gate code is [redacted: access code]", ["access code"]]);
});

test("a picture is sent, found by its caption, and read back", async () => {
  const me = freshUser();
  const bytes = new TextEncoder().encode("ID3 a sound");
  const media = await me.media.add(bytes, { transcript: "Water the begonias" });
  assert.deepEqual([media.kind, media.mime], ["audio", "audio/mpeg"]);
  const { id } = await me.remember("A message from home", { media: [media, { url: "https://example.org/a.png", caption: "The gate" }] });
  const [hit] = (await me.recall("begonias")).hits;
  assert.deepEqual([hit.id, hit.media[0].original, hit.media[1].kind], [id, media.original, "image"]);
  assert.deepEqual(await me.media.original(media.original), bytes);
  await me.forget(id);
  await assert.rejects(me.media.original(media.original), NotFound);
  await assert.rejects(me.media.add("text"), InvalidInput);
});

test("a time is said in words, on the clock that a call names", async () => {
  const client = await Client.open(url, { key });
  await client.me.events.log("The owls called at night");
  const later = { zone: "Pacific/Kiritimati" };
  for (const call of [{}, later]) {
    assert.equal((await client.me.recall("owls", { when: "today" }, call)).hits.length, 1);
    assert.equal((await client.me.recall("owls", { until: "2d" }, call)).hits.length, 0);
  }
  await assert.rejects(client.me.recall("owls", {}, { zone: "Mars" }), { name: "InvalidInput" });
});

test("what says nothing is suggested, and goes when it is named", async () => {
  const me = freshUser();
  const made = await me.remember("ok");
  const { suggestions } = await me.tidy({ rule: ["short", "noise"] });
  assert.deepEqual(suggestions.map(({ rule, action, id }) => [rule, action, id]), [["short", "forget", made.id]]);
  assert.deepEqual((await me.applyTidying([made.id])).forgotten, [made.id]);
  await assert.rejects(me.get(made.id), NotFound);
});

test("many memories are stored in batches and listed in pages", async () => {
  const me = freshUser();
  const stored = await me.rememberMany([...Array.from({ length: 101 }, (_, number) => `Box ${number} is blue`), { content: "Runs on Sundays", subject: "sport" }]);
  assert.deepEqual([stored.length, new Set(stored.map((one) => one.action))], [102, new Set(["created"])]);
  const first = await me.list({ limit: 100 });
  const second = await me.list({ limit: 100, cursor: first.cursor });
  assert.equal(new Set([...first.items, ...second.items].map((one) => one.id)).size, 102);
  assert.deepEqual((await me.list({ subject: "sport" })).items.map((one) => one.content), ["Runs on Sundays"]);
});

test("forgetting by query shows what it means before it does it", async () => {
  const me = freshUser();
  const made = await me.remember("The safe is behind the mirror");
  const shown = await me.forget({ query: "behind the mirror" });
  assert.deepEqual([shown.action, shown.candidates.map(({ id }) => id)], ["candidates", [made.id]]);
  const preview = await me.forget({ query: "behind the mirror", all: true, documents: "keep", dry_run: true });
  assert.deepEqual([preview.action, preview.ids], ["would_delete", [made.id]]);
  assert.equal((await me.get(made.id)).id, made.id);
  const gone = await me.forget({ query: "The safe is behind the mirror" });
  assert.deepEqual([gone.action, gone.items[0].text], ["deleted", "The safe is behind the mirror"]);
  await assert.rejects(me.get(made.id), NotFound);
  const other = await me.remember("The kettle is red");
  assert.equal((await me.forget(other.id)).action, "deleted");
  assert.equal((await me.stats()).memories, 0);
});

test("forgetting without a target is refused and forgets nothing", async () => {
  const me = freshUser();
  await me.remember("The kettle is red");
  for (const target of [undefined, null, "", {}, { id: undefined }, 7]) await assert.rejects(me.forget(target), InvalidInput);
  assert.equal((await me.stats()).memories, 1);
});

test("facts, preferences, events, lessons and instructions are stored and listed", async () => {
  const me = freshUser();
  await me.facts.set("light.office", "location", "home office", { confidence: 0.9 });
  assert.equal((await me.facts.set("light.office", "location", "attic")).action, "superseded");
  assert.deepEqual((await me.facts("light.office", { key: "location" })).map((fact) => fact.value), ["attic"]);
  await me.preferences.set("lighting", "evening_brightness", "40%", { context: "after_sunset" });
  assert.equal((await me.preferences("lighting"))[0].value, "40%");
  await me.events.log("Garage door opened", { entity: "garage", participants: ["Anna"] });
  assert.equal((await me.events({ entity: "garage" })).length, 1);
  await me.lessons.add("Ask before restarting the router", { context: "home" });
  assert.equal((await me.lessons({ context: "home" })).length, 1);
  await me.instructions.add("Answer in German");
  assert.equal((await me.instructions()).length, 1);
  assert.equal((await me.facts()).length, 1);
  const { id } = await me.facts.set("light.office", "location", "cellar", { source: "inferred" });
  assert.deepEqual((await me.facts.doubts("light.office")).map((doubt) => doubt.contradicted_by.id), [id]);
  assert.equal((await me.facts.settle((await me.facts())[0].id)).value, "attic");
  assert.deepEqual(await me.facts.doubts(), []);
  assert.deepEqual((await me.about("light.office")).facts.map((fact) => fact.value), ["attic"]);
});

test("a conversation is appended to, read, windowed and searched", async () => {
  const me = freshUser();
  const conversation = me.conversation("talk/1 ä?");
  assert.deepEqual([await conversation.info(), await conversation.messages()], [null, []]);
  const said = await conversation.append("user", "Where is the blue suitcase?", { id: "m1", speaker: "Anna" });
  assert.equal(said.action, "created");
  assert.equal((await conversation.append("user", "Where is the blue suitcase?", { id: "m1" })).action, "duplicate");
  await conversation.extend([{ role: "assistant", content: "In the attic." }, { role: "user", content: [{ type: "text", text: "Thanks" }] }]);
  assert.equal((await conversation.info()).messages, 3);
  const messages = await conversation.messages({ limit: 2 });
  assert.deepEqual(messages.map((message) => message.content), ["In the attic.", "Thanks"]);
  assert.equal((await conversation.messages({ before: messages[0].sequence })).length, 1);
  assert.equal((await conversation.window({ max_tokens: 1000 })).messages.length, 3);
  assert.ok((await conversation.compact({ keep_recent: 1 })).action);
  assert.deepEqual((await me.conversations()).items.map((one) => one.id), ["talk/1 ä?"]);
  const found = await me.searchContext("blue suitcase", { sources: ["request"], limit: 3 });
  assert.equal(found.hits[0].id, said.id);
});

test("a turn is learned from, and recalled before the next prompt", async () => {
  const me = freshUser();
  const turn = await me.afterTurn(
    [{ role: "user", content: "My name is Anna. I moved to Brno last week." }, { role: "assistant", content: "Welcome to Brno!" }],
    { session: "s1" },
  );
  assert.equal(turn.saved, 2);
  assert.ok(turn.captured.length > 0);
  const prompt = await me.beforePrompt("Which tram takes me home?", { session: "s2", max_tokens: 500 });
  assert.match(prompt.block, /Brno/);
  assert.ok(prompt.message_id);
  assert.equal(typeof (await me.startSession("kitchen")).block, "string");
  assert.equal(await me.endSession("s1"), null);
});

test("users are apart, and an admin names them as they are written", async () => {
  const admin = await Client.open(url, { key: adminKey });
  const [jiri, anna] = [admin.user("jiří"), admin.user("anna 2")];
  await jiri.remember("Likes tea");
  assert.deepEqual([(await jiri.stats()).memories, (await anna.stats()).memories], [1, 0]);
  for (const name of ["", " jiří", undefined]) assert.throws(() => admin.user(name), InvalidInput);
  assert.throws(() => new Client(url, { key: adminKey, user: "" }), InvalidInput);
  assert.equal((await admin.status()).version, (await import("../index.js")).VERSION);
  const own = await Client.open(url, { key });
  assert.equal((await own.me.remember("The key's own user")).action, "created");
});

test("a shared scope is opened by its members only", async () => {
  const admin = await Client.open(url, { key: adminKey });
  const [me, other] = [freshUser(), freshUser()];
  const headers = { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" };
  const member = `${url}/api/admin/scopes/family/members/${encodeURIComponent(me.userId)}`;
  await fetch(member, { method: "PUT", headers, body: JSON.stringify({ role: "writer" }) });
  assert.deepEqual((await me.scopes()).map(({ scope, role }) => [scope, role]), [["family", "writer"]]);
  const family = await me.scope("family");
  await family.remember("The family cooks a roast on Sundays");
  const { hits } = await me.recall("roast");
  assert.deepEqual([hits[0].scope, hits[0].metadata.author], ["family", me.userId]);
  assert.equal((await me.recall("roast", { scopes: ["none"] })).hits.length, 0);
  await assert.rejects(other.scope("family"), NotFound);
  for (const name of ["", undefined]) await assert.rejects(me.scope(name), InvalidInput);
  assert.equal((await admin.user(me.userId).stats()).memories, 0);
});

test("a change is refused when the memory is not what the caller saw", async () => {
  const me = freshUser();
  const { id } = await me.remember("The kettle is red");
  const seen = await me.get(id);
  const changed = await me.update(id, { importance: 0.9 }, { ifMatch: seen });
  await assert.rejects(me.update(id, { importance: 0.1 }, { ifMatch: seen }), (error) => error instanceof StaleVersion && error.status === 412);
  assert.equal((await me.update(changed.id, { importance: 0.2 }, { ifMatch: changed })).importance, 0.2);
  await assert.rejects(me.update(id, { importance: 0.1 }, { ifMatch: { ...seen } }), InvalidInput);
  await assert.rejects(me.forget(id, { ifMatch: seen }), InvalidInput);
});
