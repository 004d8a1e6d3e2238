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
