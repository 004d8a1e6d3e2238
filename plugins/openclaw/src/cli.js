// `openclaw pgmem count | search | stats`.

import { harmless, percent } from "./words.js";

/** Adds the commands to the host's command line. */
export function registerCommands(program, memory, print = (line) => process.stdout.write(`${line}\n`)) {
  const pgmem = program.command("pgmem").description("Long-term memory kept by Recollect");
  pgmem
    .command("count")
    .description("Count stored memories")
    .option("--user <userId>", "Filter by user ID")
    .action((options) => guarded(() => count(memory(), options, print)));
  pgmem
    .command("search")
    .description("Search memories by meaning and words")
    .argument("<query>", "Search query text")
    .option("--limit <n>", "Maximum results", "5")
    .option("--user <userId>", "User ID; the owner's by default")
    .action((query, options) => guarded(() => search(memory(), query, options, print)));
  pgmem
    .command("stats")
    .description("Show conversation statistics")
    .action(() => guarded(() => stats(memory(), print)));
}

async function guarded(run) {
  try {
    await run();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

async function count({ client, config }, { user }, print) {
  const figures = user
    ? await client.call("GET", "/api/stats", { user })
    : (await client.call("GET", "/api/status", { user: config.ownerUser })).stats;
  print(`Total memories: ${figures.memories}`);
}

async function search({ client, config }, query, { limit, user }, print) {
  const most = Number(limit);
  if (!Number.isInteger(most) || most < 1 || most > 100) throw new Error(`--limit is ${limit}; it must be a whole number from 1 to 100`);
  const found = await client.call("GET", "/api/memories/search", { user: user ?? config.ownerUser, query: { query, limit: most, only_related: true } });
  if (!found.hits.length) print("No relevant memories found.");
  for (const hit of found.hits) print(`${hit.id}  [${hit.type}] ${harmless(hit.content)} (${percent(hit.score)})`);
}

async function stats({ client, config }, print) {
  const { stats: { memories, messages, files, chunks, users } } = await client.call("GET", "/api/status", { user: config.ownerUser });
  const rows = { Memories: memories, Messages: messages, Files: files, Chunks: chunks, Users: users };
  print("📊 Conversation Statistics:");
  for (const [name, value] of Object.entries(rows)) print(`   ${`${name}:`.padEnd(10)} ${value}`);
}
