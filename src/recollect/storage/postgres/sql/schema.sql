-- All tables at a glance: with views.sql what the migrations together make. A test keeps the two equal; the package
-- never runs this file. The wall around each table, and the functions behind it, are in migrations/*_walls.sql.

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
    resets     bigint NOT NULL,  -- grows when rows vanish: what processes keep in memory is void
    memories   bigint NOT NULL,  -- how many rows, of any validity
    messages   bigint NOT NULL DEFAULT 0,
    changes    bigint NOT NULL DEFAULT 0,  -- the number of the newest
    chunks     bigint NOT NULL DEFAULT 0
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
    place         uuid,  -- the id of its name
    PRIMARY KEY (user_id, id),
    CHECK ((lat IS NULL) = (lng IS NULL)),
    CHECK (length(address) <= 500),
    CHECK (length(place_label) <= 200)
);

-- The same thing is kept once. Versions that were superseded do not count: what was true may become true again.
CREATE UNIQUE INDEX memories_once ON memories (user_id, content_hash, type, subject, key, context)
    WHERE superseded_by IS NULL;
CREATE INDEX memories_slot ON memories (user_id, subject, key, context) WHERE key <> '';
CREATE INDEX memories_subject ON memories (user_id, subject) WHERE subject <> '';
CREATE INDEX memories_versions ON memories (user_id, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memories_where ON memories (user_id, lat, lng) WHERE lat IS NOT NULL;
CREATE INDEX memories_place ON memories (user_id, place) WHERE place IS NOT NULL;

-- The analysed words, as they come from the analyser that both stores share: no parser of the database's own.
CREATE INDEX memories_terms ON memories USING gin (terms);

-- Embedding spaces, one for each kind of item that is searched: one is searched, one may be on its way, others are kept.
-- Each has a table of its own, made by recollect_make_vectors when it is registered.

CREATE TABLE embedding_spaces (
    number        integer     NOT NULL PRIMARY KEY,
    kind          text        NOT NULL CHECK (kind IN ('memory', 'message', 'chunk', 'place')),
    provider      text        NOT NULL,
    model         text        NOT NULL,
    revision      text        NOT NULL,
    prefix_scheme text        NOT NULL,
    dimensions    integer     NOT NULL CHECK (dimensions > 0),
    normalised    boolean     NOT NULL,
    created_at    timestamptz NOT NULL,
    state         text        NOT NULL DEFAULT 'kept' CHECK (state IN ('active', 'building', 'kept')),
    unrelated     double precision,  -- the usual cosine of what has nothing to do with each other, once measured
    UNIQUE (kind, provider, model, revision, prefix_scheme, dimensions, normalised)
);

CREATE UNIQUE INDEX embedding_spaces_state ON embedding_spaces (kind, state) WHERE state <> 'kept';

-- Work that is owed to an item in a space, written in the same transaction as the item.

CREATE TABLE jobs (
    user_id     text        NOT NULL,
    kind        text        NOT NULL CHECK (kind IN ('embed', 'geocode')),
    item_kind   text        NOT NULL CHECK (item_kind IN ('memory', 'message', 'chunk', 'place')),
    item_id     uuid        NOT NULL,
    space       integer     NOT NULL,  -- that in which the item lacks a vector; 0 where it lacks an address
    attempts    integer     NOT NULL,  -- how often it failed through its own fault
    due_at      timestamptz,           -- NULL: parked, nobody will try again by itself
    lease_until timestamptz,
    bulk        text        NOT NULL DEFAULT '',  -- the batch it is part of
    reason      text        NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (user_id, item_id, space, kind)
);

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

-- Conversations: what was said, what was made from what, and what models were paid for it.

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
    speaker         text        NOT NULL DEFAULT '',  -- the name of the person who spoke
    lat             double precision CHECK (lat BETWEEN -90 AND 90),
    lng             double precision CHECK (lng BETWEEN -180 AND 180),
    address         text        NOT NULL DEFAULT '' CHECK (length(address) <= 500),
    place_label     text        NOT NULL DEFAULT '' CHECK (length(place_label) <= 200),
    place           uuid,
    PRIMARY KEY (user_id, id),
    CHECK ((lat IS NULL) = (lng IS NULL))
);

CREATE INDEX messages_order ON messages (user_id, conversation_id, sequence, said_at, id);
CREATE INDEX messages_active ON messages (user_id, conversation_id, sequence, said_at, id, role, tokens)
    WHERE status = 'active';

CREATE INDEX messages_where ON messages (user_id, lat, lng) WHERE lat IS NOT NULL;
CREATE INDEX messages_place ON messages (user_id, place) WHERE place IS NOT NULL;

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

-- What is true of the store as a whole: which version of the analyser its terms were made with.
CREATE TABLE store_marks (
    name  text    NOT NULL PRIMARY KEY,
    value integer NOT NULL
);

INSERT INTO store_marks (name, value) VALUES ('analyser', 1);

-- Keys. Of the secret only a hash is kept; an admin's key belongs to nobody ('').
CREATE TABLE api_keys (
    id           text        NOT NULL PRIMARY KEY,
    name         text        NOT NULL,
    user_id      text        NOT NULL,
    scopes       text        NOT NULL,
    secret_hash  text        NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz
);

-- What a request was answered, so that one that comes twice is carried out once. The key is a hash of the client's.
CREATE TABLE answers (
    user_id      text        NOT NULL,
    key          text        NOT NULL,
    request_hash text        NOT NULL,
    body         text,                  -- NULL: it held what was forgotten since
    private      boolean     NOT NULL,  -- whether it holds what somebody said
    kept_at      timestamptz NOT NULL,
    PRIMARY KEY (user_id, key)
);

CREATE INDEX answers_age ON answers (kept_at);

-- What is new, in the order in which it was written: `words` will be `embedded` later, `stored` is complete.
CREATE TABLE changes (
    user_id    text        NOT NULL,
    number     bigint      NOT NULL,
    what       text        NOT NULL CHECK (what IN ('stored', 'words', 'embedded')),
    item_kind  text        NOT NULL CHECK (item_kind IN ('memory', 'message', 'chunk')),
    item_id    uuid        NOT NULL,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, number)
);

-- Who did what, without what it said. Each line holds the hash of the one before it; keys are noted under ''.
CREATE TABLE audit_log (
    user_id  text        NOT NULL,
    number   bigint      NOT NULL,
    done_at  timestamptz NOT NULL,
    actor    text        NOT NULL,
    action   text        NOT NULL,
    items    text        NOT NULL,
    amount   bigint      NOT NULL,
    hash     text        NOT NULL,
    PRIMARY KEY (user_id, number)
);

-- Figures about searches, for those who want them; the query only if they want that too.
CREATE TABLE search_log (
    user_id    text             NOT NULL,
    id         uuid             NOT NULL,
    asked_at   timestamptz      NOT NULL,
    verb       text             NOT NULL,
    hits       integer          NOT NULL,
    took_ms    double precision NOT NULL,
    answerable double precision NOT NULL,
    degraded   text             NOT NULL,
    query      text             NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE INDEX search_log_age ON search_log (asked_at);

-- Files: documents, and folders that are kept in step, cut into chunks that are searched like memories and messages.

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

-- The names of the places at which something is, as they are embedded. Their ids are hashes of what they are called.
CREATE TABLE places (
    user_id     text        NOT NULL,
    id          uuid        NOT NULL,
    address     text        NOT NULL,
    place_label text        NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (user_id, id)
);

-- Places that a user has given a name to; each name once, whatever its letter case.
CREATE TABLE named_places (
    user_id    text             NOT NULL,
    folded     text             NOT NULL,
    name       text             NOT NULL CHECK (length(name) <= 200),
    lat        double precision NOT NULL CHECK (lat BETWEEN -90 AND 90),
    lng        double precision NOT NULL CHECK (lng BETWEEN -180 AND 180),
    address    text             NOT NULL CHECK (length(address) <= 500),
    updated_at timestamptz      NOT NULL,
    PRIMARY KEY (user_id, folded)
);

-- What geocoders said about cells of about a hundred metres.
CREATE TABLE geocodes (
    user_id    text        NOT NULL,
    geocoder   text        NOT NULL,
    cell       text        NOT NULL,
    answer     text        NOT NULL,  -- JSON; null where nothing has a name
    good_until timestamptz,           -- NULL: for good
    used_at    timestamptz NOT NULL,
    PRIMARY KEY (user_id, geocoder, cell)
);

CREATE INDEX geocodes_used ON geocodes (user_id, used_at);
