-- Files: documents, and folders that are kept in step, cut into chunks that are searched like memories and messages.

ALTER TABLE users ADD COLUMN chunks INTEGER NOT NULL DEFAULT 0;

-- A synced file is known by its root and its path beneath it; one that was added by itself has no root.
CREATE TABLE files (
    user_id    TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    root       TEXT    NOT NULL,
    path       TEXT    NOT NULL,
    name       TEXT    NOT NULL,  -- the last part of the path, without case
    source     TEXT    NOT NULL CHECK (source IN ('memory', 'sessions', 'document')),
    kind       TEXT    NOT NULL,
    mime       TEXT    NOT NULL,
    size       INTEGER NOT NULL CHECK (size >= 0),
    mtime_ns   INTEGER NOT NULL,
    digest     TEXT    NOT NULL,  -- the SHA-256 of its bytes
    recipe     INTEGER NOT NULL,  -- which version of the chunker cut it
    lines      INTEGER NOT NULL,
    chunks     INTEGER NOT NULL,
    trust      INTEGER NOT NULL CHECK (trust BETWEEN 0 AND 3),
    original   TEXT    NOT NULL,  -- the name of the copy of its bytes, '' for none
    dated_at   INTEGER,
    notes      TEXT    NOT NULL,
    metadata   TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) STRICT;

CREATE UNIQUE INDEX files_place ON files (user_id, root, path) WHERE root <> '';
CREATE INDEX files_marks ON files (user_id, root, path, size, mtime_ns, recipe) WHERE root <> '';
CREATE UNIQUE INDEX files_document ON files (user_id, digest) WHERE root = '';
CREATE INDEX files_name ON files (user_id, name);

CREATE TABLE chunks (
    seq          INTEGER PRIMARY KEY,
    user_id      TEXT    NOT NULL,
    id           TEXT    NOT NULL,
    file_id      TEXT    NOT NULL,
    content      TEXT    NOT NULL,
    heading      TEXT    NOT NULL,
    content_hash TEXT    NOT NULL,  -- of heading and content
    start_line   INTEGER NOT NULL,
    end_line     INTEGER NOT NULL,
    start_column INTEGER NOT NULL,
    role         TEXT    NOT NULL,
    trust        INTEGER NOT NULL CHECK (trust BETWEEN 0 AND 3),
    dated_at     INTEGER,
    created_at   INTEGER NOT NULL,
    terms        TEXT    NOT NULL,
    UNIQUE (user_id, id)
) STRICT;

CREATE INDEX chunks_file ON chunks (user_id, file_id, start_line, start_column);
CREATE INDEX chunks_same ON chunks (user_id, content_hash);

CREATE VIEW chunk_terms_source AS SELECT seq, hex(user_id) AS user_token, terms FROM chunks;

CREATE VIRTUAL TABLE chunk_terms USING fts5 (
    user_token, terms,
    content = 'chunk_terms_source', content_rowid = 'seq', tokenize = "ascii tokenchars '._-@#/:+'"
);
INSERT INTO chunk_terms (chunk_terms, rank) VALUES ('secure-delete', 1);

-- Folders that were synced, by which rules, and what could not be read the last time.
CREATE TABLE folders (
    user_id      TEXT    NOT NULL,
    root         TEXT    NOT NULL,
    source       TEXT    NOT NULL CHECK (source IN ('memory', 'sessions')),
    rules        TEXT    NOT NULL,
    scanned_at   INTEGER NOT NULL,
    completed_at INTEGER,           -- NULL: never to its end
    trouble      TEXT    NOT NULL,
    PRIMARY KEY (user_id, root)
) STRICT, WITHOUT ROWID;

-- Chunks are one more kind of item: in embedding spaces, in the queue, and in the order of changes.

DROP INDEX embedding_spaces_state;
ALTER TABLE embedding_spaces RENAME TO earlier_spaces;

CREATE TABLE embedding_spaces (
    number        INTEGER NOT NULL PRIMARY KEY,
    kind          TEXT    NOT NULL CHECK (kind IN ('memory', 'message', 'chunk')),
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
    kind        TEXT    NOT NULL CHECK (kind IN ('embed')),
    item_kind   TEXT    NOT NULL CHECK (item_kind IN ('memory', 'message', 'chunk')),
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

INSERT INTO jobs (
    user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, bulk, reason, created_at)
SELECT user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, bulk, reason, created_at
  FROM earlier_jobs;

DROP TABLE earlier_jobs;

CREATE INDEX jobs_due ON jobs (space, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_bulk ON jobs (bulk) WHERE bulk <> '';

ALTER TABLE changes RENAME TO earlier_changes;

CREATE TABLE changes (
    user_id    TEXT    NOT NULL,
    number     INTEGER NOT NULL,
    what       TEXT    NOT NULL CHECK (what IN ('stored', 'words', 'embedded')),
    item_kind  TEXT    NOT NULL CHECK (item_kind IN ('memory', 'message', 'chunk')),
    item_id    TEXT    NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, number)
) STRICT, WITHOUT ROWID;

INSERT INTO changes (user_id, number, what, item_kind, item_id, changed_at)
SELECT user_id, number, what, item_kind, item_id, changed_at FROM earlier_changes;

DROP TABLE earlier_changes;

-- What people see who open the file with sqlite3.

CREATE VIEW file_chunks AS
SELECT c.user_id, c.id, c.file_id, f.root, f.path, c.start_line, c.end_line, c.heading, c.content AS chunk_text,
       row_number() OVER (PARTITION BY c.user_id, c.file_id ORDER BY c.start_line, c.start_column, c.id) - 1 AS chunk_index
  FROM chunks c
  JOIN files f ON f.user_id = c.user_id AND f.id = c.file_id;

DROP VIEW conversation_stats;

CREATE VIEW conversation_stats AS
SELECT u.user_id,
       (SELECT count(*) FROM conversations c WHERE c.user_id = u.user_id) AS conversations,
       (SELECT count(*) FROM memories m WHERE m.user_id = u.user_id AND m.superseded_by IS NULL) AS total_memories,
       (SELECT count(*) FROM messages m WHERE m.user_id = u.user_id AND m.role = 'user') AS total_requests,
       (SELECT count(*) FROM messages m WHERE m.user_id = u.user_id AND m.role = 'assistant') AS total_responses,
       (SELECT count(*) FROM messages m WHERE m.user_id = u.user_id AND m.role = 'reasoning') AS total_reasoning,
       (SELECT count(*) FROM files f WHERE f.user_id = u.user_id) AS total_files,
       (SELECT count(*) FROM chunks c WHERE c.user_id = u.user_id) AS total_chunks,
       (SELECT coalesce(sum(m.tokens), 0) FROM messages m WHERE m.user_id = u.user_id) AS total_tokens
  FROM users u;
