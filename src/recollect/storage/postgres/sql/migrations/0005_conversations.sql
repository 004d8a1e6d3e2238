-- Conversations: what was said, what was made from what, and what models were paid for it.

-- A user's figures count messages too.
ALTER TABLE users ADD COLUMN messages bigint NOT NULL DEFAULT 0;

-- Work is owed to memories and to messages.
ALTER TABLE jobs ADD COLUMN item_kind text NOT NULL DEFAULT 'memory' CHECK (item_kind IN ('memory', 'message'));

-- Memories and messages of one embedding space have vectors in tables of their own, so that neither slows down the other.
CREATE TEMPORARY TABLE kept ON COMMIT DROP AS SELECT * FROM embedding_spaces;
DROP TABLE embedding_spaces;

CREATE TABLE embedding_spaces (
    number        integer     NOT NULL PRIMARY KEY,
    kind          text        NOT NULL CHECK (kind IN ('memory', 'message')),
    provider      text        NOT NULL,
    model         text        NOT NULL,
    revision      text        NOT NULL,
    prefix_scheme text        NOT NULL,
    dimensions    integer     NOT NULL CHECK (dimensions > 0),
    normalised    boolean     NOT NULL,
    created_at    timestamptz NOT NULL,
    UNIQUE (kind, provider, model, revision, prefix_scheme, dimensions, normalised)
);

INSERT INTO embedding_spaces (
    number, kind, provider, model, revision, prefix_scheme, dimensions, normalised, created_at)
SELECT number, 'memory', provider, model, revision, prefix_scheme, dimensions, normalised, created_at FROM kept;

CREATE TABLE conversations (
    user_id          text        NOT NULL,
    id               text        NOT NULL,
    private          boolean     NOT NULL,  -- nothing that is said in it is kept
    last_sequence    bigint      NOT NULL,
    compacting_until timestamptz,           -- a model is being paid for its summary; nobody else asks before then
    metadata         jsonb       NOT NULL,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE INDEX conversations_recent ON conversations (user_id, updated_at);

CREATE TABLE messages (
    user_id         text        NOT NULL,
    id              uuid        NOT NULL,
    conversation_id text        NOT NULL,
    external_id     text        NOT NULL,
    sequence        bigint      NOT NULL,
    role            text        NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool', 'reasoning', 'summary')),
    content         text        NOT NULL,
    blocks          jsonb       NOT NULL,
    tool_calls      jsonb       NOT NULL,
    tool_call_id    text        NOT NULL,
    tokens          bigint      NOT NULL CHECK (tokens >= 0),
    status          text        NOT NULL CHECK (status IN ('active', 'compacted', 'archived')),
    trust           smallint    NOT NULL CHECK (trust BETWEEN 0 AND 3),
    model           text        NOT NULL,
    input_tokens    bigint,
    output_tokens   bigint,
    thinking_tokens bigint,
    feedback        smallint    CHECK (feedback IN (-1, 1)),
    metadata        jsonb       NOT NULL,
    said_at         timestamptz NOT NULL,
    created_at      timestamptz NOT NULL,
    learned         boolean     NOT NULL,  -- what it teaches has been kept
    terms           text[]      NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE INDEX messages_order ON messages (user_id, conversation_id, sequence, said_at, id);
CREATE INDEX messages_active ON messages (user_id, conversation_id, sequence, said_at, id, role, tokens)
    WHERE status = 'active';

-- A message that its host delivers again is known by the host's id for it.
CREATE UNIQUE INDEX messages_once ON messages (user_id, conversation_id, external_id) WHERE external_id <> '';

-- A conversation has one live summary, whoever else is compacting it.
CREATE UNIQUE INDEX messages_summary ON messages (user_id, conversation_id) WHERE role = 'summary' AND status = 'active';

-- The analysed words, as they come from the analyser that both stores share.
CREATE INDEX messages_terms ON messages USING gin (terms);

-- What was made from what: a summary from messages, a memory from the message it was captured in.
CREATE TABLE derivations (
    user_id     text        NOT NULL,
    made_kind   text        NOT NULL CHECK (made_kind IN ('memory', 'message')),
    made_id     uuid        NOT NULL,
    source_kind text        NOT NULL CHECK (source_kind IN ('memory', 'message')),
    source_id   uuid        NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (user_id, made_id, source_id)
);

CREATE INDEX derivations_source ON derivations (user_id, source_id);

-- What was forgotten, as hashes: a host that delivers its history again must not bring it back.
CREATE TABLE tombstones (
    user_id      text        NOT NULL,
    fingerprint  text        NOT NULL,
    forgotten_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, fingerprint)
);

-- What models were paid for, by day.
CREATE TABLE spending (
    user_id       text   NOT NULL,
    day           text   NOT NULL,
    purpose       text   NOT NULL,
    model         text   NOT NULL,
    calls         bigint NOT NULL,
    input_tokens  bigint NOT NULL,
    output_tokens bigint NOT NULL,
    PRIMARY KEY (user_id, day, purpose, model)
);

CREATE INDEX spending_day ON spending (day);
