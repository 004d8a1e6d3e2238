// What the service answers. Times are strings as in JSON (RFC 3339); fields that can be absent are optional.
// Written from the service's OpenAPI document by `python -m tests.surface`.

import type { MemoryType, Source } from "./inputs.js";

/**
 * A picture, sound, film or document. `original` is the SHA-256 of stored bytes, which GET /api/media/{original} gives; a
 * `url` is never fetched. It is found by `caption`, `alt`, `transcript` and `exif`, the words that a photo carries.
 */
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

/** A memory as it is kept. */
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

/** A part of a listing, newest first. Pass `cursor` to get the next part; it is null at the end. */
export interface MemoryPage {
  items: Memory[];
  cursor?: string | null;
}

/**
 * What became of a memory that was offered.
 *
 * `left_out` names kinds of secrets, such as `access code`, that were not kept, `kept_secret` those that were, encrypted;
 * `taken_over` what a memory that was there took over from a repetition, as `place` or `expires_at`.
 */
export interface Remembered {
  action: "created" | "duplicate" | "superseded" | "outranked" | "doubted" | "forgotten";
  id: string;
  existing_id?: string | null;
  degraded?: string[];
  left_out?: string[];
  kept_secret?: string[];
  taken_over?: string[];
}

/** Where something is. */
export interface Place {
  lat: number | null;
  lng: number | null;
  address: string;
  label: string;
}

/**
 * What a place did to a score: (1 - `weight`) x `content` + `weight` x `geo` is the score.
 *
 * `geo` is the larger of `nearness`, which comes from `distance_km`, and `likeness`, that of the places' names. Without a
 * `location_weight` it counts times `fit`, how good the content is compared with the best one, and for no less than
 * `least`.
 */
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

/** What the reranker did to a hit: its score, a logit, and the place (from 1) before and after. */
export interface RerankShare {
  score: number;
  before: number;
  after: number;
}

/** One channel's share of a hit: `weight` x `score` is what it adds to the relevance. */
export interface ChannelPart {
  rank: number | null;
  raw: number;
  score: number;
  weight: number;
}

/** The explanation of a score: the channels add up to the relevance; times all factors that is the score. */
export interface ScoreParts {
  channels: Record<string, ChannelPart>;
  relevance: number;
  factors: Record<string, number>;
  place: PlaceShare | null;
  rerank: RerankShare | null;
}

/** A piece of a file as it is kept. */
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

/** A member of a shared scope: a `reader` searches it, a `writer` also stores, changes and forgets. */
export interface Membership {
  scope: string;
  user_id: string;
  role: "reader" | "writer";
  added_at: string;
  added_by: string;
}

/**
 * Something that was found. `score` and `similarity` are from 0 to 1.
 *
 * In a `file` it is a part of its text: `metadata` has its `path`, `start_line`, `end_line`, `heading` and `file_id`. What
 * has a place has `lat`, `lng`, `address` and `place_label`, as far as they are known. What a memory says in parts is in
 * `subject`, `key`, `value`, `context` and `confidence`; `learned_from` is its source, `participants` are those who took
 * part in an event. A message has its `speaker` and, where its host named one, its `channel`. When the search says where
 * the user is, `distance_km` is how far that is, and `place_share` what it did to the score. `scope` is the shared scope
 * that it is from, and empty for the user's own memory; `corrected` are words of it that were corrected or forgotten
 * since; `on_disk` says of a synced file that it has `changed` since it was read or is `gone`; `item` and `score_parts`
 * come with `whole`.
 */
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
  scope: string;
  corrected?: {
    said: string;
    at: string;
    by: string;
    now: string;
    value: string;
    doubted: boolean;
  }[] | null;
  on_disk?: "" | "changed" | "gone" | null;
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

/** What the reranker did in a search: how many of the first hits its model scored, or why it was `skipped`. */
export interface Reranking {
  model: string;
  scored: number;
  skipped: string;
}

/** The answer to a question. `degraded` names what was missing; `answerable` says how likely an answer is here. */
export interface Recall {
  hits: Hit[];
  degraded: string[];
  answerable: number;
  reranking?: Reranking | null;
}

/**
 * A group of similar memories. `terms` are the words that tell it from others, `members` its most typical memories, `size`
 * counts all.
 *
 * `x`, `y` and `radius` say where to draw it in a square from 0 to 1: what is alike is near, and no two groups overlap.
 */
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

/**
 * Groups of similar memories, the largest first, and memories that say the same. `memories` were compared, `grouped` of
 * them are in one of `total` groups, `found_at` is when. `degraded` names `vector` if memories have none yet.
 */
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

/** An item that says what is forgotten, and what becomes of it; `text` are the words that would go. */
export interface ForgottenItem {
  kind: "memory" | "version" | "message" | "summary" | "file" | "document";
  id: string;
  fate: "deleted" | "rewritten" | "remade" | "kept";
  text: string;
  path: string;
  created_at: string | null;
}

/**
 * What forgetting did, or would do: `ids` are gone, `rewritten` messages lost a sentence; `candidates` wait for a choice.
 * `items` says by kind and in words what goes or is gone; a repeated answer has no words.
 */
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
  /**
   * A signed statement that something was forgotten, without what it said. `marks` are keyed hashes by which a check finds
   * it, `not_covered` says in words what was not erased.
   */
  receipt?: {
    id: string;
    store: string;
    key: string;
    user: string;
    actor: string;
    request: string;
    allow_again: boolean;
    forgotten_at: string;
    signed_at: string;
    counts: Record<string, number>;
    /** The line of the audit log that tells of a receipt: its number in the user's hash chain, and its hash. */
    audit: {
      number: number;
      hash: string;
    };
    places: Record<string, string>;
    pending: string;
    purged: boolean;
    marks: Record<string, string[]>;
    marks_total: number;
    elsewhere: number;
    signature: string;
    version: number;
    documents: string;
    kept: string[];
    not_covered: string[];
    unseen: string[];
  } | null;
}

/** A tool that the assistant asked for. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** A turn of a conversation as it is kept. */
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

/** A conversation with its figures. */
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
  title: string;
  speakers: string[];
  first_said_at: string | null;
  last_said_at: string | null;
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

/** A memory that was captured from messages of a conversation, and the ids of these messages. */
export interface TaughtMemory {
  memory: Memory;
  message_ids: string[];
}

/** Two memories that give one property two values: the one that holds, and a later one that casts doubt on it. */
export interface Doubt {
  memory: Memory;
  contradicted_by: Memory;
}

/** Conversations, the one that was spoken in last first. */
export interface ConversationPage {
  items: ConversationInfo[];
  cursor?: string | null;
}

/** What of a conversation to show a model. */
export interface Window {
  messages: Message[];
  tokens: number;
  omitted: number;
}

/** What compacting did. */
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

/** What an agent gets before it answers; `block` is ready to stand before the prompt. */
export interface PromptContext {
  block: string;
  hits: Hit[];
  message_id: string | null;
  degraded: string[];
}

/** What was kept of a turn. */
export interface TurnOutcome {
  saved: number;
  captured: Remembered[];
  events: Remembered[];
  compaction: Compaction | null;
  degraded: string[];
  left_out: string[];
}

/** Figures about what a user has stored, and about the searches of the last seven days, if they are kept. */
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
  /** The cache of vectors: its size, and how often it saved a request. */
  cache?: {
    entries: number;
    bytes: number;
    hits: number;
    misses: number;
  };
  requests?: number;
  responses?: number;
  reasoning?: number;
  /** Statistics of one kind of search: how many, how many of them were empty or degraded, and how long they took. */
  searches?: {
    verb: string;
    searches: number;
    empty: number;
    degraded: number;
    mean_ms: number;
    most_ms: number;
  }[];
}

/** A query that was asked, whatever its case and spaces: how often, how often without an answer, and when last. */
export interface QueryFigures {
  query: string;
  searches: number;
  unanswered: number;
  last_at: string;
}

/** A memory, a message or a passage of a file, how often it was among the first hits, and when last. */
export interface RecalledItem {
  source: Source;
  id: string;
  content: string;
  times: number;
  last_at?: string | null;
}

/** What is asked of a user's memory, from the search log, and what it holds: coverage, growth, what waits. */
export interface Insights {
  since: string;
  log: "off" | "counts" | "queries";
  /** Statistics of one kind of search: how many, how many of them were empty or degraded, and how long they took. */
  searches: {
    verb: string;
    searches: number;
    empty: number;
    degraded: number;
    mean_ms: number;
    most_ms: number;
  }[];
  popular: QueryFigures[];
  unanswered: QueryFigures[];
  /** A program that searched, by the name that it gives itself: how often, and when last. */
  agents: {
    agent: string;
    searches: number;
    last_at: string;
  }[];
  degraded: Record<string, number>;
  often: RecalledItem[];
  never: RecalledItem[];
  unrecalled: number | null;
  /**
   * How many items of a type there are, and how many of them have a vector.
   *
   * The type is that of a memory, the role of a message, or the kind of a chunk's file.
   */
  coverage: {
    kind: "memory" | "message" | "chunk";
    type: string;
    items: number;
    vectors: number;
  }[];
  /** What was stored in a month, such as `2026-03`, in UTC. Earlier versions of memories count. */
  growth: {
    month: string;
    memories: number;
    messages: number;
    chunks: number;
  }[];
  waiting: number;
  parked: number;
  model: string;
}

export type TidyRule = "noise" | "short" | "system" | "old_chat";

/**
 * Something that could go, by which rule, and what would become of it.
 *
 * The `id` is that of a memory or a message to `forget`, or of a conversation to `archive`.
 */
export interface TidySuggestion {
  rule: TidyRule;
  action: "forget" | "archive";
  source: "memory" | "message" | "conversation";
  id: string;
  content: string;
  created_at: string;
}

/** What could go, or the ids of what was forgotten or archived because it was named. */
export interface Tidying {
  suggestions: TidySuggestion[];
  forgotten: string[];
  archived: string[];
}

/** Statistics of a whole store, as `Stats` of a user: numbers only, no content of any user. */
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
  /** The cache of vectors: its size, and how often it saved a request. */
  cache?: {
    entries: number;
    bytes: number;
    hits: number;
    misses: number;
  };
  superseded?: number;
  expired?: number;
  requests?: number;
  responses?: number;
  reasoning?: number;
}

/** What runs on what, and the folders that are kept in step for the user. */
export interface ServiceStatus {
  version: string;
  backend: string;
  backend_version: string;
  location: string;
  schema_version: number;
  embedding: string;
  /** An embedding space. Vectors of different spaces are never compared. */
  space: {
    provider: string;
    model: string;
    revision: string;
    prefix_scheme: string;
    dimensions: number;
    normalised: boolean;
  } | null;
  stats: StoreStats;
  summarizer: string;
  /** Tokens that a model was paid for. */
  spent_today: {
    input_tokens?: number;
    output_tokens?: number;
  };
  tokens_per_day: number;
  advice?: string[];
  /** How many items of a kind have a vector, wait for one (since `oldest`), or are parked. */
  coverage?: {
    source: "memory" | "message" | "chunk" | "place";
    items: number;
    vectors: number;
    waiting: number;
    parked: number;
    oldest?: string | null;
  }[];
  /**
   * An embedding model: one with vectors in the store, or the one in the settings.
   *
   * `dimensions` are missing until its provider has told them, `reachable` when it was not tried; `trouble` says why it is
   * not reachable.
   */
  building?: {
    provider: string;
    model: string;
    dimensions: number | null;
    state: "active" | "building" | "kept" | "configured";
    configured: boolean;
    /** How many items of a kind have a vector, wait for one (since `oldest`), or are parked. */
    coverage?: {
      source: "memory" | "message" | "chunk" | "place";
      items: number;
      vectors: number;
      waiting: number;
      parked: number;
      oldest?: string | null;
    }[];
    reachable?: boolean | null;
    trouble?: string;
    price?: number | null;
  } | null;
  /** An item that could not be embedded, and why. It is not retried unless `retry_parked` is called. */
  parked?: {
    user_id: string;
    source: "memory" | "message" | "chunk" | "place";
    id: string;
    /** An embedding space. Vectors of different spaces are never compared. */
    space: {
      provider: string;
      model: string;
      revision: string;
      prefix_scheme: string;
      dimensions: number;
      normalised: boolean;
    };
    attempts: number;
    reason: string;
  }[];
  /** Tokens that a model was paid for. */
  embedding_today?: {
    input_tokens?: number;
    output_tokens?: number;
  };
  embedding_cost?: number | null;
  /**
   * A batch at a provider's batch API: its embedding space, the provider's id, and its progress.
   *
   * `tokens` is an estimate until it is collected. It is `collecting` while a worker holds it, since `checked_at`.
   */
  bulks?: {
    id: string;
    /** An embedding space. Vectors of different spaces are never compared. */
    space: {
      provider: string;
      model: string;
      revision: string;
      prefix_scheme: string;
      dimensions: number;
      normalised: boolean;
    };
    provider_id: string;
    state: "submitting" | "running" | "collecting" | "collected" | "failed" | "cancelled";
    texts: number;
    done: number;
    tokens: number;
    reason: string;
    submitted_at: string;
    checked_at: string;
  }[];
  geocoder?: string;
  unlocated?: number;
  /** How many messages wait to be read (since `oldest`), how many are parked, and a `reason` of those. */
  unread?: {
    waiting?: number;
    parked?: number;
    oldest?: string | null;
    reason?: string;
  };
  /** The backups that the settings ask for: how many there are, the newest, and whether the next one is overdue. */
  backup?: {
    folder: string;
    amount: number;
    newest: string | null;
    overdue: boolean;
  } | null;
  erasure_pending?: string;
  /**
   * A read replica: how far it is behind, or in `trouble` why it cannot be used.
   *
   * `reads` counts what it has answered to this process.
   */
  replicas?: {
    location: string;
    trouble?: string;
    lag_bytes?: number;
    lag_s?: number;
    reads?: number;
  }[];
  /**
   * A folder that is kept in step, and its `drift`: how many files differ from what is kept; null when the folder cannot be
   * read.
   */
  folders?: {
    root: string;
    source: "memory" | "sessions" | "document";
    files: number;
    chunks: number;
    scanned_at: string;
    completed_at: string | null;
    trouble: Record<string, number>;
    drift: number | null;
  }[];
}

/** An error, as RFC 9457 has it. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
}
