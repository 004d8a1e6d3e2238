-- Files: documents, and folders that are kept in step, cut into chunks that are searched like memories and messages.

ALTER TABLE users ADD COLUMN chunks bigint NOT NULL DEFAULT 0;

-- A synced file is known by its root and its path beneath it; one that was added by itself has no root.
CREATE TABLE files (
    user_id    text        NOT NULL,
    id         uuid        NOT NULL,
    root       text        NOT NULL,
    path       text        NOT NULL,
    name       text        NOT NULL,  -- the last part of the path, without case
    source     text        NOT NULL CHECK (source IN ('memory', 'sessions', 'document')),
    kind       text        NOT NULL,
    mime       text        NOT NULL,
    size       bigint      NOT NULL CHECK (size >= 0),
    mtime_ns   bigint      NOT NULL,
    digest     text        NOT NULL,  -- the SHA-256 of its bytes
    recipe     integer     NOT NULL,  -- which version of the chunker cut it
    lines      bigint      NOT NULL,
    chunks     bigint      NOT NULL,
    trust      smallint    NOT NULL CHECK (trust BETWEEN 0 AND 3),
    original   text        NOT NULL,  -- the name of the copy of its bytes, '' for none
    dated_at   timestamptz,
    notes      jsonb       NOT NULL,
    metadata   jsonb       NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE UNIQUE INDEX files_place ON files (user_id, root, path) WHERE root <> '';
CREATE INDEX files_marks ON files (user_id, root, path, size, mtime_ns, recipe) WHERE root <> '';
CREATE UNIQUE INDEX files_document ON files (user_id, digest) WHERE root = '';
CREATE INDEX files_name ON files (user_id, name);

CREATE TABLE chunks (
    user_id      text        NOT NULL,
    id           uuid        NOT NULL,
    file_id      uuid        NOT NULL,
    content      text        NOT NULL,
    heading      text        NOT NULL,
    content_hash text        NOT NULL,  -- of heading and content
    start_line   bigint      NOT NULL,
    end_line     bigint      NOT NULL,
    start_column bigint      NOT NULL,
    role         text        NOT NULL,
    trust        smallint    NOT NULL CHECK (trust BETWEEN 0 AND 3),
    dated_at     timestamptz,
    created_at   timestamptz NOT NULL,
    terms        text[]      NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE INDEX chunks_file ON chunks (user_id, file_id, start_line, start_column);
CREATE INDEX chunks_same ON chunks (user_id, content_hash);

-- The analysed words, as they come from the analyser that both stores share.
CREATE INDEX chunks_terms ON chunks USING gin (terms);

-- Folders that were synced, by which rules, and what could not be read the last time.
CREATE TABLE folders (
    user_id      text        NOT NULL,
    root         text        NOT NULL,
    source       text        NOT NULL CHECK (source IN ('memory', 'sessions')),
    rules        jsonb       NOT NULL,
    scanned_at   timestamptz NOT NULL,
    completed_at timestamptz,           -- NULL: never to its end
    trouble      jsonb       NOT NULL,
    PRIMARY KEY (user_id, root)
);

-- Chunks are one more kind of item: in embedding spaces, in the queue, and in the order of changes.

ALTER TABLE embedding_spaces DROP CONSTRAINT embedding_spaces_kind_check;
ALTER TABLE embedding_spaces
  ADD CONSTRAINT embedding_spaces_kind_check CHECK (kind IN ('memory', 'message', 'chunk'));
ALTER TABLE jobs DROP CONSTRAINT jobs_item_kind_check;
ALTER TABLE jobs ADD CONSTRAINT jobs_item_kind_check CHECK (item_kind IN ('memory', 'message', 'chunk'));
ALTER TABLE changes DROP CONSTRAINT changes_item_kind_check;
ALTER TABLE changes ADD CONSTRAINT changes_item_kind_check CHECK (item_kind IN ('memory', 'message', 'chunk'));

-- What people see who open the database with psql.

CREATE VIEW file_chunks WITH (security_invoker = true) AS
SELECT c.user_id, c.id, c.file_id, f.root, f.path, c.start_line, c.end_line, c.heading, c.content AS chunk_text,
       row_number() OVER (PARTITION BY c.user_id, c.file_id ORDER BY c.start_line, c.start_column, c.id) - 1 AS chunk_index
  FROM chunks c
  JOIN files f ON f.user_id = c.user_id AND f.id = c.file_id;

DROP VIEW conversation_stats;

CREATE VIEW conversation_stats WITH (security_invoker = true) AS
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
