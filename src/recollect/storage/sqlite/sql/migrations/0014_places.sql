-- Places: where memories and messages are, what such places are called, and what was learned by asking.

ALTER TABLE memories ADD COLUMN place TEXT CHECK (length(address) <= 500 AND length(place_label) <= 200);
ALTER TABLE messages ADD COLUMN lat REAL CHECK (lat BETWEEN -90 AND 90);
ALTER TABLE messages ADD COLUMN lng REAL CHECK (lng BETWEEN -180 AND 180) CHECK ((lat IS NULL) = (lng IS NULL));
ALTER TABLE messages ADD COLUMN address TEXT NOT NULL DEFAULT '' CHECK (length(address) <= 500);
ALTER TABLE messages ADD COLUMN place_label TEXT NOT NULL DEFAULT '' CHECK (length(place_label) <= 200);
ALTER TABLE messages ADD COLUMN place TEXT;

CREATE INDEX memories_where ON memories (user_id, lat, lng) WHERE lat IS NOT NULL;
CREATE INDEX memories_place ON memories (user_id, place) WHERE place IS NOT NULL;
CREATE INDEX messages_where ON messages (user_id, lat, lng) WHERE lat IS NOT NULL;
CREATE INDEX messages_place ON messages (user_id, place) WHERE place IS NOT NULL;

-- The names of the places at which something is, as they are embedded. Their ids are hashes of what they are called.
CREATE TABLE places (
    seq         INTEGER PRIMARY KEY,
    user_id     TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    address     TEXT    NOT NULL,
    place_label TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    UNIQUE (user_id, id)
) STRICT;

-- Places that a user has given a name to; each name once, whatever its letter case.
CREATE TABLE named_places (
    user_id    TEXT    NOT NULL,
    folded     TEXT    NOT NULL,
    name       TEXT    NOT NULL CHECK (length(name) <= 200),
    lat        REAL    NOT NULL CHECK (lat BETWEEN -90 AND 90),
    lng        REAL    NOT NULL CHECK (lng BETWEEN -180 AND 180),
    address    TEXT    NOT NULL CHECK (length(address) <= 500),
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, folded)
) STRICT, WITHOUT ROWID;

-- What geocoders said about cells of about a hundred metres.
CREATE TABLE geocodes (
    user_id    TEXT    NOT NULL,
    geocoder   TEXT    NOT NULL,
    cell       TEXT    NOT NULL,
    answer     TEXT    NOT NULL,  -- JSON; null where nothing has a name
    good_until INTEGER,           -- NULL: for good
    used_at    INTEGER NOT NULL,
    PRIMARY KEY (user_id, geocoder, cell)
) STRICT, WITHOUT ROWID;

CREATE INDEX geocodes_used ON geocodes (user_id, used_at);

-- The names of places have vectors too, and an address is one more thing that may be owed.

DROP INDEX embedding_spaces_state;
ALTER TABLE embedding_spaces RENAME TO earlier_spaces;

CREATE TABLE embedding_spaces (
    number        INTEGER NOT NULL PRIMARY KEY,
    kind          TEXT    NOT NULL CHECK (kind IN ('memory', 'message', 'chunk', 'place')),
    provider      TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    revision      TEXT    NOT NULL,
    prefix_scheme TEXT    NOT NULL,
    dimensions    INTEGER NOT NULL CHECK (dimensions > 0),
    normalised    INTEGER NOT NULL CHECK (normalised IN (0, 1)),
    created_at    INTEGER NOT NULL,
    state         TEXT    NOT NULL DEFAULT 'kept' CHECK (state IN ('active', 'building', 'kept')),
    unrelated     REAL,  -- the usual cosine of what has nothing to do with each other, once measured
    UNIQUE (kind, provider, model, revision, prefix_scheme, dimensions, normalised)
) STRICT;

INSERT INTO embedding_spaces (
    number, kind, provider, model, revision, prefix_scheme, dimensions, normalised, created_at, state, unrelated)
SELECT number, kind, provider, model, revision, prefix_scheme, dimensions, normalised, created_at, state, unrelated
  FROM earlier_spaces;

DROP TABLE earlier_spaces;

CREATE UNIQUE INDEX embedding_spaces_state ON embedding_spaces (kind, state) WHERE state <> 'kept';

DROP INDEX jobs_due;
DROP INDEX jobs_bulk;
ALTER TABLE jobs RENAME TO earlier_jobs;

CREATE TABLE jobs (
    user_id     TEXT    NOT NULL,
    kind        TEXT    NOT NULL CHECK (kind IN ('embed', 'geocode')),
    item_kind   TEXT    NOT NULL CHECK (item_kind IN ('memory', 'message', 'chunk', 'place')),
    item_id     TEXT    NOT NULL,
    space       INTEGER NOT NULL,  -- that in which the item lacks a vector; 0 where it lacks an address
    attempts    INTEGER NOT NULL,  -- how often it failed through its own fault
    due_at      INTEGER,           -- NULL: parked, nobody will try again by itself
    lease_until INTEGER,
    bulk        TEXT    NOT NULL DEFAULT '',  -- the batch it is part of
    reason      TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (user_id, item_id, space, kind)
) STRICT;

INSERT INTO jobs (
    user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, bulk, reason, created_at)
SELECT user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, bulk, reason, created_at
  FROM earlier_jobs;

DROP TABLE earlier_jobs;

CREATE INDEX jobs_due ON jobs (space, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_bulk ON jobs (bulk) WHERE bulk <> '';
