-- What a user keeps. `seq` is the row's physical address, which FTS5 and the vector tables share; everything that
-- means something is keyed by the user. Times are microseconds since 1970 in UTC; the views show them as text.

CREATE TABLE users (
    user_id    TEXT    NOT NULL PRIMARY KEY,
    generation INTEGER NOT NULL,  -- grows with every write
    resets     INTEGER NOT NULL,  -- grows when rows vanish or get a vector late: what processes keep in memory is void
    memories   INTEGER NOT NULL   -- how many rows, of any validity
) STRICT, WITHOUT ROWID;

CREATE TABLE sequence (
    name  TEXT    NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL        -- the last number given out; numbers are never used again
) STRICT, WITHOUT ROWID;

INSERT INTO sequence (name, value) VALUES ('item', 0), ('space', 0);

CREATE TABLE memories (
    seq           INTEGER PRIMARY KEY,
    user_id       TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    type          TEXT    NOT NULL,
    content       TEXT    NOT NULL,
    content_hash  TEXT    NOT NULL,
    subject       TEXT    NOT NULL,
    key           TEXT    NOT NULL,
    value         TEXT    NOT NULL,
    context       TEXT    NOT NULL,
    importance    REAL    NOT NULL CHECK (importance BETWEEN 0 AND 1),
    confidence    REAL    NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    source        TEXT    NOT NULL,
    trust         INTEGER NOT NULL CHECK (trust BETWEEN 0 AND 3),
    session_id    TEXT    NOT NULL,
    occurred_at   INTEGER,
    valid_from    INTEGER NOT NULL,
    valid_until   INTEGER,
    superseded_by TEXT,
    expires_at    INTEGER,
    lat           REAL    CHECK (lat BETWEEN -90 AND 90),
    lng           REAL    CHECK (lng BETWEEN -180 AND 180),
    address       TEXT    NOT NULL,
    place_label   TEXT    NOT NULL,
    metadata      TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    terms         TEXT    NOT NULL,  -- the analysed words, with blanks between them
    UNIQUE (user_id, id),
    CHECK ((lat IS NULL) = (lng IS NULL))
) STRICT;

-- The same thing is kept once. Versions that were superseded do not count: what was true may become true again.
CREATE UNIQUE INDEX memories_once ON memories (user_id, content_hash, type, subject, key, context)
    WHERE superseded_by IS NULL;
CREATE INDEX memories_slot ON memories (user_id, subject, key, context) WHERE key <> '';
CREATE INDEX memories_subject ON memories (user_id, subject) WHERE subject <> '';
CREATE INDEX memories_versions ON memories (user_id, superseded_by) WHERE superseded_by IS NOT NULL;

-- The index of the analysed words. The user is a token of its own column, so that the index itself keeps users apart.
-- It holds no text of its own: what it indexes is what the view shows.
CREATE VIEW memory_terms_source AS SELECT seq, hex(user_id) AS user_token, terms FROM memories;

CREATE VIRTUAL TABLE memory_terms USING fts5 (
    user_token, terms,
    content = 'memory_terms_source', content_rowid = 'seq', tokenize = "ascii tokenchars '._-@#/:+'"
);
INSERT INTO memory_terms (memory_terms, rank) VALUES ('secure-delete', 1);
