-- The whole schema at a glance: what all migrations together make. A test keeps the two equal; the package never runs
-- this file. The table of an embedding space is in space.sql.

CREATE EXTENSION IF NOT EXISTS vector;

-- Which steps were taken. The ledger itself is made by migrate.py.
CREATE TABLE schema_migrations (
    version    integer     NOT NULL PRIMARY KEY,
    name       text        NOT NULL,
    checksum   text        NOT NULL,
    applied_at timestamptz NOT NULL
);

-- What a user keeps. The user comes first in every key, so that the same tables serve one machine or many.

CREATE TABLE users (
    user_id    text   NOT NULL PRIMARY KEY,
    generation bigint NOT NULL,  -- grows with every write
    resets     bigint NOT NULL,  -- grows when rows vanish or get a vector late: what processes keep in memory is void
    memories   bigint NOT NULL   -- how many rows, of any validity
);

CREATE TABLE memories (
    user_id       text             NOT NULL,
    id            uuid             NOT NULL,
    type          text             NOT NULL,
    content       text             NOT NULL,
    content_hash  text             NOT NULL,
    subject       text             NOT NULL,
    key           text             NOT NULL,
    value         text             NOT NULL,
    context       text             NOT NULL,
    importance    double precision NOT NULL CHECK (importance BETWEEN 0 AND 1),
    confidence    double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    source        text             NOT NULL,
    trust         smallint         NOT NULL CHECK (trust BETWEEN 0 AND 3),
    session_id    text             NOT NULL,
    occurred_at   timestamptz,
    valid_from    timestamptz      NOT NULL,
    valid_until   timestamptz,
    superseded_by uuid,
    expires_at    timestamptz,
    lat           double precision CHECK (lat BETWEEN -90 AND 90),
    lng           double precision CHECK (lng BETWEEN -180 AND 180),
    address       text             NOT NULL,
    place_label   text             NOT NULL,
    metadata      jsonb            NOT NULL,
    created_at    timestamptz      NOT NULL,
    updated_at    timestamptz      NOT NULL,
    terms         text[]           NOT NULL,
    PRIMARY KEY (user_id, id),
    CHECK ((lat IS NULL) = (lng IS NULL))
);

-- The same thing is kept once. Versions that were superseded do not count: what was true may become true again.
CREATE UNIQUE INDEX memories_once ON memories (user_id, content_hash, type, subject, key, context)
    WHERE superseded_by IS NULL;
CREATE INDEX memories_slot ON memories (user_id, subject, key, context) WHERE key <> '';
CREATE INDEX memories_subject ON memories (user_id, subject) WHERE subject <> '';
CREATE INDEX memories_versions ON memories (user_id, superseded_by) WHERE superseded_by IS NOT NULL;

-- The analysed words, as they come from the analyser that both stores share: no parser of the database's own.
CREATE INDEX memories_terms ON memories USING gin (terms);

-- Embedding spaces. Each has a table of its own, made from space.sql when it is registered.

CREATE TABLE embedding_spaces (
    number        integer     NOT NULL PRIMARY KEY,
    provider      text        NOT NULL,
    model         text        NOT NULL,
    revision      text        NOT NULL,
    prefix_scheme text        NOT NULL,
    dimensions    integer     NOT NULL CHECK (dimensions > 0),
    normalised    boolean     NOT NULL,
    created_at    timestamptz NOT NULL,
    UNIQUE (provider, model, revision, prefix_scheme, dimensions, normalised)
);

-- Work that is owed to a row, written in the same transaction as the row.

CREATE TABLE jobs (
    user_id     text        NOT NULL,
    id          uuid        NOT NULL,
    kind        text        NOT NULL CHECK (kind IN ('embed')),
    item_id     uuid        NOT NULL,
    attempts    integer     NOT NULL,
    due_at      timestamptz,           -- NULL: parked, nobody will try again by itself
    lease_until timestamptz,
    reason      text        NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, kind, item_id)
);

CREATE INDEX jobs_due ON jobs (due_at) WHERE due_at IS NOT NULL;

-- The tables that people expect to find when they open the database with psql: what is live.
-- They run with the rights of whoever asks, so that they never show more than the tables would.

CREATE VIEW entity_facts WITH (security_invoker = true) AS
SELECT user_id, id, subject AS entity_id, key AS fact_type, content, value, source, confidence,
       created_at, updated_at, valid_until
  FROM memories
 WHERE type = 'fact' AND subject <> '' AND superseded_by IS NULL;

CREATE VIEW preferences WITH (security_invoker = true) AS
SELECT user_id, id, subject AS category, key, value, context, content, confidence, source AS learned_from,
       created_at, updated_at
  FROM memories
 WHERE type = 'preference' AND superseded_by IS NULL;

CREATE VIEW events WITH (security_invoker = true) AS
SELECT user_id, id, key AS event_type, subject AS entity_id, content AS summary, value AS details, importance,
       coalesce(occurred_at, created_at) AS timestamp
  FROM memories
 WHERE type = 'event' AND superseded_by IS NULL;

CREATE VIEW lessons WITH (security_invoker = true) AS
SELECT user_id, id, content AS lesson, context, confidence, source, created_at
  FROM memories
 WHERE type = 'lesson' AND superseded_by IS NULL;
