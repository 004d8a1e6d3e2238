// What the verbs take: the fields of the HTTP routes, by the same names. A limit or a rule that a type cannot say is checked by the service.

export type MemoryType = "preference" | "decision" | "fact" | "entity" | "experience" | "event" | "lesson" | "session_summary" | "other";
export type Source = "memory" | "request" | "response" | "reasoning" | "tool" | "system" | "summary" | "file";
export type MessageRole = "user" | "assistant" | "system" | "tool" | "reasoning";
export type LocationMode = "boost" | "semantic";
/** A moment: a Date, or a string with a time zone such as `2026-03-01T12:00:00Z`. */
export type DateLike = Date | string;
/** The text of a message, or its blocks as a host has them. */
export type MessageContent = string | (string | Record<string, unknown>)[];

/** Where something happened: `lat` with `lng`, a name, or both. */
export interface LocationFields {
  lat?: number | null;
  lng?: number | null;
  address?: string;
  place_label?: string;
}

/** A picture, sound, film or document: with a `url`, which is never fetched, or the `original` of `media.add`. */
export interface MediaFields {
  kind?: "image" | "audio" | "video" | "document" | null;
  url?: string;
  original?: string;
  mime?: string;
  size?: number | null;
  duration_s?: number | null;
  width?: number | null;
  height?: number | null;
  caption?: string;
  alt?: string;
  transcript?: string;
  exif?: string;
  lat?: number | null;
  lng?: number | null;
}

/** What every memory may have. */
export interface TypedFields extends LocationFields {
  location?: LocationFields | null;
  importance?: number;
  confidence?: number;
  context?: string;
  source?: string;
  trust?: number | null;
  session?: string;
  valid_from?: DateLike | null;
  valid_until?: DateLike | null;
  expires_at?: DateLike | null;
  metadata?: Record<string, unknown>;
  media?: MediaFields[];
  /** Keep the secrets in content and value, encrypted; only when a person asked for it. */
  keep_secret?: boolean;
}

/** What a fact or a preference may have: with `many`, its key has several values side by side. */
export interface KeyedFields extends TypedFields {
  many?: boolean;
}

/** What a memory may have besides its content. */
export interface MemoryFields extends KeyedFields {
  type?: MemoryType;
  subject?: string;
  key?: string;
  value?: string;
  occurred_at?: DateLike | null;
  participants?: string[];
}

/** A memory to store. */
export interface NewMemory extends MemoryFields {
  content: string;
}

/** What to change of a memory. */
export interface MemoryChanges extends LocationFields {
  content?: string;
  type?: MemoryType;
  importance?: number;
  confidence?: number;
  subject?: string;
  key?: string;
  value?: string;
  context?: string;
  source?: string;
  session?: string;
  occurred_at?: DateLike | null;
  valid_from?: DateLike | null;
  valid_until?: DateLike | null;
  expires_at?: DateLike | null;
  metadata?: Record<string, unknown>;
  media?: MediaFields[];
  keep_secret?: boolean;
}

/** What an event may have besides its summary. */
export interface EventFields extends TypedFields {
  kind?: string;
  entity?: string;
  details?: string;
  participants?: string[];
  occurred_at?: DateLike | null;
}

/** Which events to list. */
export interface TimelineOptions {
  unit?: "hour" | "day" | "month" | "year";
  since?: DateLike;
  until?: DateLike;
  /** A time zone such as Europe/Prague; that of the service's settings without it. */
  zone?: string;
}

export interface EventOptions {
  since?: DateLike;
  until?: DateLike;
  min_importance?: number;
  entity?: string;
  kind?: string;
  limit?: number;
}

/** Which page of a list: at most 100 items, after the `cursor` of the page before. */
export interface PageOptions {
  limit?: number;
  cursor?: string | null;
}

/** Which memories are meant. */
export interface MemoryFilters {
  type?: MemoryType | MemoryType[];
  subject?: string;
  key?: string;
  context?: string;
  session?: string;
  since?: DateLike;
  until?: DateLike;
  as_of?: DateLike;
  min_importance?: number;
}

/** Where a search is made: coordinates, a name in the world (`near`), or a named place (`at`). */
export interface SearchLocation {
  lat?: number;
  lng?: number;
  near?: string;
  at?: string;
  radius_km?: number;
  location_weight?: number;
  location_mode?: LocationMode;
}

/** How `recall` searches. */
export interface RecallOptions extends MemoryFilters, SearchLocation {
  limit?: number;
  min_score?: number;
  prefer?: MemoryType | MemoryType[];
  diverse?: boolean;
  files?: boolean;
  only_related?: boolean;
  /** Shared scopes to search as well: `all`, `none`, or names. */
  scopes?: string[];
  whole?: boolean;
}

/** How `searchContext` searches. */
export interface ContextOptions extends SearchLocation {
  limit?: number;
  sources?: Source[];
  session?: string;
  current?: string;
  since?: DateLike;
  until?: DateLike;
  min_score?: number;
  prefer?: MemoryType[];
  diverse?: boolean;
  only_related?: boolean;
  /** Shared scopes to search as well: `all`, `none`, or names. */
  scopes?: string[];
  whole?: boolean;
}

/** What to forget: exactly one of the first six, and how. */
export interface ForgetTarget {
  id?: string;
  query?: string;
  session?: string;
  source?: string;
  folder?: string;
  everything?: boolean;
  /** Forget all that a query finds; without it, only a query that says a memory itself forgets. */
  all?: boolean;
  /** What becomes of added documents that a query finds: forgotten whole, or kept as originals; "ask" names them. */
  documents?: "ask" | "forget" | "keep";
  /** Forget what the memory was learned from, too. */
  sources?: boolean;
  /** Let it be stored again when a host delivers it again. */
  allow_again?: boolean;
  /** Return a signed statement of what was forgotten. */
  receipt?: boolean;
  /** Change nothing, and say what would be deleted. */
  dry_run?: boolean;
  whole?: boolean;
}

/** What a message may have besides its role and content. */
export interface MessageFields extends LocationFields {
  location?: LocationFields | null;
  id?: string;
  speaker?: string;
  tool_calls?: { id: string; name: string; arguments?: string }[];
  tool_call_id?: string;
  sequence?: number | null;
  said_at?: DateLike | null;
  model?: string;
  input_tokens?: number | null;
  output_tokens?: number | null;
  thinking_tokens?: number | null;
  metadata?: Record<string, unknown>;
  media?: MediaFields[];
}

/** A message to append. */
export interface NewMessage extends MessageFields {
  role: MessageRole;
  content?: MessageContent;
}

/** Which prompt it is, and how much may stand before it. */
export interface BeforePromptOptions extends LocationFields {
  session: string;
  location?: LocationFields | null;
  id?: string;
  speaker?: string;
  metadata?: Record<string, unknown>;
  max_tokens?: number | null;
  whole?: boolean;
}

/** Which session the turn is of. */
export interface AfterTurnOptions {
  session: string;
}
