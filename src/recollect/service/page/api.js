// Requests to the service. The session is in a cookie that no script can read; its token goes with every change.

import { zone } from "./dates.js";

export class Problem extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

const state = { csrf: "", user: "" };

export function actFor(user) {
  state.user = user;
}

export function hasToken(csrf) {
  state.csrf = csrf;
}

async function request(method, path, { query, body, bytes, scope, binary } = {}) {
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== "" && value !== null) url.searchParams.set(name, value);
  }
  const headers = { Accept: "application/json" };
  if (method !== "GET") headers["X-Recollect-CSRF"] = state.csrf;
  if (state.user) headers["X-Recollect-User"] = latin1(state.user);
  if (scope) headers["X-Recollect-Scope"] = latin1(scope);
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (bytes !== undefined) headers["Content-Type"] = "application/octet-stream";
  let answer;
  try {
    answer = await fetch(url, { method, headers, body: bytes ?? (body === undefined ? undefined : JSON.stringify(body)) });
  } catch {
    throw new Problem(0, "The service does not answer.");
  }
  if (!answer.ok) {
    const told = await answer.json().catch(() => ({}));
    throw new Problem(answer.status, told.detail ?? answer.statusText);
  }
  if (binary) return answer.blob();
  return answer.status === 204 ? null : answer.json();
}

// A header takes bytes as characters; names are in UTF-8.
const latin1 = (text) => String.fromCharCode(...new TextEncoder().encode(text));

const named = (id) => encodeURIComponent(id);

const talk = (id) => `/api/conversations/${id.split("/").map(named).join("/")}`;

export const api = {
  session: () => request("GET", "/api/session"),
  logIn: (secret) => request("POST", "/api/session", { body: { secret } }),
  logOut: () => request("DELETE", "/api/session"),
  sessions: () => request("GET", "/api/sessions"),
  endSession: (id) => request("DELETE", `/api/sessions/${named(id)}`),

  recall: (query) => request("GET", "/api/memories/search", { query: { ...query, whole: true } }),
  searchAll: (body) => request("POST", "/api/context/search", { body }),
  memories: (query) => request("GET", "/api/memories", { query }),
  memory: (id) => request("GET", `/api/memories/${named(id)}`),
  reveal: (id) => request("GET", `/api/memories/${named(id)}`, { query: { reveal: true } }),
  history: (id) => request("GET", `/api/memories/${named(id)}/history`),
  origins: (id) => request("GET", `/api/memories/${named(id)}/origins`),
  around: (id) => request("GET", `/api/messages/${named(id)}/around`, { query: { before: 3, after: 3 } }),
  originals: (id) => request("GET", `/api/messages/${named(id)}/originals`),
  doubts: () => request("GET", "/api/facts/doubts"),
  settle: (id) => request("POST", "/api/facts/settle", { body: { id } }),
  similar: (id) => request("GET", `/api/memories/${named(id)}/similar`, { query: { limit: 5 } }),
  clusters: (query) => request("GET", "/api/memories/clusters", { query }),
  merge: (id, into) => request("POST", `/api/memories/${named(id)}/merge`, { body: { into } }),
  remember: (body) => request("POST", "/api/memories/unified", { body }),
  change: (id, body) => request("PATCH", `/api/memories/${named(id)}`, { body }),
  forget: (body) => request("POST", "/api/forget", { body }),
  facts: (query) => request("GET", "/api/facts", { query }),
  preferences: (query) => request("GET", "/api/preferences", { query }),

  timeline: (query) => request("GET", "/api/timeline", { query: { ...query, zone: zone() } }),
  messages: (query) => request("GET", "/api/messages", { query }),

  files: (query) => request("GET", "/api/files", { query }),
  file: (id) => request("GET", `/api/files/${named(id)}`),
  fileText: (id, lines) => request("GET", `/api/files/${named(id)}/text`, { query: { lines } }),
  chunks: (id) => request("GET", `/api/files/${named(id)}/chunks`, { query: { limit: 100 } }),
  addFile: (file) => request("POST", "/api/files", { query: { name: file.name }, bytes: file }),

  media: (original, scope) => request("GET", `/api/media/${named(original)}`, { scope, binary: true }),

  conversations: (query) => request("GET", "/api/conversations", { query }),
  conversation: (id, query) => request("GET", talk(id), { query }),
  summary: (id) => request("GET", `${talk(id)}/summary`),
  window: (id) => request("GET", `${talk(id)}/window`),
  learned: (id) => request("GET", `${talk(id)}/learned`),
  setPrivate: (id, on) => request("PUT", `${talk(id)}/private`, { body: { private: on } }),

  insights: () => request("GET", "/api/insights"),
  tidy: () => request("GET", "/api/tidy"),
  applyTidying: (apply) => request("POST", "/api/tidy", { body: { apply } }),
  keys: () => request("GET", "/api/admin/keys"),
  allScopes: () => request("GET", "/api/admin/scopes"),
  audit: () => request("GET", "/api/admin/audit", { query: { last: 50 } }),
  places: (query) => request("GET", "/api/places", { query }),
  within: (query) => request("GET", "/api/places/within", { query }),

  stats: () => request("GET", "/api/stats"),
  status: () => request("GET", "/api/status"),
};
