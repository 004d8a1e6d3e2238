-- An embedding space is searched (`active`), on its way (`building`) or merely `kept`; work is owed to an item in a
-- space; what was paid for is cached. Of the spaces that exist, the newest is the one that has been in use.

ALTER TABLE embedding_spaces ADD COLUMN state TEXT NOT NULL DEFAULT 'kept'
    CHECK (state IN ('active', 'building', 'kept'));

-- The usual cosine of what has nothing to do with each other; NULL until somebody has measured it.
ALTER TABLE embedding_spaces ADD COLUMN unrelated REAL;

UPDATE embedding_spaces SET state = 'active'
 WHERE (provider, model, revision, prefix_scheme, dimensions, normalised) IN (
       SELECT provider, model, revision, prefix_scheme, dimensions, normalised
         FROM embedding_spaces WHERE number = (SELECT max(number) FROM embedding_spaces));

CREATE UNIQUE INDEX embedding_spaces_state ON embedding_spaces (kind, state) WHERE state <> 'kept';

-- Vectors that came after their rows: what a process has loaded is not complete up to the newest number.
ALTER TABLE users ADD COLUMN late INTEGER NOT NULL DEFAULT 0;

DROP INDEX jobs_due;
ALTER TABLE jobs RENAME TO earlier_jobs;

CREATE TABLE jobs (
    user_id     TEXT    NOT NULL,
    kind        TEXT    NOT NULL CHECK (kind IN ('embed')),
    item_kind   TEXT    NOT NULL CHECK (item_kind IN ('memory', 'message')),
    item_id     TEXT    NOT NULL,
    space       INTEGER NOT NULL,  -- the number of the space in which the item lacks a vector
    attempts    INTEGER NOT NULL,  -- how often it failed through its own fault
    due_at      INTEGER,           -- NULL: parked, nobody will try again by itself
    lease_until INTEGER,
    bulk        TEXT    NOT NULL DEFAULT '',  -- the batch it is part of
    reason      TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (user_id, item_id, space, kind)
) STRICT;

-- Work that was waiting for a space that was never made is found again by what lacks a vector.
INSERT INTO jobs (user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, reason, created_at)
SELECT j.user_id, j.kind, j.item_kind, j.item_id, s.number, 0, coalesce(j.due_at, j.created_at), NULL, j.reason, j.created_at
  FROM earlier_jobs j JOIN embedding_spaces s ON s.kind = j.item_kind AND s.state = 'active';

DROP TABLE earlier_jobs;

CREATE INDEX jobs_due ON jobs (space, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_bulk ON jobs (bulk) WHERE bulk <> '';

-- Vectors that were paid for, by a hash that is another one for every user. They go with the item they were made for.
CREATE TABLE embedding_cache (
    user_id TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    space   TEXT    NOT NULL,
    role    TEXT    NOT NULL CHECK (role IN ('query', 'passage')),
    item_id TEXT    NOT NULL,  -- '' for a question
    vector  BLOB    NOT NULL,
    kept_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, key, space, role)
) STRICT;

CREATE INDEX embedding_cache_items ON embedding_cache (user_id, item_id);
CREATE INDEX embedding_cache_age ON embedding_cache (kept_at);

CREATE TABLE embedding_cache_uses (
    user_id TEXT    NOT NULL PRIMARY KEY,
    hits    INTEGER NOT NULL,
    misses  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What was handed in to a provider's batch API and has not come back yet, or has.
CREATE TABLE bulk_batches (
    id           TEXT    NOT NULL PRIMARY KEY,
    space        TEXT    NOT NULL,
    provider_id  TEXT    NOT NULL,  -- '' until the provider has given one
    state        TEXT    NOT NULL
                 CHECK (state IN ('submitting', 'running', 'collecting', 'collected', 'failed', 'cancelled')),
    texts        INTEGER NOT NULL,
    done         INTEGER NOT NULL,
    tokens       INTEGER NOT NULL,  -- an estimate until it is collected
    reason       TEXT    NOT NULL,
    submitted_at INTEGER NOT NULL,
    checked_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
