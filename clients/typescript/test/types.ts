// What the types allow and refuse; the compiler reads this, nothing runs it.

import { Client, RateLimited, StaleVersion, type Hit, type Memory, type Remembered } from "recollect-client";

const client: Client = await Client.open("http://127.0.0.1:8787", { key: "rk_a_b", user: "anna", timeoutMs: 1000 });
const { me } = client;
const made: Remembered = await me.remember("Prefers dark mode", { type: "preference", occurred_at: new Date() }, { idempotencyKey: "k" });
const many: Remembered[] = await me.rememberMany(["a", { content: "b", subject: "c" }]);
const hits: Hit[] = (await me.recall("theme", { type: ["fact"], since: "2026-03-01T00:00:00Z" }, { signal: AbortSignal.timeout(5) })).hits;
const record: Memory = await me.get(made.id);
await me.update(record.id, { importance: 0.9, lat: null, lng: null }, { ifMatch: record });
const preview: "deleted" | "would_delete" | "not_found" | "candidates" = (await me.forget({ query: "theme", dry_run: true })).action;
const values: string[] = (await me.facts("editor", { key: "theme" })).map((fact) => fact.value);
await me.facts.set("editor", "theme", "dark", { confidence: 0.9, content: "The editor is dark" });
await me.events.log("Garage opened", { participants: ["Anna"] });
await me.remember("The sofa", { media: [await me.media.add(new Uint8Array([1]), { caption: "Velvet" })] });
await me.conversation("c1").append("user", [{ type: "text", text: "Hello" }]);
const block: string = (await me.beforePrompt("Which theme?", { session: "s1" })).block;
await me.afterTurn([{ role: "user", content: "Dark, please." }], { session: "s1" });
const backend: string = (await client.status()).backend;

try {
  await client.user("jiří").searchContext("theme", { sources: ["memory", "request"] });
} catch (error) {
  if (error instanceof RateLimited) console.log(error.retryAfterMs + 1);
  if (error instanceof StaleVersion) console.log(error.problem?.detail);
}

// @ts-expect-error a client needs a key
new Client("http://127.0.0.1:8787", {});
// @ts-expect-error there is no such type of memory
await me.remember("x", { type: "opinion" });
// @ts-expect-error a field is misspelt
await me.recall("x", { minScore: 0.5 });
// @ts-expect-error a turn has a session
await me.afterTurn([{ role: "user", content: "x" }]);
// @ts-expect-error only update takes ifMatch
await me.forget("id", { ifMatch: record });
// @ts-expect-error a summary is written by the service
await me.conversation("c1").append("summary", "x");

export { backend, block, hits, many, preview, values };
