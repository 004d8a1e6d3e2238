import type { Problem } from "./results.js";

/** What is known about a failure. */
export interface ErrorDetails {
  status?: number;
  problem?: Problem;
  requestId?: string;
  retryAfterMs?: number;
  idempotencyKey?: string;
  cause?: unknown;
}

/** The root: every error that the client throws on purpose. A call that the caller aborts throws its signal's reason. */
export class RecollectError extends Error {
  constructor(message: string, details?: ErrorDetails);
  /** The HTTP status; 0 when no answer came. */
  readonly status: number;
  /** The problem document (RFC 9457) of the service, if it sent one. */
  readonly problem: Problem | undefined;
  /** The `X-Request-ID` of the answer, which the service's log has, too. */
  readonly requestId: string | undefined;
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | undefined;
  /** Of a write: passed to the same call again, it is carried out at most once. */
  readonly idempotencyKey: string | undefined;
}
/** An address, a key or a time limit that cannot be one. */
export class SettingsError extends RecollectError {}
/** What the caller passed cannot be stored or searched. */
export class InvalidInput extends RecollectError {}
/** Nothing with that id for this user. */
export class NotFound extends RecollectError {}
/** The caller may not do this. */
export class AccessDenied extends RecollectError {}
/** No key, or one that is wrong, expired or revoked. */
export class UnknownKey extends AccessDenied {}
/** The key is known, but not for this. */
export class NotPermitted extends AccessDenied {}
/** Carried out before, and its answer has been forgotten since. */
export class AlreadyProcessed extends RecollectError {}
/** Another client changed it since the caller looked. */
export class StaleVersion extends RecollectError {}
/** The user has as much as the settings allow, or the disk is full. */
export class QuotaExceeded extends RecollectError {}
/** The service or its store cannot answer. */
export class StoreError extends RecollectError {}
/** The service does not answer, or what answers is no such service. */
export class ServiceUnavailable extends StoreError {}
/** No answer came within the time limit. */
export class TimedOut extends ServiceUnavailable {}
/** The store behind the service is away, or the queue is full. */
export class StoreUnavailable extends StoreError {}
/** Too many requests; `retryAfterMs` says how long to wait. */
export class RateLimited extends StoreError {
  readonly retryAfterMs: number;
}
/** Client and service are of versions that do not understand each other. */
export class VersionMismatch extends StoreError {}
