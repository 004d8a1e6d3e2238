import assert from "node:assert/strict";
import net from "node:net";
import { once } from "node:events";
import { test } from "node:test";

import * as recollect from "../index.js";
import { adminKey, freshUser, key, listen, passOn, url } from "./service.js";

const { Client } = recollect;

/** Expects an error of exactly this name, and returns it. */
async function failure(promise, name) {
  const error = await promise.then(() => assert.fail(`no ${name}`), (caught) => caught);
  assert.deepEqual([error.name, error.constructor.name], [name, name], error.stack);
  assert.ok(error instanceof recollect.RecollectError && error.message);
  return error;
}

async function unusedPort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

test("an address, a key or a time limit that cannot be one is refused at once", () => {
  for (const wrong of ["memory.db", "ftp://127.0.0.1", "http://a:b@127.0.0.1", undefined]) assert.throws(() => new Client(wrong, { key }), recollect.SettingsError);
  for (const wrong of [undefined, "", "rk_ä", "rk a"]) assert.throws(() => new Client(url, { key: wrong }), recollect.SettingsError);
  for (const wrong of [0, -1, Infinity, NaN, "soon"]) assert.throws(() => new Client(url, { key, timeoutMs: wrong }), recollect.SettingsError);
});

test("a service that is away is named", async () => {
  const away = new Client(`http://127.0.0.1:${await unusedPort()}`, { key });
  const error = await failure(away.me.remember("x"), "ServiceUnavailable");
  assert.match(error.message, /ECONNREFUSED.*recollect serve/);
  assert.ok(error.idempotencyKey && error.status === 0 && error.cause);
});

test("another program at the address is no service", async (t) => {
  for (const body of ["<html>", "[]", '{"name": "Qdrant"}']) {
    const other = await listen(t, (request, response) => response.end(body));
    assert.match((await failure(Client.open(other, { key }), "ServiceUnavailable")).message, /no Recollect service/);
  }
  const elsewhere = await listen(t, (request, response) => response.writeHead(302, { Location: url }).end());
  await failure(Client.open(elsewhere, { key }), "ServiceUnavailable");
});

test("a service of another version does not fit", async (t) => {
  const newer = await listen(t, (request, response) => response.end(JSON.stringify({ name: "Recollect", version: "9.1.0" })));
  assert.match((await failure(Client.open(newer, { key }), "VersionMismatch")).message, /9\.1\.0/);
});

test("a wrong key is refused at once, whatever the state of the service", async (t) => {
  const unknown = await failure(Client.open(url, { key: "rk_a_b" }), "UnknownKey");
  assert.equal(unknown.status, 401);
  await Client.open(url, { key });
  const unready = await listen(t, async (request, response) => {
    const answer = await passOn(request);
    response.writeHead(request.url === "/readyz" && answer.status === 200 ? 503 : answer.status).end(await answer.text());
  });
  await Client.open(unready, { key });
  await failure(Client.open(unready, { key: "rk_a_b" }), "UnknownKey");
});

test("a wrong key, and one that may not, are told apart", async () => {
  const unknown = await failure(new Client(url, { key: "rk_a_b" }).me.recall("x"), "UnknownKey");
  assert.ok(unknown instanceof recollect.AccessDenied);
  const forbidden = await failure(new Client(url, { key }).status(), "NotPermitted");
  assert.deepEqual([unknown.status, forbidden.status, forbidden.problem.status], [401, 403, 403]);
});

test("errors carry the problem document of the service", async () => {
  const me = freshUser();
  const missing = await failure(me.get("00000000-0000-7000-8000-000000000000"), "NotFound");
  assert.deepEqual([missing.status, missing.problem.detail], [404, missing.message]);
  assert.ok(missing.requestId && missing.problem.title && missing.idempotencyKey === undefined);
  const invalid = await failure(me.remember("x", { importance: 7 }), "InvalidInput");
  assert.equal(invalid.status, 422);
  const loop = {};
  loop.loop = loop;
  for (const fields of [{ occurred_at: new Date(NaN) }, { importance: NaN }, { metadata: loop }, { metadata: { big: 1n } }]) {
    await failure(me.remember("x", fields), "InvalidInput");
  }
  await failure(me.recall("x", { since: new Date(NaN) }), "InvalidInput");
  await failure(me.afterTurn([{ role: "user", content: "x" }]), "InvalidInput");
  assert.throws(() => me.conversation(".."), recollect.InvalidInput);
  for (const id of ["", ".", "..", undefined, "\ud800"]) await failure(me.get(id), "InvalidInput");
  for (const several of ["text", { content: "x" }, undefined]) await failure(me.rememberMany(several), "InvalidInput");
});

test("too many requests say how long to wait", async () => {
  const limited = new Client(process.env.RECOLLECT_LIMITED_URL, { key });
  await limited.me.stats();
  await limited.me.stats();
  const error = await failure(limited.me.stats(), "RateLimited");
  assert.ok(error.status === 429 && error.retryAfterMs >= 1000 && error instanceof recollect.StoreError);
});

test("statuses that the service gives in trouble have names", async (t) => {
  const names = { 409: "StaleVersion", 410: "AlreadyProcessed", 413: "InvalidInput", 500: "ServiceUnavailable", 503: "StoreUnavailable", 507: "QuotaExceeded" };
  const answering = await listen(t, (request, response) => {
    const status = Number(request.url.split("/").at(-1));
    response.writeHead(status, { "Retry-After": "3" }).end(JSON.stringify({ type: "about:blank", title: "No", status, detail: "Not now." }));
  });
  const { me } = new Client(answering, { key });
  for (const [status, name] of Object.entries(names)) {
    const error = await failure(me.get(status), name);
    assert.deepEqual([error.status, error.message, error.retryAfterMs], [Number(status), "Not now.", 3000]);
  }
});

test("a write with the same idempotency key is carried out once", async () => {
  const me = freshUser();
  const first = await me.remember("The kettle is red", {}, { idempotencyKey: "k1" });
  assert.deepEqual(await me.remember("The kettle is red", {}, { idempotencyKey: "k1" }), first);
  assert.equal(first.action, "created");
  await failure(me.remember("The kettle is blue", {}, { idempotencyKey: "k1" }), "InvalidInput");
  for (const idempotencyKey of ["ä", "a\nb", "日", ""]) await failure(me.remember("x", {}, { idempotencyKey }), "InvalidInput");
});

test("a write whose answer is lost is sent again and carried out once", async (t) => {
  let requests = 0;
  const losing = await listen(t, async (request, response) => {
    requests += 1;
    const answer = await passOn(request);
    const body = await answer.text();
    if (requests === 1) return response.destroy();
    return response.writeHead(answer.status, { "Content-Type": "application/json" }).end(body);
  });
  const me = new Client(losing, { key: adminKey, user: "lost answers" }).me;
  assert.equal((await me.remember("The kettle is red")).action, "created"); // a second one would be a duplicate
  assert.equal(requests, 2);
});

test("the key of a failed call repeats all its batches, which are carried out once", async (t) => {
  let requests = 0;
  const failing = await listen(t, async (request, response) => {
    requests += 1;
    const answer = await passOn(request);
    const isSecond = requests === 2;
    const body = isSecond ? '{"detail": "The service stops."}' : await answer.text();
    response.writeHead(isSecond ? 503 : answer.status, { "Content-Type": "application/json" }).end(body);
  });
  const me = new Client(failing, { key: adminKey, user: "batches" }).me;
  const texts = Array.from({ length: 110 }, (_, number) => `Box ${number} is green`);
  const { idempotencyKey } = await failure(me.rememberMany(texts), "StoreUnavailable");
  const stored = await me.rememberMany(texts, { idempotencyKey });
  assert.deepEqual([stored.length, new Set(stored.map((one) => one.action))], [110, new Set(["created"])]);
});

test("a call ends when its time is over, and when its caller aborts it", async (t) => {
  const silent = await listen(t, () => {});
  const { me } = new Client(silent, { key, timeoutMs: 50 });
  const late = await failure(me.remember("x"), "TimedOut");
  assert.ok(late instanceof recollect.ServiceUnavailable && late.idempotencyKey);
  await failure(me.recall("x", {}, { timeoutMs: 20 }), "TimedOut");
  const controller = new AbortController();
  const call = me.recall("x", {}, { signal: controller.signal, timeoutMs: 60_000 });
  controller.abort(new Error("The user left."));
  await assert.rejects(call, { message: "The user left." });
  await assert.rejects(me.recall("x", {}, { signal: AbortSignal.abort() }), { name: "AbortError" });
});
