// What the service answers. Times are strings as in JSON (RFC 3339); fields that can be absent are optional.

import type { MemoryType, Source } from "./inputs.js";

/** A picture, sound, film or document of a memory or message. */
export interface Media {
  kind: "image" | "audio" | "video" | "document";
  url: string;
  original: string;
  mime: string;
  size: number | null;
  duration_s: number | null;
  width: number | null;
  height: number | null;
  caption: string;
  alt: string;
  transcript: string;
  exif: string;
  lat: number | null;
  lng: number | null;
}

/** A memory as it is stored. */
export interface Memory {
  id: string;
  type: MemoryType;
  content: string;
  subject: string;
  key: string;
  value: string;
  context: string;
  importance: number;
  confidence: number;
  source: string;
  trust: number;
  session: string;
  occurred_at: string | null;
  valid_from: string;
  valid_until: string | null;
  superseded_by: string | null;
  expires_at: string | null;
  lat: number | null;
  lng: number | null;
  address: string;
  place_label: string;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
  media: Media[];
  left_out?: string[] | null;
  kept_secret?: string[] | null;
}

/** A page of memories; `cursor` gives the next. */
export interface MemoryPage {
  items: Memory[];
  cursor?: string | null;
}

/** What became of a memory that was to be stored. */
export interface Remembered {
  action: "created" | "duplicate" | "superseded" | "outranked" | "doubted" | "forgotten";
  id: string;
  existing_id?: string | null;
  degraded?: string[];
  /** The kinds of secrets, such as "access code", that were not kept. */
  left_out?: string[];
  /** The kinds of secrets that were kept, encrypted. */
  kept_secret?: string[];
  /** What a memory that was there took over from a repetition, as `place` or `expires_at`. */
  taken_over?: string[];
}

/** Where something was. */
export interface Place {
  lat: number | null;
  lng: number | null;
  address: string;
  label: string;
}

/** What the place did to a score. */
export interface PlaceShare {
  weight: number;
  content: number;
  geo: number;
  distance_km: number | null;
  nearness: number | null;
  likeness: number | null;
  fit: number;
  least: number;
}

/** What the reranker did to a score. */
export interface RerankShare {
  score: number;
  before: number;
  after: number;
}

/** What one channel found. */
export interface ChannelPart {
  rank: number | null;
  raw: number;
  score: number;
  weight: number;
}

/** How a score came about. */
export interface ScoreParts {
  channels: Record<string, ChannelPart>;
  relevance: number;
  factors: Record<string, number>;
  place: PlaceShare | null;
  rerank: RerankShare | null;
}

/** A part of a file. */
export interface Chunk {
  id: string;
  file_id: string;
  content: string;
  heading: string;
  start_line: number;
  end_line: number;
  start_column: number;
  role: string;
  trust: number;
  dated_at: string | null;
  created_at: string;
  root: string;
  path: string;
  source: "memory" | "sessions" | "document";
  kind: "markdown" | "text" | "code" | "session" | "pdf" | "html" | "docx" | "email" | "csv" | "image";
  lat: number | null;
  lng: number | null;
}

/** A member of a shared scope. */
export interface Membership {
  scope: string;
  user_id: string;
  role: "reader" | "writer";
  added_at: string;
  added_by: string;
}

/** Something that a search found. `item` and `score_parts` come with `whole`. */
export interface Hit {
  id: string;
  source: Source;
  type: string;
  content: string;
  score: number;
  similarity: number | null;
  created_at: string;
  occurred_at: string | null;
  place: Place | null;
  trust: number;
  metadata: Record<string, unknown>;
  folded: string[];
  /** The shared scope that it is from; empty for the user's own memory. */
  scope: string;
  conversation?: string | null;
  subject?: string | null;
  key?: string | null;
  value?: string | null;
  context?: string | null;
  confidence?: number | null;
  learned_from?: string | null;
  participants?: string[] | null;
  media?: Media[] | null;
  speaker?: string | null;
  channel?: string | null;
  lat?: number | null;
  lng?: number | null;
  address?: string | null;
  place_label?: string | null;
  distance_km?: number | null;
  place_share?: PlaceShare | null;
  reranked?: RerankShare | null;
  item?: Memory | Message | Chunk | null;
  score_parts?: ScoreParts | null;
}

/** What the reranker read. */
export interface Reranking {
  model: string;
  scored: number;
  skipped: string;
}

/** The hits of a search, best first. `degraded` names what the search had to do without. */
export interface Recall {
  hits: Hit[];
  degraded: string[];
  answerable: number;
  reranking?: Reranking | null;
}

/** A group of similar memories, and where to draw it in a square from 0 to 1. */
export interface Cluster {
  terms: string[];
  size: number;
  members: Memory[];
  x: number;
  y: number;
  radius: number;
}

/** Two memories that say the same: the one to keep, and the one to merge into it. */
export interface DuplicatePair {
  keep: Memory;
  repeat: Memory;
  similarity: number;
}

/** Groups of similar memories, the largest first, and memories that say the same. */
export interface Clusters {
  clusters: Cluster[];
  duplicates: DuplicatePair[];
  memories: number;
  grouped: number;
  total: number;
  found_at: string;
  degraded: string[];
}

/** What is known about a topic. */
export interface About {
  topic: string;
  subjects: string[];
  facts: Memory[];
  preferences: Memory[];
  events: Memory[];
  lessons: Memory[];
  hits: Hit[];
  degraded: string[];
}

/** One thing that was deleted or rewritten, or would be. */
export interface ForgottenItem {
  kind: "memory" | "version" | "message" | "summary" | "file" | "document";
  id: string;
  fate: "deleted" | "rewritten" | "remade" | "kept";
  text: string;
  path: string;
  created_at: string | null;
}

/** What a `forget` did, or would do. */
export interface Forgotten {
  action: "deleted" | "would_delete" | "not_found" | "candidates";
  ids: string[];
  candidates: Hit[];
  dry_run: boolean;
  messages: number;
  files?: number;
  rewritten: string[];
  items: ForgottenItem[];
  sources: string[];
  receipt?: Record<string, unknown> | null;
}

/** A call of a tool in a message. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** A message as it is stored. */
export interface Message {
  id: string;
  conversation: string;
  external_id: string;
  sequence: number;
  role: "user" | "assistant" | "system" | "tool" | "reasoning" | "summary";
  speaker: string;
  content: string;
  blocks: Record<string, unknown>[];
  tool_calls: ToolCall[];
  tool_call_id: string;
  tokens: number;
  status: "active" | "compacted" | "archived";
  trust: number;
  model: string;
  input_tokens: number | null;
  output_tokens: number | null;
  thinking_tokens: number | null;
  feedback: number | null;
  metadata: Record<string, unknown>;
  said_at: string;
  created_at: string;
  lat: number | null;
  lng: number | null;
  address: string;
  place_label: string;
  media: Media[];
}

/** What became of a message. */
export interface Appended {
  action: "created" | "duplicate" | "skipped" | "forgotten";
  id: string | null;
  left_out: string[];
}

/** The statistics of a conversation. */
export interface ConversationInfo {
  id: string;
  private: boolean;
  messages: number;
  active_messages: number;
  tokens: number;
  active_tokens: number;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
}

/** How much there is about an hour, a day, a month or a year, from `start` to before `until`. */
export interface TimelineBucket {
  start: string;
  until: string;
  events: number;
  memories: number;
  messages: number;
  files: number;
}

/** A memory that was captured from messages of a conversation, and the ids of these. */
export interface TaughtMemory {
  memory: Memory;
  message_ids: string[];
}

/** A page of conversations. */
export interface ConversationPage {
  items: ConversationInfo[];
  cursor?: string | null;
}

/** What to show a model of a conversation. */
export interface Window {
  messages: Message[];
  tokens: number;
  omitted: number;
}

/** What a compaction did. */
export interface Compaction {
  action: "compacted" | "unchanged" | "busy" | "failed";
  summary: Message | null;
  folded: number;
  tokens_before: number;
  tokens_after: number;
  summarizer: string;
  reason: string;
  degraded: string[];
}

/** What to put before a prompt: `block`, and the hits it was made from. */
export interface PromptContext {
  block: string;
  hits: Hit[];
  message_id: string | null;
  degraded: string[];
}

/** What was saved and learned of a turn. */
export interface TurnOutcome {
  saved: number;
  captured: Remembered[];
  events: Remembered[];
  compaction: Compaction | null;
  degraded: string[];
  left_out: string[];
}

/** What a user has stored. */
export interface UserStats {
  memories: number;
  by_type: Record<string, number>;
  superseded: number;
  expired: number;
  with_vector: number;
  messages: number;
  pending_jobs: number;
  parked_jobs: number;
  oldest: string | null;
  newest: string | null;
  files?: number;
  chunks?: number;
  cache?: Record<string, number>;
  requests?: number;
  responses?: number;
  reasoning?: number;
  searches?: Record<string, unknown>[];
}

/** A query, how often it was asked, how often without an answer, and when last. */
export interface QueryFigures {
  query: string;
  searches: number;
  unanswered: number;
  last_at: string;
}

/** Something that was recalled, how often, and when last. */
export interface RecalledItem {
  source: Source;
  id: string;
  content: string;
  times: number;
  last_at?: string | null;
}

/** What is asked of a user's memory, and what it holds. */
export interface Insights {
  since: string;
  log: "off" | "counts" | "queries";
  searches: Record<string, unknown>[];
  popular: QueryFigures[];
  unanswered: QueryFigures[];
  agents: { agent: string; searches: number; last_at: string }[];
  degraded: Record<string, number>;
  often: RecalledItem[];
  never: RecalledItem[];
  unrecalled: number | null;
  coverage: { kind: "memory" | "message" | "chunk"; type: string; items: number; vectors: number }[];
  growth: { month: string; memories: number; messages: number; chunks: number }[];
  waiting: number;
  parked: number;
  model: string;
}

export type TidyRule = "noise" | "short" | "system" | "old_chat";

/** Something that could go. */
export interface TidySuggestion {
  rule: TidyRule;
  action: "forget" | "archive";
  source: "memory" | "message" | "conversation";
  id: string;
  content: string;
  created_at: string;
}

/** What could go, or the ids of what has gone because it was named. */
export interface Tidying {
  suggestions: TidySuggestion[];
  forgotten: string[];
  archived: string[];
}

/** What the store holds. */
export interface StoreStats {
  users: number;
  memories: number;
  messages: number;
  vectors: number;
  pending_jobs: number;
  parked_jobs: number;
  size_bytes: number;
  files?: number;
  chunks?: number;
  cache?: Record<string, number>;
  superseded?: number;
  expired?: number;
  requests?: number;
  responses?: number;
  reasoning?: number;
}

/** The state of the service; its reference has the other fields. */
export interface ServiceStatus {
  version: string;
  backend: string;
  backend_version: string;
  location: string;
  schema_version: number;
  embedding: string;
  stats: StoreStats;
  summarizer: string;
  advice?: string[];
  geocoder?: string;
  [field: string]: unknown;
}

/** An error of the service (RFC 9457); `detail` says what was found and what to do. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
}
