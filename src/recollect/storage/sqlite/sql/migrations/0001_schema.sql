-- The schema. The table schema_migrations is made by migrate.py, the tables of an embedding space by space.sql.
--
-- `seq` is a row's physical address, which FTS5 and the vector tables share; everything that means something is keyed by the
-- user. Times are microseconds since 1970 in UTC; the views show them as text.

-- The store ---------------------------------------------------------------------------------------------------------------

-- Marks the file in its header as one of Recollect's ('RCLT'), so that file(1) and backup programs can tell it apart.
PRAGMA application_id = 1380142164;

CREATE TABLE sequence (
    name  TEXT    NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL        -- the last number given out; numbers are never used again
) STRICT, WITHOUT ROWID;

INSERT INTO sequence (name, value) VALUES ('item', 0), ('space', 0);

-- What is true of the store as a whole: which version of the analyser its terms were made with (migrate.py notes which), and
-- which version of the texts that are embedded all its vectors are of.
CREATE TABLE store_marks (
    name  TEXT    NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO store_marks (name, value) VALUES ('analyser', 1), ('passages', 3);

-- What keys the hashes of forgotten texts: without it a short text could be guessed from its tombstone. The secrets of other
-- stores are those of tombstones that were brought from there.
CREATE TABLE store_secrets (
    name  TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO store_secrets (name, value) VALUES ('tombstones', randomblob(32));

-- Users, and who may see what ---------------------------------------------------------------------------------------------

CREATE TABLE users (
    user_id    TEXT    NOT NULL PRIMARY KEY,
    generation INTEGER NOT NULL,  -- grows with every write
    resets     INTEGER NOT NULL,  -- grows when rows vanish: what processes keep in memory is void
    memories   INTEGER NOT NULL,  -- how many rows, of any validity
    messages   INTEGER NOT NULL DEFAULT 0,
    late       INTEGER NOT NULL DEFAULT 0,  -- grows when vectors come after their rows
    changes    INTEGER NOT NULL DEFAULT 0,  -- the number of the newest
    chunks     INTEGER NOT NULL DEFAULT 0,
    bytes      INTEGER NOT NULL DEFAULT 0   -- of texts: memories with values, messages with blocks, chunks. Quotas ask for it
) STRICT, WITHOUT ROWID;

-- Who may see a shared scope. The items of a scope are those of a user with a reserved name, `scope:NAME`.
CREATE TABLE scope_members (
    user_id  TEXT    NOT NULL,  -- the member
    scope_id TEXT    NOT NULL CHECK (substr(scope_id, 1, 6) = 'scope:'),
    role     TEXT    NOT NULL CHECK (role IN ('reader', 'writer')),
    added_at INTEGER NOT NULL,
    added_by TEXT    NOT NULL,
    PRIMARY KEY (user_id, scope_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX scope_members_scope ON scope_members (scope_id, user_id);

-- Keys. Of the secret only a hash is kept; an admin's key has no user ('').
CREATE TABLE api_keys (
    id           TEXT    NOT NULL PRIMARY KEY,
    name         TEXT    NOT NULL,
    user_id      TEXT    NOT NULL,
    scopes       TEXT    NOT NULL,
    secret_hash  TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    revoked_at   INTEGER,
    last_used_at INTEGER
) STRICT;

-- Memories ----------------------------------------------------------------------------------------------------------------

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
    address       TEXT    NOT NULL CHECK (length(address) <= 500),
    place_label   TEXT    NOT NULL CHECK (length(place_label) <= 200),
    metadata      TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    terms         TEXT    NOT NULL,  -- the analysed words, with blanks between them
    place         TEXT,              -- the id of its name
    media         TEXT    NOT NULL DEFAULT '[]',  -- pictures and the like
    UNIQUE (user_id, id),
    CHECK ((lat IS NULL) = (lng IS NULL))
) STRICT;

-- The same thing is kept once. Versions that were superseded do not count: what was true may become true again.
CREATE UNIQUE INDEX memories_once ON memories (user_id, content_hash, type, subject, key, context)
    WHERE superseded_by IS NULL;
CREATE INDEX memories_slot ON memories (user_id, subject, key, context) WHERE key <> '';
CREATE INDEX memories_subject ON memories (user_id, subject) WHERE subject <> '';
CREATE INDEX memories_versions ON memories (user_id, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memories_where ON memories (user_id, lat, lng) WHERE lat IS NOT NULL;
CREATE INDEX memories_place ON memories (user_id, place) WHERE place IS NOT NULL;

-- The index of the analysed words. The user is a token of its own column, so that the index itself keeps users apart.
-- It holds no text of its own: what it indexes is what the view shows.
CREATE VIEW memory_terms_source AS SELECT seq, hex(user_id) AS user_token, terms FROM memories;

CREATE VIRTUAL TABLE memory_terms USING fts5 (
    user_token, terms,
    content = 'memory_terms_source', content_rowid = 'seq', tokenize = "ascii tokenchars '._-@#/:+'"
);
INSERT INTO memory_terms (memory_terms, rank) VALUES ('secure-delete', 1);

-- Conversations: what was said, and what was made from what ---------------------------------------------------------------

CREATE TABLE conversations (
    user_id          TEXT    NOT NULL,
    id               TEXT    NOT NULL,
    private          INTEGER NOT NULL CHECK (private IN (0, 1)),  -- nothing that is said in it is kept
    last_sequence    INTEGER NOT NULL,
    compacting_until INTEGER,           -- a lease: until then one process alone may have it summarised
    metadata         TEXT    NOT NULL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX conversations_recent ON conversations (user_id, updated_at);

CREATE TABLE messages (
    seq             INTEGER PRIMARY KEY,
    user_id         TEXT    NOT NULL,
    id              TEXT    NOT NULL,
    conversation_id TEXT    NOT NULL,
    external_id     TEXT    NOT NULL,
    sequence        INTEGER NOT NULL,
    role            TEXT    NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool', 'reasoning', 'summary')),
    content         TEXT    NOT NULL,
    blocks          TEXT    NOT NULL,
    tool_calls      TEXT    NOT NULL,
    tool_call_id    TEXT    NOT NULL,
    tokens          INTEGER NOT NULL CHECK (tokens >= 0),
    status          TEXT    NOT NULL CHECK (status IN ('active', 'compacted', 'archived')),
    trust           INTEGER NOT NULL CHECK (trust BETWEEN 0 AND 3),
    model           TEXT    NOT NULL,
    input_tokens    INTEGER,
    output_tokens   INTEGER,
    thinking_tokens INTEGER,
    feedback        INTEGER CHECK (feedback IN (-1, 1)),
    metadata        TEXT    NOT NULL,
    said_at         INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    learned         INTEGER NOT NULL CHECK (learned IN (0, 1)),  -- what it teaches has been kept
    terms           TEXT    NOT NULL,
    speaker         TEXT    NOT NULL DEFAULT '',  -- the name of the person who spoke
    lat             REAL    CHECK (lat BETWEEN -90 AND 90),
    lng             REAL    CHECK (lng BETWEEN -180 AND 180),
    address         TEXT    NOT NULL DEFAULT '' CHECK (length(address) <= 500),
    place_label     TEXT    NOT NULL DEFAULT '' CHECK (length(place_label) <= 200),
    place           TEXT,
    media           TEXT    NOT NULL DEFAULT '[]',
    UNIQUE (user_id, id),
    CHECK ((lat IS NULL) = (lng IS NULL))
) STRICT;

CREATE INDEX messages_order ON messages (user_id, conversation_id, sequence, said_at, id);
CREATE INDEX messages_active ON messages (user_id, conversation_id, sequence, said_at, id, role, tokens)
    WHERE status = 'active';
CREATE INDEX messages_where ON messages (user_id, lat, lng) WHERE lat IS NOT NULL;
CREATE INDEX messages_place ON messages (user_id, place) WHERE place IS NOT NULL;

-- A message that its host delivers again is known by the host's id for it.
CREATE UNIQUE INDEX messages_once ON messages (user_id, conversation_id, external_id) WHERE external_id <> '';

-- A conversation has one live summary, also when two processes compact it at once.
CREATE UNIQUE INDEX messages_summary ON messages (user_id, conversation_id) WHERE role = 'summary' AND status = 'active';

CREATE VIEW message_terms_source AS SELECT seq, hex(user_id) AS user_token, terms FROM messages;

CREATE VIRTUAL TABLE message_terms USING fts5 (
    user_token, terms,
    content = 'message_terms_source', content_rowid = 'seq', tokenize = "ascii tokenchars '._-@#/:+'"
);
INSERT INTO message_terms (message_terms, rank) VALUES ('secure-delete', 1);

-- What was made from what: a summary from messages, a memory from the message it was captured in.
CREATE TABLE derivations (
    user_id     TEXT    NOT NULL,
    made_kind   TEXT    NOT NULL CHECK (made_kind IN ('memory', 'message')),
    made_id     TEXT    NOT NULL,
    source_kind TEXT    NOT NULL CHECK (source_kind IN ('memory', 'message')),
    source_id   TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (user_id, made_id, source_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX derivations_source ON derivations (user_id, source_id);

-- Which of the originals that are kept belong to the media of which memories and messages.
CREATE TABLE media_originals (
    user_id  TEXT    NOT NULL,
    item_id  TEXT    NOT NULL,  -- the memory or message
    original TEXT    NOT NULL CHECK (length(original) = 64),  -- the SHA-256 of the bytes
    size     INTEGER NOT NULL CHECK (size >= 0),
    PRIMARY KEY (user_id, item_id, original)
) STRICT, WITHOUT ROWID;

CREATE INDEX media_originals_bytes ON media_originals (original, user_id);

-- Files: documents, and folders that are kept in step, cut into chunks that are searched like memories and messages -------

-- A synced file is known by its root and its path beneath it; one that was added by itself has no root. A file that was
-- changed has another time of change or another inode, also where its size and its time of modification are what they were.
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
    ctime_ns   INTEGER NOT NULL DEFAULT 0,
    inode      INTEGER NOT NULL DEFAULT 0,
    lat        REAL,              -- where a photo was taken, as far as it says so
    lng        REAL,
    PRIMARY KEY (user_id, id)
) STRICT;

CREATE UNIQUE INDEX files_place ON files (user_id, root, path) WHERE root <> '';
CREATE INDEX files_marks ON files (user_id, root, path, size, mtime_ns, ctime_ns, inode, recipe) WHERE root <> '';
CREATE UNIQUE INDEX files_document ON files (user_id, digest) WHERE root = '';
CREATE INDEX files_name ON files (user_id, name);
CREATE INDEX files_where ON files (user_id, lat, lng) WHERE lat IS NOT NULL;

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
    machine      TEXT    NOT NULL DEFAULT '',  -- on which it was named; it is opened nowhere else
    PRIMARY KEY (user_id, root)
) STRICT, WITHOUT ROWID;

-- Places ------------------------------------------------------------------------------------------------------------------

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

-- Vectors, and work that is owed ------------------------------------------------------------------------------------------

-- Embedding spaces, one for each kind of item that is searched: one is searched, one may be on its way, others are kept.
-- Each has tables of its own, made from space.sql when it is registered.
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

CREATE UNIQUE INDEX embedding_spaces_state ON embedding_spaces (kind, state) WHERE state <> 'kept';

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

-- Work that is owed to an item, written in the same transaction as the item.
CREATE TABLE jobs (
    user_id     TEXT    NOT NULL,
    kind        TEXT    NOT NULL CHECK (kind IN ('embed', 'geocode', 'read')),
    item_kind   TEXT    NOT NULL CHECK (item_kind IN ('memory', 'message', 'chunk', 'place')),
    item_id     TEXT    NOT NULL,
    space       INTEGER NOT NULL,  -- that in which the item lacks a vector; 0: it lacks an address, -1: it is not read
    attempts    INTEGER NOT NULL,  -- how often it failed through its own fault
    due_at      INTEGER,           -- NULL: parked, no worker tries it again by itself
    lease_until INTEGER,
    bulk        TEXT    NOT NULL DEFAULT '',  -- the batch it is part of
    reason      TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (user_id, item_id, space, kind)
) STRICT;

CREATE INDEX jobs_due ON jobs (space, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_bulk ON jobs (bulk) WHERE bulk <> '';

-- What happened -----------------------------------------------------------------------------------------------------------

-- What was forgotten, as hashes: a host that delivers its history again must not bring it back.
CREATE TABLE tombstones (
    user_id      TEXT    NOT NULL,
    fingerprint  TEXT    NOT NULL,
    forgotten_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, fingerprint)
) STRICT, WITHOUT ROWID;

-- What is new, in the order in which it was written: `words` will be `embedded` later, `stored` is complete.
CREATE TABLE changes (
    user_id    TEXT    NOT NULL,
    number     INTEGER NOT NULL,
    what       TEXT    NOT NULL CHECK (what IN ('stored', 'words', 'embedded')),
    item_kind  TEXT    NOT NULL CHECK (item_kind IN ('memory', 'message', 'chunk')),
    item_id    TEXT    NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, number)
) STRICT, WITHOUT ROWID;

-- What a request was answered, so that one that comes twice is carried out once. The key is a hash of the client's.
CREATE TABLE answers (
    user_id      TEXT    NOT NULL,
    key          TEXT    NOT NULL,
    request_hash TEXT    NOT NULL,
    body         TEXT,              -- NULL: it held what was forgotten since
    private      INTEGER NOT NULL,  -- whether it holds a user's words
    kept_at      INTEGER NOT NULL,
    PRIMARY KEY (user_id, key)
) STRICT;

CREATE INDEX answers_age ON answers (kept_at);

-- Who did what, without what it said. Each line holds the hash of the one before it; keys are noted under ''.
CREATE TABLE audit_log (
    user_id  TEXT    NOT NULL,
    number   INTEGER NOT NULL,
    done_at  INTEGER NOT NULL,
    actor    TEXT    NOT NULL,
    action   TEXT    NOT NULL,
    items    TEXT    NOT NULL,
    amount   INTEGER NOT NULL,
    hash     TEXT    NOT NULL,
    PRIMARY KEY (user_id, number)
) STRICT, WITHOUT ROWID;

-- Figures about searches, for those who want them; the query only if they want that too.
CREATE TABLE search_log (
    user_id    TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    asked_at   INTEGER NOT NULL,
    verb       TEXT    NOT NULL,
    hits       INTEGER NOT NULL,
    took_ms    REAL    NOT NULL,
    answerable REAL    NOT NULL,
    degraded   TEXT    NOT NULL,
    query      TEXT    NOT NULL,
    user_agent TEXT    NOT NULL DEFAULT '',  -- the program that asked, by the name it gives itself
    found      TEXT    NOT NULL DEFAULT '',  -- the ids of what it was shown first
    PRIMARY KEY (user_id, id)
) STRICT;

CREATE INDEX search_log_age ON search_log (asked_at);

-- What models were paid for, by day.
CREATE TABLE spending (
    user_id       TEXT    NOT NULL,
    day           TEXT    NOT NULL,
    purpose       TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    calls         INTEGER NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    PRIMARY KEY (user_id, day, purpose, model)
) STRICT, WITHOUT ROWID;

CREATE INDEX spending_day ON spending (day);

-- Views for reading the file with sqlite3: live rows, with times as people type them, in UTC, so that
-- `created_at >= '2024-01-15 20:00'` compares as it reads -----------------------------------------------------------------

CREATE VIEW entity_facts AS
SELECT user_id, id, subject AS entity_id, key AS fact_type, content, value, source, confidence,
       strftime('%Y-%m-%d %H:%M:%f', created_at / 1e6, 'unixepoch') AS created_at,
       strftime('%Y-%m-%d %H:%M:%f', updated_at / 1e6, 'unixepoch') AS updated_at,
       strftime('%Y-%m-%d %H:%M:%f', valid_until / 1e6, 'unixepoch') AS valid_until
  FROM memories
 WHERE type = 'fact' AND subject <> '' AND superseded_by IS NULL;

CREATE VIEW preferences AS
SELECT user_id, id, subject AS category, key, value, context, content, confidence, source AS learned_from,
       strftime('%Y-%m-%d %H:%M:%f', created_at / 1e6, 'unixepoch') AS created_at,
       strftime('%Y-%m-%d %H:%M:%f', updated_at / 1e6, 'unixepoch') AS updated_at
  FROM memories
 WHERE type = 'preference' AND superseded_by IS NULL;

CREATE VIEW events AS
SELECT user_id, id, key AS event_type, subject AS entity_id, content AS summary, value AS details, importance,
       json_extract(metadata, '$.participants') AS participants,
       strftime('%Y-%m-%d %H:%M:%f', coalesce(occurred_at, created_at) / 1e6, 'unixepoch') AS timestamp
  FROM memories
 WHERE type = 'event' AND superseded_by IS NULL;

CREATE VIEW lessons AS
SELECT user_id, id, content AS lesson, context, confidence, source,
       strftime('%Y-%m-%d %H:%M:%f', created_at / 1e6, 'unixepoch') AS created_at
  FROM memories
 WHERE type = 'lesson' AND superseded_by IS NULL;

CREATE VIEW requests AS
SELECT user_id, id, conversation_id AS session_id, speaker, content AS message_text, external_id, tokens,
       iif(metadata ->> 'telegram_message_id' = CAST(CAST(metadata ->> 'telegram_message_id' AS INTEGER) AS TEXT),
           CAST(metadata ->> 'telegram_message_id' AS INTEGER), NULL) AS telegram_message_id,
       iif(metadata ->> 'telegram_chat_id' = CAST(CAST(metadata ->> 'telegram_chat_id' AS INTEGER) AS TEXT),
           CAST(metadata ->> 'telegram_chat_id' AS INTEGER), NULL) AS telegram_chat_id,
       strftime('%Y-%m-%d %H:%M:%f', said_at / 1e6, 'unixepoch') AS created_at
  FROM messages
 WHERE role = 'user';

CREATE VIEW responses AS
SELECT m.user_id, m.id, m.conversation_id AS session_id,
       (SELECT r.id FROM messages r
         WHERE r.user_id = m.user_id AND r.conversation_id = m.conversation_id AND r.role = 'user'
           AND r.sequence < m.sequence
         ORDER BY r.sequence DESC LIMIT 1) AS request_id,
       m.speaker, m.content AS response_text, m.feedback, m.model AS model_used, m.input_tokens, m.output_tokens, m.tokens,
       strftime('%Y-%m-%d %H:%M:%f', m.said_at / 1e6, 'unixepoch') AS created_at
  FROM messages m
 WHERE m.role = 'assistant';

CREATE VIEW reasoning AS
SELECT m.user_id, m.id, m.conversation_id AS session_id,
       (SELECT r.id FROM messages r
         WHERE r.user_id = m.user_id AND r.conversation_id = m.conversation_id AND r.role = 'user'
           AND r.sequence < m.sequence
         ORDER BY r.sequence DESC LIMIT 1) AS request_id,
       m.content AS reasoning_text, m.model AS thinking_model, m.thinking_tokens,
       strftime('%Y-%m-%d %H:%M:%f', m.said_at / 1e6, 'unixepoch') AS created_at
  FROM messages m
 WHERE m.role = 'reasoning';

CREATE VIEW file_chunks AS
SELECT c.user_id, c.id, c.file_id, f.root, f.path, c.start_line, c.end_line, c.heading, c.content AS chunk_text,
       row_number() OVER (PARTITION BY c.user_id, c.file_id ORDER BY c.start_line, c.start_column, c.id) - 1 AS chunk_index
  FROM chunks c
  JOIN files f ON f.user_id = c.user_id AND f.id = c.file_id;

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
