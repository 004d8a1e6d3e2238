import type {
  AfterTurnOptions, BeforePromptOptions, ContextOptions, EventFields, EventOptions, ForgetTarget, MediaFields, MemoryChanges, MemoryFields, MemoryFilters,
  KeyedFields, MessageContent, MessageFields, MessageRole, NewMemory, NewMessage, PageOptions, RecallOptions, TimelineOptions, TypedFields,
} from "./src/inputs.js";
import type {
  About, Appended, Clusters, Compaction, ConversationInfo, ConversationPage, Doubt, Forgotten, Insights, TaughtMemory, Membership, Memory, MemoryPage, Message, PromptContext, Recall, Remembered,
  ServiceStatus, TidyRule, Tidying, TimelineBucket, TurnOutcome, UserStats, Window,
} from "./src/results.js";

export type * from "./src/inputs.js";
export type * from "./src/results.js";
export * from "./src/errors.js";

/** The version of this package, which is that of the service it was made for. */
export const VERSION: string;

/** How a client asks. */
export interface ClientOptions {
  /** A key of the service, as `recollect keys create` makes it. */
  key: string;
  /** The user that `me` is, for an admin's key; without it, `me` is the key's own user. */
  user?: string;
  /** The time limit of each call, 30 seconds if not given. */
  timeoutMs?: number;
}

/** How one call asks. */
export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. A write may have been carried out nevertheless. */
  signal?: AbortSignal;
  /** The time limit of this call. */
  timeoutMs?: number;
  /** The time zone that decides what "yesterday" means, such as Europe/Prague; without it that of the user. */
  zone?: string;
}

/** How one write asks. */
export interface WriteOptions extends CallOptions {
  /** A name for this write: repeated with it within 24 hours, it is not carried out again. One is made up if not given. */
  idempotencyKey?: string;
}

/** How one change asks. */
export interface UpdateOptions extends WriteOptions {
  /** Only if the memory is still what `get` or `update` returned, or has this ETag; else StaleVersion. */
  ifMatch?: Memory | string;
}

/** A Recollect service. */
export class Client {
  /** Asks nothing yet; `Client.open` checks that the service answers and knows the key. Throws SettingsError. */
  constructor(url: string, options: ClientOptions);
  /** Opens a service. Throws SettingsError, ServiceUnavailable, VersionMismatch, UnknownKey. */
  static open(url: string, options: ClientOptions & { signal?: AbortSignal }): Promise<Client>;
  /** The part of the key's own user, or of the user of the options. */
  readonly me: UserMemory;
  /** Returns one user's part; only an admin's key may name another user than its own. */
  user(userId: string): UserMemory;
  /** Checks that a Recollect service of a fitting version answers and knows the key. */
  check(call?: CallOptions): Promise<void>;
  /** Returns the state of the service and its store, for an admin's key. */
  status(call?: CallOptions): Promise<ServiceStatus>;
}

/** One user's memories. */
export class UserMemory {
  private constructor();
  /** The user that was named; empty for the key's own. */
  readonly userId: string;

  /** Returns a shared scope that this user is a member of, with the same verbs. */
  scope(name: string, call?: CallOptions): Promise<UserMemory>;
  /** Lists the shared scopes that this user is a member of, by name. */
  scopes(call?: CallOptions): Promise<Membership[]>;
  readonly facts: Facts;
  readonly preferences: Preferences;
  readonly events: Events;
  readonly lessons: Lessons;
  readonly instructions: Instructions;
  readonly media: UserMedia;
  /** Stores a memory. It is durable when this resolves. */
  remember(content: string, fields?: MemoryFields, call?: WriteOptions): Promise<Remembered>;
  /** Stores many memories, in requests of a hundred, each whole or not at all; one result for each, in order. */
  rememberMany(memories: Iterable<string | NewMemory>, call?: WriteOptions): Promise<Remembered[]>;
  /** Finds memories by meaning and by words, best first. */
  recall(query: string, options?: RecallOptions, call?: CallOptions): Promise<Recall>;
  /** Searches memories, messages and files together, best first. */
  searchContext(query: string, options?: ContextOptions, call?: CallOptions): Promise<Recall>;
  /** Collects what is known about a topic. */
  about(topic: string, options?: { limit?: number; whole?: boolean }, call?: CallOptions): Promise<About>;
  /** Returns one memory, current or superseded. Throws NotFound. */
  get(id: string, call?: CallOptions & { reveal?: boolean }): Promise<Memory>;
  /** Lists current memories, newest first, a page of at most 100 at a time. */
  list(options?: MemoryFilters & PageOptions, call?: CallOptions): Promise<MemoryPage>;
  /** Changes a memory and returns it; the version before stays in its history. Throws NotFound, StaleVersion. */
  update(id: string, changes: MemoryChanges, call?: UpdateOptions): Promise<Memory>;
  /** Stores the user's feedback on a memory: 1, -1, or null to take it back. */
  rate(id: string, feedback: 1 | -1 | null, options?: { comment?: string }, call?: WriteOptions): Promise<Memory>;
  /** Returns all versions of a memory, oldest first, by the id of any of them. */
  history(id: string, call?: CallOptions): Promise<Memory[]>;
  /** Finds groups of similar memories, the largest first, and memories that say the same. */
  clusters(options?: { limit?: number; examples?: number }, call?: CallOptions): Promise<Clusters>;
  /** Merges a memory into another that says the same, and returns that one; nothing is deleted. Throws NotFound. */
  merge(id: string, into: string, call?: WriteOptions): Promise<Memory>;
  /** Finds what is like a memory, by the vector that is stored for it. Throws NotFound. */
  similar(id: string, options?: { limit?: number }, call?: CallOptions): Promise<Recall>;
  /** Deletes for good, by id or by another target; with `dry_run` only says what would be deleted. */
  forget(target: string | ForgetTarget, call?: WriteOptions): Promise<Forgotten>;
  /** Returns statistics of what this user has stored. */
  stats(call?: CallOptions): Promise<UserStats>;
  /** Returns what is asked of this user's memory, and what it holds. */
  insights(options?: { days?: number; limit?: number }, call?: CallOptions): Promise<Insights>;
  /** Suggests what could go: texts that say nothing, lines of systems, conversations of long ago. */
  tidy(options?: { rule?: TidyRule[]; limit?: number }, call?: CallOptions): Promise<Tidying>;
  /** Forgets, or archives, suggestions of `tidy` by their ids, at most 100. */
  applyTidying(ids: Iterable<string>, call?: WriteOptions): Promise<Tidying>;
  /** Lists conversations, the last changed first, a page at a time. */
  conversations(options?: PageOptions, call?: CallOptions): Promise<ConversationPage>;
  /** Returns a conversation by its id; it need not exist yet. Throws InvalidInput. */
  conversation(id: string): Conversation;
  /** Hook at the start of a session: what is known about a project and the user. */
  startSession(project?: string, options?: { max_tokens?: number }, call?: CallOptions): Promise<PromptContext>;
  /** Hook before an agent answers: recalls for the user's message, then saves it as a request. */
  beforePrompt(prompt: MessageContent, options: BeforePromptOptions, call?: WriteOptions): Promise<PromptContext>;
  /** Hook after an agent has answered: saves the turn's messages and captures what the user's words say. */
  afterTurn(messages: Iterable<NewMessage>, options: AfterTurnOptions, call?: WriteOptions): Promise<TurnOutcome>;
  /** Hook at the end of a session: stores its summary as a memory, if `session_summaries` is set. */
  endSession(session: string, call?: WriteOptions): Promise<Remembered | null>;
}

/** One conversation. It begins with the first message that is appended. */
export class Conversation {
  private constructor();
  readonly id: string;
  /** Appends a message. */
  append(role: MessageRole, content: MessageContent, fields?: MessageFields, call?: WriteOptions): Promise<Appended>;
  /** Appends several messages, all or none. */
  extend(messages: Iterable<NewMessage>, call?: WriteOptions): Promise<Appended[]>;
  /** Returns what to show a model: system prompts, the current summary and the newest turns that fit. */
  window(options?: { max_tokens?: number; reasoning?: boolean }, call?: CallOptions): Promise<Window>;
  /** Folds all but the newest messages into the summary. */
  compact(options?: { keep_recent?: number }, call?: WriteOptions): Promise<Compaction>;
  /** Returns the statistics of the conversation; null when it does not exist yet. */
  info(call?: CallOptions): Promise<ConversationInfo | null>;
  /** Returns the last messages in order, at most 100; to page, pass a sequence number as `before`. */
  messages(options?: { limit?: number; before?: number }, call?: CallOptions): Promise<Message[]>;
  /** Returns the current summary; null when there is none. */
  summary(call?: CallOptions): Promise<Message | null>;
  /** Returns the messages that a summary was made from, in order. */
  originals(summaryId: string, call?: CallOptions): Promise<Message[]>;
  /** Returns the memories that were captured from the messages of this conversation, oldest first. */
  learned(call?: CallOptions): Promise<TaughtMemory[]>;
  /** Switches storing off, or on again, from now on. What was stored before stays. */
  setPrivate(isPrivate?: boolean, call?: WriteOptions): Promise<void>;
}

/** Originals of pictures, sounds and films. */
export interface UserMedia {
  /** Sends bytes, and resolves to what `media` of a memory or message takes. */
  add(bytes: Uint8Array | ArrayBuffer | Blob, fields?: MediaFields, call?: WriteOptions): Promise<MediaFields>;
  /** Resolves to the bytes of a medium that a memory or message has. Throws NotFound. */
  original(original: string, call?: CallOptions): Promise<Uint8Array>;
}

/** Facts about things. Called, it lists the current ones, newest first. */
export interface Facts {
  (subject?: string, options?: { key?: string; limit?: number }, call?: CallOptions): Promise<Memory[]>;
  /** Stores a fact; a new value for the same subject and key supersedes the old one. */
  set(subject: string, key: string, value: string, fields?: KeyedFields & { content?: string }, call?: WriteOptions): Promise<Remembered>;
  /** Lists pairs of memories that contradict each other: the one that holds, and one that casts doubt on it. */
  doubts(subject?: string, call?: CallOptions): Promise<Doubt[]>;
  /** Settles a doubt: of the two memories the one with this id is right. Returns what holds. Throws NotFound. */
  settle(id: string, call?: WriteOptions): Promise<Memory>;
}

/** Preferences by category. Called, it lists them, the most confident first. */
export interface Preferences {
  (category?: string, options?: { key?: string; limit?: number }, call?: CallOptions): Promise<Memory[]>;
  /** Stores what the user prefers, perhaps in a `context`; a new value supersedes. */
  set(category: string, key: string, value: string, fields?: KeyedFields & { content?: string }, call?: WriteOptions): Promise<Remembered>;
}

/** The timeline of what happened. Called, it lists events in order of time. */
export interface Events {
  (options?: EventOptions, call?: CallOptions): Promise<Memory[]>;
  /** Stores an event that happened now, or at `occurred_at`. */
  log(summary: string, fields?: EventFields, call?: WriteOptions): Promise<Remembered>;
  /** Counts events, other memories, messages and files by hours, days, months or years, in order of time. */
  timeline(options?: TimelineOptions, call?: CallOptions): Promise<TimelineBucket[]>;
}

/** Lessons learned. Called, it lists them, the most confident first. */
export interface Lessons {
  (options?: { context?: string; limit?: number }, call?: CallOptions): Promise<Memory[]>;
  /** Stores a lesson, with the `context` it applies to and the `confidence` it deserves. */
  add(lesson: string, fields?: TypedFields, call?: WriteOptions): Promise<Remembered>;
}

/** How the assistant shall behave. Called, it lists instructions, newest first. */
export interface Instructions {
  (options?: { limit?: number }, call?: CallOptions): Promise<Memory[]>;
  /** Stores an instruction that applies always. */
  add(instruction: string, fields?: TypedFields, call?: WriteOptions): Promise<Remembered>;
}
