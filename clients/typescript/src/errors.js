// The errors of the client, with the names that the Python package has for them:
//
//   RecollectError
//   ├── SettingsError            an address or a key that cannot be one
//   ├── InvalidInput             400, 413, 415, 422: what the caller passed cannot be stored or searched
//   ├── NotFound                 404: nothing with that id for this user
//   ├── AccessDenied
//   │   ├── UnknownKey           401: no key, or one that is wrong, expired or revoked
//   │   └── NotPermitted         403: the key is known, but not for this
//   ├── AlreadyProcessed         410: carried out before, and its answer has been forgotten since
//   ├── StaleVersion             409, 412: another client changed it since the caller looked
//   ├── QuotaExceeded            507: the user has as much as the settings allow, or the disk is full
//   └── StoreError
//       ├── ServiceUnavailable   the service does not answer, or what answers is no such service
//       │   └── TimedOut         no answer within the time limit
//       ├── StoreUnavailable     503: the store behind the service is away, or the queue is full
//       ├── RateLimited          429: too many requests; `retryAfterMs` says how long to wait
//       └── VersionMismatch      client and service are of versions that do not understand each other

/** The root: every error that the client throws on purpose. A call that the caller aborts throws its signal's reason. */
export class RecollectError extends Error {
  static {
    this.prototype.name = "RecollectError";
  }

  constructor(message, { status = 0, problem, requestId, retryAfterMs, idempotencyKey, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.problem = problem;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.idempotencyKey = idempotencyKey;
  }
}

export class SettingsError extends RecollectError {
  static {
    this.prototype.name = "SettingsError";
  }
}

export class InvalidInput extends RecollectError {
  static {
    this.prototype.name = "InvalidInput";
  }
}

export class NotFound extends RecollectError {
  static {
    this.prototype.name = "NotFound";
  }
}

export class AccessDenied extends RecollectError {
  static {
    this.prototype.name = "AccessDenied";
  }
}

export class UnknownKey extends AccessDenied {
  static {
    this.prototype.name = "UnknownKey";
  }
}

export class NotPermitted extends AccessDenied {
  static {
    this.prototype.name = "NotPermitted";
  }
}

export class AlreadyProcessed extends RecollectError {
  static {
    this.prototype.name = "AlreadyProcessed";
  }
}

export class StaleVersion extends RecollectError {
  static {
    this.prototype.name = "StaleVersion";
  }
}

export class QuotaExceeded extends RecollectError {
  static {
    this.prototype.name = "QuotaExceeded";
  }
}

export class StoreError extends RecollectError {
  static {
    this.prototype.name = "StoreError";
  }
}

export class ServiceUnavailable extends StoreError {
  static {
    this.prototype.name = "ServiceUnavailable";
  }
}

export class TimedOut extends ServiceUnavailable {
  static {
    this.prototype.name = "TimedOut";
  }
}

export class StoreUnavailable extends StoreError {
  static {
    this.prototype.name = "StoreUnavailable";
  }
}

export class RateLimited extends StoreError {
  static {
    this.prototype.name = "RateLimited";
  }
}

export class VersionMismatch extends StoreError {
  static {
    this.prototype.name = "VersionMismatch";
  }
}
