// The plugin's settings: checked once, with defaults, and with ${VAR} taken from the environment.

import { homedir } from "node:os";
import { join } from "node:path";

import { isUser } from "./identity.js";

export const DEFAULT_URL = "http://127.0.0.1:8787";

const DATABASE = { host: "string", port: "number", database: "string", user: "string", password: "string", ssl: "boolean" };
const EMBEDDING = { provider: "string", model: "string", apiKey: "string", e5Endpoint: "string" };
const PROVIDERS = ["openai", "e5-local", "zai", "local", "e5", "ollama"];
const KEYS = {
  url: "string", apiKey: "string", apiKeyFile: "string", ownerUser: "string", users: "object",
  autoCapture: "boolean", autoRecall: "boolean", sessionSummaries: "boolean", zaiApiKey: "string",
  startService: "boolean", command: "string", database: "object", embedding: "object",
  recallTimeoutMs: "number", captureTimeoutMs: "number", toolTimeoutMs: "number", spoolDir: "string", spoolLimitMb: "number",
};

/** Gives the settings of what stands in the host's configuration. Throws an Error that names what is wrong. */
export function parseConfig(given, environ = process.env) {
  const raw = given ?? {};
  check(raw, KEYS, "recollect config");
  check(raw.database ?? {}, DATABASE, "database config");
  check(raw.embedding ?? {}, EMBEDDING, "embedding config");
  for (const [sender, user] of Object.entries(raw.users ?? {})) {
    if (typeof user !== "string" || !isUser(user)) throw new Error(`recollect config: users.${sender} must name a user`);
  }
  const config = substituted(raw, environ, SERVICE_ONLY);
  const provider = raw.embedding?.provider;
  if (provider !== undefined && !PROVIDERS.includes(provider)) throw new Error(`Unknown embedding provider: ${provider}`);
  return Object.freeze({
    url: address(config.url ?? DEFAULT_URL),
    apiKey: config.apiKey ?? "",
    apiKeyFile: atHome(config.apiKeyFile ?? ""),
    ownerUser: named(config.ownerUser ?? "owner"),
    users: Object.freeze({ ...(config.users ?? {}) }),
    autoCapture: config.autoCapture ?? true,
    autoRecall: config.autoRecall ?? true,
    sessionSummaries: config.sessionSummaries ?? false,
    startService: config.startService ?? false,
    command: atHome(config.command ?? "recollect"),
    service: serviceSettings(raw),
    recallTimeoutMs: bounded("recallTimeoutMs", config.recallTimeoutMs ?? 2500, 50, 14000),
    captureTimeoutMs: bounded("captureTimeoutMs", config.captureTimeoutMs ?? 10000, 50, 25000),
    toolTimeoutMs: bounded("toolTimeoutMs", config.toolTimeoutMs ?? 10000, 50, 60000),
    spoolDir: atHome(config.spoolDir ?? ""),
    spoolLimitMb: bounded("spoolLimitMb", config.spoolLimitMb ?? 64, 1, 10000),
  });
}

// These belong to the service: it gets them in its environment, so that no secret is put into a file by this plugin.
const SERVICE_ONLY = new Set(["database", "embedding", "zaiApiKey"]);

function serviceSettings(raw) {
  const settings = {};
  for (const name of ["database", "embedding", "autoCapture", "autoRecall", "sessionSummaries", "zaiApiKey"]) {
    if (raw[name] !== undefined) settings[name] = raw[name];
  }
  return Object.freeze(settings);
}

/** Gives the settings of a service that the plugin starts as environment variables. Throws for a ${VAR} that is not set. */
export function serviceEnvironment(settings, environ = process.env) {
  const { database, embedding = {}, zaiApiKey, ...others } = substituted(settings, environ);
  const named = { ...others, ...prefixed("embedding", { ...embedding, zaiApiKey }), ...(database && { database: databaseUrl(database) }) };
  const given = Object.entries(named).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(given.map(([name, value]) => [`RECOLLECT_${name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase()}`, String(value)]));
}

function prefixed(section, values) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${section}_${name}`, value]));
}

function databaseUrl({ host = "localhost", port = 5432, database, user = "", password = "", ssl = false }) {
  if (!database) throw new Error("recollect config: database.database is missing; name the PostgreSQL database");
  const login = password ? `${encodeURIComponent(user)}:${encodeURIComponent(password)}@` : user && `${encodeURIComponent(user)}@`;
  const server = host.includes(":") ? `[${host}]` : encodeURIComponent(host);
  return `postgresql://${login}${server}:${port}/${encodeURIComponent(database)}${ssl ? "?sslmode=require" : ""}`;
}

function check(value, known, what) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${what} must be an object`);
  const unknown = Object.keys(value).filter((name) => !(name in known));
  if (unknown.length) throw new Error(`${what} has unknown keys: ${unknown.join(", ")}`);
  for (const [name, kind] of Object.entries(known)) {
    const found = value[name];
    if (found !== undefined && typeof found !== kind) throw new Error(`${what}: ${name} must be a ${kind}, found ${typeof found}`);
  }
}

function substituted(value, environ, skipped = new Set()) {
  if (typeof value === "string") return value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name) => variable(name, environ));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, skipped.has(name) ? inner : substituted(inner, environ)]),
  );
}

function variable(name, environ) {
  const value = environ[name];
  if (value === undefined) throw new Error(`Environment variable ${name} is not set`);
  return value;
}

function address(url) {
  let parsed;
  try {
    parsed = new URL(url);
  } catch {
    throw new Error(`recollect config: url is "${url}"; it must be an address such as ${DEFAULT_URL}`);
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") throw new Error(`recollect config: url must begin with http:// or https://, found "${url}"`);
  if (parsed.username || parsed.password) throw new Error(`recollect config: url holds a login; give the bare address of ${parsed.host}, and the key as apiKey or apiKeyFile`);
  return url.replace(/\/+$/, "");
}

function atHome(path) {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}

function named(user) {
  if (!isUser(user)) throw new Error(`recollect config: ownerUser is ${JSON.stringify(user)}; it must name a user`);
  return user;
}

function bounded(name, value, least, most) {
  if (!Number.isFinite(value) || value < least || value > most) throw new Error(`recollect config: ${name} is ${value}; it must be between ${least} and ${most}`);
  return value;
}
