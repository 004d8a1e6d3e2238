// Who a turn belongs to. One memory user per sender; when it is not known who speaks, there is no user, and nothing is
// read or kept.

const LOCAL_CHANNELS = new Set(["", "webchat", "cli", "local"]);
const LONGEST_USER = 128;

/** Gives the memory user of a tool's context, or null. */
export function userOfTool(config, ctx) {
  const sender = text(ctx?.requesterSenderId);
  if (sender) return userOfSender(config, channelOf(ctx), sender);
  return ctx?.senderIsOwner === true ? config.ownerUser : null;
}

/**
 * Gives the memory user of a hook's context, or null. The context of a hook does not say who the owner is, so
 * `isOwner` tells what the host said about this session when it made the tools of the same run.
 */
export function userOfHook(config, ctx, isOwner) {
  const sender = text(ctx?.senderId);
  if (sender) return userOfSender(config, channelOf(ctx), sender);
  return isOwner && LOCAL_CHANNELS.has(channelOf(ctx)) ? config.ownerUser : null;
}

/** Whether a person started the turn: no timer, no other agent. */
export function isPersonal(ctx) {
  const kind = ctx?.inputProvenance?.kind;
  if (kind !== undefined && kind !== "external_user") return false;
  if (ctx?.trigger !== undefined && ctx.trigger !== "user" && ctx.trigger !== "manual") return false;
  return !/(^|:)(subagent|cron|acp|hook)(:|$)/.test(text(ctx?.sessionKey));
}

function userOfSender(config, channel, sender) {
  if (!channel) return null; // the same number may be two people on two channels
  const name = `${channel}:${sender}`;
  const user = Object.hasOwn(config.users, name) ? config.users[name] : name;
  return isUser(user) ? user : null;
}

/** Whether a user of the memory may have this name. */
export function isUser(name) {
  return name !== "" && name.length <= LONGEST_USER && name.trim() === name && !/[\u0000-\u001f\u007f]/.test(name);
}

function channelOf(ctx) {
  return text(ctx?.messageChannel) || text(ctx?.channel) || text(ctx?.messageProvider);
}

function text(value) {
  return typeof value === "string" ? value.trim() : typeof value === "number" ? String(value) : "";
}
