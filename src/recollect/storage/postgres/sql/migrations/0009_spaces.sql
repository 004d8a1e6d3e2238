-- An embedding space is searched (`active`), on its way (`building`) or merely `kept`; work is owed to an item in a
-- space; what was paid for is cached. Of the spaces that exist, the newest is the one that has been in use.

ALTER TABLE embedding_spaces ADD COLUMN state text NOT NULL DEFAULT 'kept'
    CHECK (state IN ('active', 'building', 'kept'));

-- The usual cosine of what has nothing to do with each other; NULL until somebody has measured it.
ALTER TABLE embedding_spaces ADD COLUMN unrelated double precision;

UPDATE embedding_spaces SET state = 'active'
 WHERE (provider, model, revision, prefix_scheme, dimensions, normalised) IN (
       SELECT provider, model, revision, prefix_scheme, dimensions, normalised
         FROM embedding_spaces WHERE number = (SELECT max(number) FROM embedding_spaces));

CREATE UNIQUE INDEX embedding_spaces_state ON embedding_spaces (kind, state) WHERE state <> 'kept';

CREATE TEMPORARY TABLE earlier_jobs AS SELECT * FROM jobs;
DROP TABLE jobs;

CREATE TABLE jobs (
    user_id     text        NOT NULL,
    kind        text        NOT NULL CHECK (kind IN ('embed')),
    item_kind   text        NOT NULL CHECK (item_kind IN ('memory', 'message')),
    item_id     uuid        NOT NULL,
    space       integer     NOT NULL,  -- the number of the space in which the item lacks a vector
    attempts    integer     NOT NULL,  -- how often it failed through its own fault
    due_at      timestamptz,           -- NULL: parked, nobody will try again by itself
    lease_until timestamptz,
    bulk        text        NOT NULL DEFAULT '',  -- the batch it is part of
    reason      text        NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (user_id, item_id, space, kind)
);

-- Work that was waiting for a space that was never made is found again by what lacks a vector.
INSERT INTO jobs (user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, reason, created_at)
SELECT j.user_id, j.kind, j.item_kind, j.item_id, s.number, 0, coalesce(j.due_at, j.created_at), NULL, j.reason, j.created_at
  FROM earlier_jobs j JOIN embedding_spaces s ON s.kind = j.item_kind AND s.state = 'active';

DROP TABLE earlier_jobs;

CREATE INDEX jobs_due ON jobs (space, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_bulk ON jobs (bulk) WHERE bulk <> '';

-- Vectors that were paid for, by a hash that is another one for every user. They go with the item they were made for.
CREATE TABLE embedding_cache (
    user_id text        NOT NULL,
    key     text        NOT NULL,
    space   text        NOT NULL,
    role    text        NOT NULL CHECK (role IN ('query', 'passage')),
    item_id text        NOT NULL,  -- '' for a question
    vector  bytea       NOT NULL,
    kept_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, key, space, role)
);

CREATE INDEX embedding_cache_items ON embedding_cache (user_id, item_id);
CREATE INDEX embedding_cache_age ON embedding_cache (kept_at);

CREATE TABLE embedding_cache_uses (
    user_id text   NOT NULL PRIMARY KEY,
    hits    bigint NOT NULL,
    misses  bigint NOT NULL
);

-- What was handed in to a provider's batch API and has not come back yet, or has.
CREATE TABLE bulk_batches (
    id           text        NOT NULL PRIMARY KEY,
    space        text        NOT NULL,
    provider_id  text        NOT NULL,  -- '' until the provider has given one
    state        text        NOT NULL
                 CHECK (state IN ('submitting', 'running', 'collecting', 'collected', 'failed', 'cancelled')),
    texts        integer     NOT NULL,
    done         integer     NOT NULL,
    tokens       bigint      NOT NULL,  -- an estimate until it is collected
    reason       text        NOT NULL,
    submitted_at timestamptz NOT NULL,
    checked_at   timestamptz NOT NULL
);
