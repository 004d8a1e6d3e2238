// A story for the TypeScript client that openapi-generator makes: store, recall, change, say, forget.
import { Configuration, ConversationsApi, MemoriesApi, ResponseError } from "./generated/index";

function expect(met: boolean, found: unknown): void {
  if (!met) throw new Error(JSON.stringify(found));
}

async function main(): Promise<void> {
  const settings = new Configuration({ basePath: process.env.SERVICE_URL, accessToken: process.env.SERVICE_KEY });
  const memories = new MemoriesApi(settings);
  const newMemoryBody = { content: "Prefers dark mode", subject: "editor", lat: 49.19, lng: 16.61 };
  const stored = await memories.storeMemory({ newMemoryBody });
  expect(stored.action === "created", stored);
  const found = await memories.searchMemories({ query: "dark mode", limit: 1 });
  expect(found.hits.length === 1 && found.hits[0].content === "Prefers dark mode" && found.hits[0].lat === 49.19, found);
  const changed = await memories.changeMemory({ id: stored.id!, memoryPatch: { importance: 0.9 } });
  expect(changed.importance === 0.9, changed);
  const said = await new ConversationsApi(settings).appendMessages({
    id: "c1",
    oneOrMoreMessages: { role: "user", content: "Hello" },
  });
  expect(said.results[0].action === "created", said);
  const forgotten = await memories.forget({ forgetBody: { id: changed.id } });
  expect(forgotten.action === "deleted", forgotten);
  const gone = await memories.getMemory({ id: changed.id }).catch((error: unknown) => error);
  expect(gone instanceof ResponseError && gone.response.status === 404, gone);
  console.log("done");
}

void main();
