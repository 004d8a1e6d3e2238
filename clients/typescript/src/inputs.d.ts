// What the verbs take: the fields of the HTTP routes, by the same names. A limit or a rule that a type cannot say is
// checked by the service. Written from the service's OpenAPI document by `python -m tests.surface`.

/** A moment: a Date, or a string with a time zone such as `2026-03-01T12:00:00Z`. */
export type DateLike = Date | string;

export type MemoryType = "preference" | "decision" | "fact" | "entity" | "experience" | "event" | "lesson" | "session_summary" | "other";

export type Source = "memory" | "request" | "response" | "reasoning" | "tool" | "system" | "summary" | "file";

export type MessageRole = "user" | "assistant" | "system" | "tool" | "reasoning";

export type LocationMode = "boost" | "semantic";

/** The text of a message, or its blocks as a host has them. */
export type MessageContent = string | (string | Record<string, unknown>)[];

/** A place: by its coordinates, its address, what it is called, or several of these. */
export interface LocationFields {
  lat?: number | null;
  lng?: number | null;
  address?: string;
  place_label?: string;
}

/** A picture, sound, film or document: with a `url`, which is never fetched, or the `original` of an upload. */
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

/** What every typed memory may have. */
export interface TypedFields extends LocationFields {
  /** The same as the four fields, in one. What is in both must be the same. */
  location?: LocationFields | null;
  metadata?: Record<string, unknown> | null;
  media?: MediaFields[] | null;
  importance?: number | null;
  confidence?: number | null;
  context?: string | null;
  source?: string | null;
  /** 3 stated, 2 inferred, 1 the user's files, 0 external; at most what `source` has. */
  trust?: number | null;
  session?: string | null;
  valid_from?: DateLike | null;
  valid_until?: DateLike | null;
  expires_at?: DateLike | null;
  /** Keep the secrets in content and value, encrypted, for `reveal`; only when a person asked for it. */
  keep_secret?: boolean | null;
}

/** What a fact or a preference may have. */
export interface KeyedFields extends TypedFields {
  /** One of several values of its key: it stands beside the others. */
  many?: boolean | null;
}

/** What a memory may have besides its content. */
export interface MemoryFields extends LocationFields {
  /** The same as the four fields, in one. What is in both must be the same. */
  location?: LocationFields | null;
  metadata?: Record<string, unknown>;
  media?: MediaFields[];
  /** The names of those who took part in an event. */
  participants?: string[];
  type?: MemoryType;
  importance?: number;
  confidence?: number;
  subject?: string;
  key?: string;
  value?: string;
  context?: string;
  source?: string;
  /** 3 stated, 2 inferred, 1 the user's files, 0 external; at most what `source` has. */
  trust?: number | null;
  session?: string;
  occurred_at?: DateLike | null;
  valid_from?: DateLike | null;
  valid_until?: DateLike | null;
  expires_at?: DateLike | null;
  /** One of several values of its key: it stands beside the others. */
  many?: boolean;
  /** Keep the secrets in content and value, encrypted, for `reveal`; only when a person asked for it. */
  keep_secret?: boolean;
}

/** A memory to store. Only the content is needed. */
export interface NewMemory extends MemoryFields {
  content: string;
}

/** What to change of a memory. What is not named stays; null takes a moment or a place away. */
export interface MemoryChanges extends LocationFields {
  content?: string;
  metadata?: Record<string, unknown>;
  media?: MediaFields[];
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
  /** Keep the secrets in content and value, encrypted, for `reveal`; only when a person asked for it. */
  keep_secret?: boolean;
}

/** What an event may have besides its summary. */
export interface EventFields extends TypedFields {
  kind?: string;
  entity?: string;
  details?: string;
  /** The names of those who took part. */
  participants?: string[] | null;
  occurred_at?: DateLike | null;
}

/** What to count, and by which time. */
export interface TimelineOptions {
  unit?: "hour" | "day" | "month" | "year";
  /**
   * Only what happened, or was stored, then or later: a time, a span such as 7d (a week ago), yesterday, last night (since
   * 18:00) or last week.
   */
  since?: DateLike | null;
  /** Only what happened, or was stored, before then; words such as yesterday mean their beginning. */
  until?: DateLike | null;
  /**
   * Only what happened, or was stored, in that time: yesterday, last night (18:00 to 06:00), last week, or a day such as
   * 2026-12-03.
   */
  when?: string | null;
  /** A time zone; that of the settings without it. */
  zone?: string;
}

/** Which events to list. */
export interface EventOptions {
  /**
   * Only what happened, or was stored, then or later: a time, a span such as 7d (a week ago), yesterday, last night (since
   * 18:00) or last week.
   */
  since?: DateLike | null;
  /** Only what happened, or was stored, before then; words such as yesterday mean their beginning. */
  until?: DateLike | null;
  /**
   * Only what happened, or was stored, in that time: yesterday, last night (18:00 to 06:00), last week, or a day such as
   * 2026-12-03.
   */
  when?: string | null;
  /** Leave out what matters less. */
  min_importance?: number | null;
  /** Only what happened to this. */
  entity?: string | null;
  /** Only events of this kind. */
  kind?: string | null;
  /** At most this many. */
  limit?: number;
}

/** Which page of a list: at most 100 items, after the `cursor` of the page before. */
export interface PageOptions {
  limit?: number;
  /** The cursor of the page before. */
  cursor?: string | null;
}

/** Which memories are meant. */
export interface MemoryFilters {
  /** Only this kind. */
  type?: MemoryType | MemoryType[] | null;
  /** Only about this subject. */
  subject?: string | null;
  /** Only this property. */
  key?: string | null;
  /** Only in this context. */
  context?: string | null;
  /** Only from this session. */
  session?: string | null;
  /**
   * Only what happened, or was stored, then or later: a time, a span such as 7d (a week ago), yesterday, last night (since
   * 18:00) or last week.
   */
  since?: DateLike | null;
  /** Only what happened, or was stored, before then; words such as yesterday mean their beginning. */
  until?: DateLike | null;
  /**
   * Only what happened, or was stored, in that time: yesterday, last night (18:00 to 06:00), last week, or a day such as
   * 2026-12-03.
   */
  when?: string | null;
  /** What was held true at that moment, instead of now. */
  as_of?: DateLike | null;
  /** Leave out what matters less. */
  min_importance?: number | null;
}

/** Where a search is made: coordinates, a name in the world (`near`), or a named place (`at`). */
export interface SearchLocation {
  /** Where you are; needs lng. */
  lat?: number | null;
  /** Where you are; needs lat. */
  lng?: number | null;
  /** Where you are, by a name in the world, such as Brno or Paris, Texas. */
  near?: string | null;
  /** Where you are, by the name of a place of yours, such as home; or a kind of place, such as supermarket. */
  at?: string | null;
  /** Only what is at most so many kilometres away. */
  radius_km?: number | null;
  /** Share of the place in the score; without it, that of the settings. */
  location_weight?: number | null;
  /** Whether nearness and likeness of places count (boost), or only what they are called (semantic). */
  location_mode?: LocationMode;
}

/** How `recall` searches. */
export interface RecallOptions extends MemoryFilters, SearchLocation {
  /** At most this many; the settings say 5. */
  limit?: number | null;
  /** Only what scores at least this much. */
  min_score?: number | null;
  /** Types that come first among equals. */
  prefer?: MemoryType | MemoryType[] | null;
  /** Hits that say different things. */
  diverse?: boolean;
  /** Whether a model reads the first hits with the query and puts the best answers first; as the settings say without it. */
  rerank?: "auto" | "off" | "always" | null;
  /** Search synced folders and documents, too. */
  files?: boolean;
  /** Only what has to do with the query, which is usual without a min_score. */
  only_related?: boolean | null;
  /** Shared scopes to search as well: `all` that the user is a member of, `none`, or names. */
  scopes?: string | string[] | null;
  /** Show hits with the whole item and the parts of the score. */
  whole?: boolean;
}

/** How `searchContext` searches. */
export interface ContextOptions extends LocationFields, SearchLocation {
  /** The same as the four fields, in one. What is in both must be the same. */
  location?: LocationFields | null;
  /** Show hits with the whole item and the parts of the score. */
  whole?: boolean;
  /** At most this many. */
  limit?: number;
  /** Only from these sources. */
  sources?: Source[] | null;
  /** Only from this session. */
  session?: string | null;
  /** The conversation that is going on: its last turn is left out. */
  current?: string | null;
  /**
   * Only what happened, or was stored, then or later: a time, a span such as 7d (a week ago), yesterday, last night (since
   * 18:00) or last week.
   */
  since?: DateLike | null;
  /** Only what happened, or was stored, before then; words such as yesterday mean their beginning. */
  until?: DateLike | null;
  /**
   * Only what happened, or was stored, in that time: yesterday, last night (18:00 to 06:00), last week, or a day such as
   * 2026-12-03.
   */
  when?: string | null;
  /** Only what scores at least this much. */
  min_score?: number | null;
  /** Types that come first among equals. */
  prefer?: MemoryType[] | null;
  /** Hits that say different things. */
  diverse?: boolean;
  /** Whether a model reads the first hits with the query and puts the best answers first; as the settings say without it. */
  rerank?: "auto" | "off" | "always" | null;
  /** Only what has to do with the query, which is usual without a min_score. */
  only_related?: boolean | null;
  /** Shared scopes to search as well: `all` that the user is a member of, `none`, or names. */
  scopes?: string[] | null;
}

/**
 * What to forget: exactly one of `id`, `query`, `session`, `source`, `folder`, `everything`.
 *
 * `all` and `documents` go with a query, `sources` with an id, `allow_again` with everything; a dry run has no receipt.
 */
export interface ForgetTarget {
  /** Show candidates with the whole item and the parts of the score. */
  whole?: boolean;
  id?: string | null;
  /** What to forget, in words. */
  query?: string | null;
  /** A conversation. */
  session?: string | null;
  /** All memories that came from there. */
  source?: string | null;
  /** The root of a synced folder, as GET /api/files gives it. What lies in it stays. */
  folder?: string | null;
  /** All that the user has. */
  everything?: boolean;
  /** With a query: forget all that it finds; else only a query that says a memory itself forgets. */
  all?: boolean;
  /** With an id: the messages that the memory was captured from lose it, too. */
  sources?: boolean;
  /** With everything: a fresh start. What was ever forgotten may come again by an import or a sync. */
  allow_again?: boolean;
  /** Give a signed receipt of what was forgotten, without content. Not of a dry run. */
  receipt?: boolean;
  /** Say what would go, and delete nothing. */
  dry_run?: boolean;
  /**
   * With a query: what becomes of an added document that says it. It loses the sentence, and its original keeps it: `ask`
   * names it, `keep` states that this is wanted, `forget` forgets the whole document.
   */
  documents?: "ask" | "forget" | "keep";
}

/** What a message may have besides its role and content. */
export interface MessageFields extends LocationFields {
  /** The same as the four fields, in one. What is in both must be the same. */
  location?: LocationFields | null;
  /** A tool that the assistant asked for; `arguments` is JSON as the model wrote it. */
  tool_calls?: {
    id: string;
    name: string;
    arguments?: string;
  }[];
  metadata?: Record<string, unknown>;
  media?: MediaFields[];
  /** The host's own id: delivered twice, it is kept once. */
  id?: string;
  tool_call_id?: string;
  sequence?: number | null;
  said_at?: DateLike | null;
  model?: string;
  input_tokens?: number | null;
  output_tokens?: number | null;
  thinking_tokens?: number | null;
  /** Who says it, where several people talk. */
  speaker?: string;
}

/**
 * A message as it was said, perhaps with the place where it was said.
 *
 * It has content, media or tool calls; the result of a tool has a `tool_call_id`.
 */
export interface NewMessage extends MessageFields {
  role: MessageRole;
  content?: MessageContent;
}

/** Which prompt it is, and how much may stand before it. */
export interface BeforePromptOptions extends LocationFields {
  /** The same as the four fields, in one. What is in both must be the same. */
  location?: LocationFields | null;
  /** Show hits with the whole item and the parts of the score. */
  whole?: boolean;
  /** A conversation. */
  session: string;
  /** The host's own id: delivered twice, it is kept once. */
  id?: string;
  /** Who says it, where several people talk. */
  speaker?: string;
  /** Anything else. */
  metadata?: Record<string, unknown> | null;
  /** The block is never longer. */
  max_tokens?: number | null;
}

/** Which session the turn is of. */
export interface AfterTurnOptions {
  /** A conversation. */
  session: string;
}
