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
    .option("--user <userId>", "Filter by user ID")
    .action((options) => guarded(() => stats(memory(), options, print)));
}

async function guarded(run) {
  try {
    await run();
  } catch (error) {
    const advice = error.kind === "away" ? " Start it with `recollect serve`, or the gateway if that starts it." : "";
    process.stderr.write(`${error.message}${advice}\n`);
    process.exitCode = 1;
  }
}

async function count(memory, { user }, print) {
  print(`Total memories: ${(await figuresOf(memory, user)).memories}`);
}

/** Gives the figures of a user, or of all; with a key that is not an admin's, those of the owner. */
async function figuresOf({ client, config }, user) {
  if (!user) {
    try {
      return (await client.call("GET", "/api/status")).stats;
    } catch (error) {
      if (error.status !== 403) throw error;
    }
  }
  return client.call("GET", "/api/stats", { user: user || config.ownerUser });
}

async function search({ client, config }, query, { limit, user }, print) {
  const most = Number(limit);
  if (!Number.isInteger(most) || most < 1 || most > 100) throw new Error(`--limit is ${limit}; it must be a whole number from 1 to 100`);
  if (!query.trim()) throw new Error("The query is empty; say what to look for");
  const found = await client.call("GET", "/api/memories/search", { user: user ?? config.ownerUser, query: { query, limit: most, only_related: true } });
  if (!found.hits.length) print("No relevant memories found.");
  for (const hit of found.hits) print(`${hit.id}  [${hit.type}] ${harmless(hit.content)} (${percent(hit.score)})`);
}

async function stats(memory, { user }, print) {
  const figures = await figuresOf(memory, user);
  print("📊 Conversation Statistics:");
  for (const name of ["memories", "messages", "requests", "responses", "reasoning", "files", "chunks", "users"]) {
    if (figures[name] !== undefined) print(`   ${`${name[0].toUpperCase()}${name.slice(1)}:`.padEnd(10)} ${figures[name]}`);
  }
}
