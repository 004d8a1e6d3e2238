-- Conversations: what was said, what was made from what, and what models were paid for it.

-- A user's figures count messages too.
ALTER TABLE users ADD COLUMN messages INTEGER NOT NULL DEFAULT 0;

-- Work is owed to memories and to messages.
ALTER TABLE jobs ADD COLUMN item_kind TEXT NOT NULL DEFAULT 'memory' CHECK (item_kind IN ('memory', 'message'));

-- Memories and messages of one embedding space have vectors in tables of their own, so that neither slows down the other.
CREATE TABLE kept AS SELECT * FROM embedding_spaces;
DROP TABLE embedding_spaces;

CREATE TABLE embedding_spaces (
    number        INTEGER NOT NULL PRIMARY KEY,
    kind          TEXT    NOT NULL CHECK (kind IN ('memory', 'message')),
    provider      TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    revision      TEXT    NOT NULL,
    prefix_scheme TEXT    NOT NULL,
    dimensions    INTEGER NOT NULL CHECK (dimensions > 0),
    normalised    INTEGER NOT NULL CHECK (normalised IN (0, 1)),
    created_at    INTEGER NOT NULL,
    UNIQUE (kind, provider, model, revision, prefix_scheme, dimensions, normalised)
) STRICT;

INSERT INTO embedding_spaces (
    number, kind, provider, model, revision, prefix_scheme, dimensions, normalised, created_at)
SELECT number, 'memory', provider, model, revision, prefix_scheme, dimensions, normalised, created_at FROM kept;
DROP TABLE kept;

CREATE TABLE conversations (
    user_id          TEXT    NOT NULL,
    id               TEXT    NOT NULL,
    private          INTEGER NOT NULL CHECK (private IN (0, 1)),  -- nothing that is said in it is kept
    last_sequence    INTEGER NOT NULL,
    compacting_until INTEGER,           -- a model is being paid for its summary; nobody else asks before then
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
    UNIQUE (user_id, id)
) STRICT;

CREATE INDEX messages_order ON messages (user_id, conversation_id, sequence, said_at, id);
CREATE INDEX messages_active ON messages (user_id, conversation_id, sequence, said_at, id, role, tokens)
    WHERE status = 'active';

-- A message that its host delivers again is known by the host's id for it.
CREATE UNIQUE INDEX messages_once ON messages (user_id, conversation_id, external_id) WHERE external_id <> '';

-- A conversation has one live summary, whoever else is compacting it.
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

-- What was forgotten, as hashes: a host that delivers its history again must not bring it back.
CREATE TABLE tombstones (
    user_id      TEXT    NOT NULL,
    fingerprint  TEXT    NOT NULL,
    forgotten_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, fingerprint)
) STRICT, WITHOUT ROWID;

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
