// The hooks around a turn: recall before it, capture after it, and what a session leaves behind when it ends. None of
// them throws, and each ends within its time: a host goes on when its memory is away.

import { createHash } from "node:crypto";

import { isPersonal, userOfHook } from "./identity.js";
import { ownWords, textOf, thinkingOf, withoutRecalled } from "./words.js";

const MOST_OPEN = 200;
const LONGEST_PROMPT = 100_000;
const LONGEST_TEXT = 200_000;
const LONGEST_BODY = 900_000;
const ENDS = new Set(["new", "reset", "idle", "daily", "deleted", "unknown"]);

export class Turns {
  #memory;
  #open = new Map();

  /** `memory` is `{config, client, spool, sessions, log}`. */
  constructor(memory) {
    this.#memory = memory;
  }

  /** Gives the block of related information, and notes whose turn it is. */
  async beforePrompt(event, ctx) {
    const { config, client, sessions, log } = this.#memory;
    const turn = this.#begin(event, ctx);
    if (!turn?.said || !config.autoRecall) return undefined;
    const body = { prompt: turn.said.slice(0, LONGEST_PROMPT), session: turn.session, id: turn.id };
    try {
      const answer = await client.call("POST", "/api/hooks/before-prompt", { user: turn.user, body, timeoutMs: config.recallTimeoutMs, hurried: true });
      return answer?.block ? { prependContext: answer.block } : undefined;
    } catch (error) {
      log.warnOnce(`recollect: nothing was recalled. ${error.message}`);
      return undefined;
    }
  }

  /** Hands the messages of a turn over; they are on the disk before they are sent. */
  async agentEnd(event, ctx) {
    const { config } = this.#memory;
    const turn = this.#openTurn(ctx) ?? this.#begin({}, ctx);
    this.#open.delete(nameOf(ctx));
    if (!turn || !config.autoCapture) return;
    await this.#save(turn, event.messages ?? [], ctx);
    await this.#deliver();
  }

  /** Saves a turn that is under way before its messages leave the model's sight. */
  async beforeLoss(event, ctx) {
    const { config } = this.#memory;
    const turn = [...this.#open.values()].find((open) => open.sessionId === ctx?.sessionId);
    if (turn && config.autoCapture && Array.isArray(event?.messages)) await this.#save(turn, event.messages, ctx);
    await this.#deliver();
  }

  /** Asks for a summary of a session that is over, and begins a new conversation for the words that follow. */
  async sessionEnd(event, ctx) {
    const { config, sessions, spool } = this.#memory;
    const sessionId = event?.sessionId ?? ctx?.sessionId;
    const ended = sessions.find(sessionId);
    if (ended && event?.reason === "compaction") sessions.follow(sessionId, event.nextSessionId);
    else if (ended && ENDS.has(event?.reason ?? "unknown")) {
      for (const user of config.sessionSummaries ? ended.users : []) {
        await spool.keep({ kind: "session", user, path: "/api/hooks/session-end", body: { session: ended.name }, name: `${ended.name} ${this.#memory.now()}` });
      }
      if (ended.users.length) sessions.renew(sessionId);
    }
    await this.#deliver();
  }

  /** Delivers what waits, within the time that a capture may take. */
  async #deliver() {
    const { config, sessions, spool, log } = this.#memory;
    try {
      sessions.flush();
      await spool.deliver({ timeoutMs: config.captureTimeoutMs });
    } catch (error) {
      log.warnOnce(`recollect: ${error.message}`);
    }
  }

  #begin(event, ctx) {
    const { config, sessions, log, now } = this.#memory;
    if (!isPersonal(ctx) || !ctx?.sessionId) return null;
    const user = userOfHook(config, ctx, sessions.isOwner(ctx.sessionId));
    if (!user) {
      log.debug(`recollect: it is not known who speaks in ${ctx.sessionKey ?? ctx.sessionId}, so nothing is recalled or kept`);
      return null;
    }
    const turn = {
      user,
      said: ownWords(textOf(event.currentUserMessage ?? event.prompt ?? "")),
      session: sessions.enter(ctx.sessionId, ctx.sessionKey, user),
      sessionId: ctx.sessionId,
      id: `${ctx.runId ?? ctx.sessionId}:user`,
      startedAt: now(),
      isDirect: !ctx.senderId,
      isHosts: event.prompt !== undefined && !ownWords(textOf(event.currentUserMessage ?? event.prompt)), // no person wrote it
    };
    this.#open.set(nameOf(ctx), turn);
    if (this.#open.size > MOST_OPEN) this.#open.delete(this.#open.keys().next().value);
    return turn;
  }

  #openTurn(ctx) {
    return this.#open.get(nameOf(ctx));
  }

  async #save(turn, messages, ctx) {
    const { spool, log } = this.#memory;
    const said = messagesOfTurn(turn, messages, ctx?.runId ?? ctx?.sessionId);
    try {
      for (const part of parts(said)) {
        await spool.keep({ kind: "turn", user: turn.user, path: "/api/hooks/agent-end", body: { session: turn.session, messages: part } });
      }
    } catch (error) {
      log.warn(`recollect: a turn was not kept: ${error.message}`);
    }
  }
}

/** Gives what a person and the assistant said in a turn, with ids that are the same however often it is delivered. */
export function messagesOfTurn(turn, messages, run) {
  if (turn.isHosts) return [];
  const since = startOf(turn, messages);
  const result = [];
  for (const message of messages.slice(since)) {
    if (message?.role === "user") {
      const text = ownWords(textOf(message.content));
      if (!text) continue;
      if (!result.some((each) => each.role === "user")) result.push(entry(message, turn.said || text, turn.id));
      else if (turn.isDirect) result.push(entry(message, text, idOf(run, "user", text)));
    } else if (message?.role === "assistant") {
      result.push(...answers(message, run));
    }
  }
  if (turn.said && !result.some((each) => each.role === "user")) result.unshift({ role: "user", content: turn.said, id: turn.id });
  return result.some((each) => each.role === "user") ? result : [];
}

/** Finds where a turn begins: with its first message that is newer than its start, or else with the last request. */
function startOf(turn, messages) {
  const isNew = (message) => typeof message?.timestamp === "number" && message.timestamp >= turn.startedAt;
  if (turn.said) {
    const first = messages.findIndex((message) => message?.role === "user" && isNew(message) && ownWords(textOf(message.content)));
    if (first >= 0) return first;
  }
  const last = messages.findLastIndex((message) => message?.role === "user" && ownWords(textOf(message.content)));
  const isOurs = last >= 0 && (!turn.said || typeof messages[last].timestamp !== "number" || ownWords(textOf(messages[last].content)) === turn.said);
  if (isOurs) return last;
  const firstNew = messages.findIndex(isNew);
  return firstNew >= 0 ? firstNew : messages.length;
}

function answers(message, run) {
  const text = withoutRecalled(textOf(message.content));
  const thinking = withoutRecalled(thinkingOf(message.content));
  const entries = [];
  if (thinking) entries.push({ ...entry(message, thinking, idOf(run, "reasoning", thinking)), role: "reasoning" });
  if (text) entries.push({ ...entry(message, text, idOf(run, "assistant", text)), usage: message.usage });
  return entries;
}

function entry(message, text, id) {
  const content = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text;
  return { role: message.role, content, id, timestamp: message.timestamp, model: message.model };
}

function idOf(run, role, text) {
  return `${run}:${role}:${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}

/** Splits messages so that each part fits a request. */
function* parts(messages) {
  let part = [];
  let size = 0;
  for (const message of messages) {
    const length = Buffer.byteLength(JSON.stringify(message));
    if (part.length && size + length > LONGEST_BODY) {
      yield part;
      part = [];
      size = 0;
    }
    part.push(message);
    size += length;
  }
  if (part.length) yield part;
}

function nameOf(ctx) {
  return ctx?.runId ?? ctx?.sessionId;
}
