-- The schema. The table schema_migrations is made by migrate.py, the extension `vector` before it.
--
-- The user comes first in every key, so that the same tables serve one machine or many.

-- The store ---------------------------------------------------------------------------------------------------------------

-- What is true of the store as a whole: which version of the analyser its terms were made with (migrate.py notes which), and
-- which version of the texts that are embedded all its vectors are of.
CREATE TABLE store_marks (
    name  text    NOT NULL PRIMARY KEY,
    value integer NOT NULL
);

INSERT INTO store_marks (name, value) VALUES ('analyser', 1), ('passages', 3);

-- What keys the hashes of forgotten texts: without it a short text could be guessed from its tombstone. The secrets of other
-- stores are those of tombstones that were brought from there.
CREATE TABLE store_secrets (
    name  text  NOT NULL PRIMARY KEY,
    value bytea NOT NULL
);

INSERT INTO store_secrets (name, value)
VALUES ('tombstones', decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));

-- Users, and who may see what ---------------------------------------------------------------------------------------------

CREATE TABLE users (
    user_id    text   NOT NULL PRIMARY KEY,
    generation bigint NOT NULL,  -- grows with every write
    resets     bigint NOT NULL,  -- grows when rows vanish: what processes keep in memory is void
    memories   bigint NOT NULL,  -- how many rows, of any validity
    messages   bigint NOT NULL DEFAULT 0,
    changes    bigint NOT NULL DEFAULT 0,  -- the number of the newest
    chunks     bigint NOT NULL DEFAULT 0,
    bytes      bigint NOT NULL DEFAULT 0   -- of texts: memories with values, messages with blocks, chunks. Quotas ask for it
);

-- Who may see a shared scope. The items of a scope are those of a user with a reserved name, `scope:NAME`.
CREATE TABLE scope_members (
    user_id  text        NOT NULL,  -- the member
    scope_id text        NOT NULL CHECK (substr(scope_id, 1, 6) = 'scope:'),
    role     text        NOT NULL CHECK (role IN ('reader', 'writer')),
    added_at timestamptz NOT NULL,
    added_by text        NOT NULL,
    PRIMARY KEY (user_id, scope_id)
);

CREATE INDEX scope_members_scope ON scope_members (scope_id, user_id);

-- Keys. Of the secret only a hash is kept; an admin's key has no user ('').
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

-- Memories ----------------------------------------------------------------------------------------------------------------

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
    address       text             NOT NULL CHECK (length(address) <= 500),
    place_label   text             NOT NULL CHECK (length(place_label) <= 200),
    metadata      jsonb            NOT NULL,
    created_at    timestamptz      NOT NULL,
    updated_at    timestamptz      NOT NULL,
    terms         text[]           NOT NULL,
    place         uuid,  -- the id of its name
    media         jsonb            NOT NULL DEFAULT '[]',  -- pictures and the like
    PRIMARY KEY (user_id, id),
    CHECK ((lat IS NULL) = (lng IS NULL))
);

-- The same thing is kept once. Versions that were superseded do not count: what was true may become true again.
CREATE UNIQUE INDEX memories_once ON memories (user_id, content_hash, type, subject, key, context)
    WHERE superseded_by IS NULL;
CREATE INDEX memories_slot ON memories (user_id, subject, key, context) WHERE key <> '';
CREATE INDEX memories_subject ON memories (user_id, subject) WHERE subject <> '';
CREATE INDEX memories_versions ON memories (user_id, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memories_where ON memories (user_id, lat, lng) WHERE lat IS NOT NULL;
CREATE INDEX memories_place ON memories (user_id, place) WHERE place IS NOT NULL;

-- The analysed words, as they come from the analyser that both stores share: no parser of the database's own. A short pending
-- list, because every lookup scans it, and a bulk load would leave it long.
CREATE INDEX memories_terms ON memories USING gin (terms) WITH (gin_pending_list_limit = 256);

-- Conversations: what was said, and what was made from what ---------------------------------------------------------------

CREATE TABLE conversations (
    user_id          text        NOT NULL,
    id               text        NOT NULL,
    private          boolean     NOT NULL,  -- nothing that is said in it is kept
    last_sequence    bigint      NOT NULL,
    compacting_until timestamptz,           -- a lease: until then one process alone may have it summarised
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
    media           jsonb       NOT NULL DEFAULT '[]',
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

-- A conversation has one live summary, also when two processes compact it at once.
CREATE UNIQUE INDEX messages_summary ON messages (user_id, conversation_id) WHERE role = 'summary' AND status = 'active';

CREATE INDEX messages_terms ON messages USING gin (terms) WITH (gin_pending_list_limit = 256);

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

-- Which of the originals that are kept belong to the media of which memories and messages.
CREATE TABLE media_originals (
    user_id  text   NOT NULL,
    item_id  uuid   NOT NULL,  -- the memory or message
    original text   NOT NULL CHECK (length(original) = 64),  -- the SHA-256 of the bytes
    size     bigint NOT NULL CHECK (size >= 0),
    PRIMARY KEY (user_id, item_id, original)
);

CREATE INDEX media_originals_bytes ON media_originals (original, user_id);

-- Files: documents, and folders that are kept in step, cut into chunks that are searched like memories and messages -------

-- A synced file is known by its root and its path beneath it; one that was added by itself has no root. A file that was
-- changed has another time of change or another inode, also where its size and its time of modification are what they were.
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
    ctime_ns   bigint      NOT NULL DEFAULT 0,
    inode      bigint      NOT NULL DEFAULT 0,
    lat        double precision,  -- where a photo was taken, as far as it says so
    lng        double precision,
    PRIMARY KEY (user_id, id)
);

CREATE UNIQUE INDEX files_place ON files (user_id, root, path) WHERE root <> '';
CREATE INDEX files_marks ON files (user_id, root, path, size, mtime_ns, ctime_ns, inode, recipe) WHERE root <> '';
CREATE UNIQUE INDEX files_document ON files (user_id, digest) WHERE root = '';
CREATE INDEX files_name ON files (user_id, name);
CREATE INDEX files_where ON files (user_id, lat, lng) WHERE lat IS NOT NULL;

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
CREATE INDEX chunks_terms ON chunks USING gin (terms) WITH (gin_pending_list_limit = 256);

-- Folders that were synced, by which rules, and what could not be read the last time.
CREATE TABLE folders (
    user_id      text        NOT NULL,
    root         text        NOT NULL,
    source       text        NOT NULL CHECK (source IN ('memory', 'sessions')),
    rules        jsonb       NOT NULL,
    scanned_at   timestamptz NOT NULL,
    completed_at timestamptz,           -- NULL: never to its end
    trouble      jsonb       NOT NULL,
    machine      text        NOT NULL DEFAULT '',  -- on which it was named; it is opened nowhere else
    PRIMARY KEY (user_id, root)
);

-- Places ------------------------------------------------------------------------------------------------------------------

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

-- Vectors, and work that is owed ------------------------------------------------------------------------------------------

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

-- Work that is owed to an item, written in the same transaction as the item.
CREATE TABLE jobs (
    user_id     text        NOT NULL,
    kind        text        NOT NULL CHECK (kind IN ('embed', 'geocode', 'read')),
    item_kind   text        NOT NULL CHECK (item_kind IN ('memory', 'message', 'chunk', 'place')),
    item_id     uuid        NOT NULL,
    space       integer     NOT NULL,  -- that in which the item lacks a vector; 0: it lacks an address, -1: it is not read
    attempts    integer     NOT NULL,  -- how often it failed through its own fault
    due_at      timestamptz,           -- NULL: parked, no worker tries it again by itself
    lease_until timestamptz,
    bulk        text        NOT NULL DEFAULT '',  -- the batch it is part of
    reason      text        NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (user_id, item_id, space, kind)
);

CREATE INDEX jobs_due ON jobs (space, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_bulk ON jobs (bulk) WHERE bulk <> '';

-- What happened -----------------------------------------------------------------------------------------------------------

-- What was forgotten, as hashes: a host that delivers its history again must not bring it back.
CREATE TABLE tombstones (
    user_id      text        NOT NULL,
    fingerprint  text        NOT NULL,
    forgotten_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, fingerprint)
);

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

-- What a request was answered, so that one that comes twice is carried out once. The key is a hash of the client's.
CREATE TABLE answers (
    user_id      text        NOT NULL,
    key          text        NOT NULL,
    request_hash text        NOT NULL,
    body         text,                  -- NULL: it held what was forgotten since
    private      boolean     NOT NULL,  -- whether it holds a user's words
    kept_at      timestamptz NOT NULL,
    PRIMARY KEY (user_id, key)
);

CREATE INDEX answers_age ON answers (kept_at);

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
    user_agent text             NOT NULL DEFAULT '',  -- the program that asked, by the name it gives itself
    found      text             NOT NULL DEFAULT '',  -- the ids of what it was shown first
    PRIMARY KEY (user_id, id)
);

CREATE INDEX search_log_age ON search_log (asked_at);

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

-- Views for reading the database with psql: live rows ---------------------------------------------------------------------

-- They run with the rights of the role that asks, so that they never show more than the tables would.

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
       coalesce(occurred_at, created_at) AS timestamp, metadata -> 'participants' AS participants
  FROM memories
 WHERE type = 'event' AND superseded_by IS NULL;

CREATE VIEW lessons WITH (security_invoker = true) AS
SELECT user_id, id, content AS lesson, context, confidence, source, created_at
  FROM memories
 WHERE type = 'lesson' AND superseded_by IS NULL;

CREATE VIEW requests WITH (security_invoker = true) AS
SELECT user_id, id, conversation_id AS session_id, speaker, content AS message_text, external_id, tokens,
       CASE WHEN metadata ->> 'telegram_message_id' ~ '^(0|-?[1-9][0-9]{0,17})$'
            THEN (metadata ->> 'telegram_message_id')::bigint END AS telegram_message_id,
       CASE WHEN metadata ->> 'telegram_chat_id' ~ '^(0|-?[1-9][0-9]{0,17})$'
            THEN (metadata ->> 'telegram_chat_id')::bigint END AS telegram_chat_id,
       said_at AS created_at
  FROM messages
 WHERE role = 'user';

CREATE VIEW responses WITH (security_invoker = true) AS
SELECT m.user_id, m.id, m.conversation_id AS session_id,
       (SELECT r.id FROM messages r
         WHERE r.user_id = m.user_id AND r.conversation_id = m.conversation_id AND r.role = 'user'
           AND r.sequence < m.sequence
         ORDER BY r.sequence DESC LIMIT 1) AS request_id,
       m.speaker, m.content AS response_text, m.feedback, m.model AS model_used, m.input_tokens, m.output_tokens, m.tokens,
       m.said_at AS created_at
  FROM messages m
 WHERE m.role = 'assistant';

CREATE VIEW reasoning WITH (security_invoker = true) AS
SELECT m.user_id, m.id, m.conversation_id AS session_id,
       (SELECT r.id FROM messages r
         WHERE r.user_id = m.user_id AND r.conversation_id = m.conversation_id AND r.role = 'user'
           AND r.sequence < m.sequence
         ORDER BY r.sequence DESC LIMIT 1) AS request_id,
       m.content AS reasoning_text, m.model AS thinking_model, m.thinking_tokens,
       m.said_at AS created_at
  FROM messages m
 WHERE m.role = 'reasoning';

CREATE VIEW file_chunks WITH (security_invoker = true) AS
SELECT c.user_id, c.id, c.file_id, f.root, f.path, c.start_line, c.end_line, c.heading, c.content AS chunk_text,
       row_number() OVER (PARTITION BY c.user_id, c.file_id ORDER BY c.start_line, c.start_column, c.id) - 1 AS chunk_index
  FROM chunks c
  JOIN files f ON f.user_id = c.user_id AND f.id = c.file_id;

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

-- Row-level security ------------------------------------------------------------------------------------------------------

-- The second guard between users. The first is the `user_id` in every query; should a query ever lack it, the server itself
-- neither shows nor changes another user's rows. Every transaction says for whom it works, in settings that end with it:
--   recollect.reach = 'user' and recollect.user_id   for this user
--   recollect.reach = 'store'                        for the store as a whole, such as the queue and figures
-- A transaction that says neither sees nothing. FORCE applies the policies to the owner of the tables as well.
--
-- The same tables can be distributed over servers by Citus, which takes no policy with a sub-select.

-- The user for whom a transaction works; NULL without one, which is not the same as the user ''.
CREATE FUNCTION recollect_user() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE current_setting('recollect.reach', true) WHEN 'user' THEN current_setting('recollect.user_id', true) END;

-- Whether it works for the store as a whole.
CREATE FUNCTION recollect_whole_store() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(current_setting('recollect.reach', true) = 'store', false);

-- Distributes a new table, if the store is distributed and there is anything to distribute it over.
CREATE FUNCTION recollect_distribute(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL
       AND EXISTS (SELECT 1 FROM store_marks m WHERE m.name = 'distributed' AND m.value = 2) THEN
        PERFORM create_distributed_table(name::regclass, 'user_id', colocate_with => 'users');
    END IF;
END $$;

-- Protects a table whose rows belong to users. In a store that is distributed the table is, too, beside the rows of `users`.
CREATE FUNCTION recollect_protect(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY recollect_own ON %I USING (user_id = recollect_user() OR recollect_whole_store())', name);
    PERFORM recollect_distribute(name);
END $$;

SELECT recollect_protect(name) FROM unnest(ARRAY[
       'users', 'memories', 'conversations', 'messages', 'derivations', 'media_originals', 'files', 'chunks', 'folders',
       'places', 'named_places', 'geocodes', 'embedding_cache', 'embedding_cache_uses', 'jobs', 'tombstones', 'changes',
       'answers', 'audit_log', 'search_log', 'spending']) AS name;

-- Members see that they are, and may leave. Only work for the scope, or for the store, sees the others or admits anyone.
ALTER TABLE scope_members ENABLE ROW LEVEL SECURITY;
ALTER TABLE scope_members FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_member ON scope_members FOR SELECT USING (user_id = recollect_user());
CREATE POLICY recollect_leave ON scope_members FOR DELETE USING (user_id = recollect_user());
CREATE POLICY recollect_scope ON scope_members USING (scope_id = recollect_user() OR recollect_whole_store());

-- Keys open doors for users, so no user's work may see them: they are found and written in the store's own name ('').
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_keys ON api_keys USING (recollect_whole_store() OR recollect_user() = '');

-- Tables without a user are written in the store's name. All may read what every user's work depends on.
ALTER TABLE schema_migrations ENABLE ROW LEVEL SECURITY;
ALTER TABLE schema_migrations FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_read ON schema_migrations FOR SELECT USING (true);
CREATE POLICY recollect_store ON schema_migrations USING (recollect_whole_store());

ALTER TABLE store_marks ENABLE ROW LEVEL SECURITY;
ALTER TABLE store_marks FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_read ON store_marks FOR SELECT USING (true);
CREATE POLICY recollect_store ON store_marks USING (recollect_whole_store());

ALTER TABLE embedding_spaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE embedding_spaces FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_read ON embedding_spaces FOR SELECT USING (true);
CREATE POLICY recollect_store ON embedding_spaces USING (recollect_whole_store());

ALTER TABLE bulk_batches ENABLE ROW LEVEL SECURITY;
ALTER TABLE bulk_batches FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_store ON bulk_batches USING (recollect_whole_store());

ALTER TABLE store_secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE store_secrets FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_store ON store_secrets USING (recollect_whole_store());

-- Statistics --------------------------------------------------------------------------------------------------------------

-- Statistics hold no words of users: what ANALYZE samples outlives what was forgotten. The planner keeps those on users and
-- on columns with a few fixed values; everything else is found by an index that begins with the user.
CREATE FUNCTION recollect_sample_nothing(name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    held text;
BEGIN
    FOR held IN SELECT a.attname FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                 WHERE a.attrelid = name::regclass AND a.attnum > 0 AND NOT a.attisdropped
                   AND t.typname IN ('text', '_text', 'jsonb', 'bytea', 'vector', 'halfvec')
                   AND a.attname NOT IN ('user_id', 'type', 'role', 'status', 'state', 'kind', 'item_kind', 'made_kind',
                                         'source_kind', 'what', 'verb', 'action') LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET STATISTICS 0', name, held);
    END LOOP;
END $$;

SELECT recollect_sample_nothing(c.relname)
  FROM pg_class c
 WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
   AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname LIKE 'recollect\_%');

-- How many bytes a table occupies with its indexes, on all servers that have some of it; NULL where one does not answer.
CREATE FUNCTION recollect_table_size(name regclass) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        IF EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = name) THEN
            RETURN citus_total_relation_size(name, false);
        END IF;
    END IF;
    RETURN pg_total_relation_size(name);
END $$;

-- Functions with other rights than the caller's ---------------------------------------------------------------------------

-- A role that may write memories may make the table of a new embedding space, though only the owner of the schema makes
-- tables: these two functions run with the owner's rights, and nothing in their text comes from outside but numbers. Part 0
-- of an item is its whole text; only long texts have more.
CREATE FUNCTION recollect_make_vectors(number integer, half boolean, dimensions integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    name   text := 'vectors_' || number;
    writer text;
BEGIN
    IF NOT recollect_whole_store() THEN
        RAISE insufficient_privilege USING MESSAGE = 'an embedding space belongs to the store, not to a user';
    END IF;
    EXECUTE format('CREATE TABLE %I (user_id text NOT NULL, item_id uuid NOT NULL, embedding %s(%s) NOT NULL, '
                   'part smallint NOT NULL DEFAULT 0, PRIMARY KEY (user_id, item_id, part))',
                   name, CASE WHEN half THEN 'halfvec' ELSE 'vector' END, dimensions);
    PERFORM recollect_sample_nothing(name);
    PERFORM recollect_protect(name);
    FOR writer IN SELECT r.rolname
                    FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
                   WHERE c.oid = 'memories'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO %I', name, writer);
    END LOOP;
END $$;

CREATE FUNCTION recollect_drop_vectors(number integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF NOT recollect_whole_store() THEN
        RAISE insufficient_privilege USING MESSAGE = 'an embedding space belongs to the store, not to a user';
    END IF;
    EXECUTE format('DROP TABLE %I', 'vectors_' || number);
END $$;

-- Looks up the words of a question for a large user: counts the rows that hold each, and gives those rows first that hold the
-- rarer ones. Each row is visited once for each word it holds. Under row-level security the server does not use the index of
-- words: what its operator compares could leak. So this belongs to a role of its own, which may read everything, and asks for
-- nothing but the rows of the user whom the transaction works for. Until recollect_admit has given it to that role it is not
-- used.
CREATE FUNCTION recollect_ranked(item_rows text, words text[], total bigint, most bigint)
RETURNS TABLE (counts bigint[], ids uuid[]) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    IF item_rows NOT IN ('memories', 'messages', 'chunks') THEN
        RAISE invalid_parameter_value USING MESSAGE = format('no words are looked up in %s', item_rows);
    END IF;
    RETURN QUERY EXECUTE format($query$
        WITH held AS MATERIALIZED (
            SELECT w.place, m.amount, m.ids, ln(1 + $3::float8 / (1 + m.amount)) AS weight
              FROM unnest($1) WITH ORDINALITY AS w (word, place)
             CROSS JOIN LATERAL (SELECT count(*) AS amount, array_agg(r.id) AS ids FROM %I r
                                  WHERE r.user_id = $2 AND r.terms && ARRAY[w.word]) m)
        SELECT ARRAY(SELECT h.amount FROM held h ORDER BY h.place),
               ARRAY(SELECT f.id FROM (SELECT unnest(h.ids) AS id, h.weight FROM held h) f
                      GROUP BY f.id ORDER BY sum(f.weight) DESC, f.id DESC LIMIT $4)
        $query$, item_rows) USING words, recollect_user(), total, most;
END $$;

-- Lets a role do what the application does, and no more: it owns nothing, and of what was done it can only add lines.
-- `searcher` names the role that looks up words; '' for none.
CREATE FUNCTION recollect_admit(application text, searcher text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    place text := current_schema();
    name  text;
BEGIN
    IF NOT has_schema_privilege(application, place, 'USAGE') THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', place, application);
    END IF;
    IF NOT has_database_privilege(application, current_database(), 'TEMPORARY') THEN  -- batches are staged there
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO %I', current_database(), application);
    END IF;
    FOR name IN SELECT DISTINCT c.relname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
                 WHERE c.relnamespace = place::regnamespace AND p.polname LIKE 'recollect\_%' LOOP
        EXECUTE format('GRANT %s ON %I TO %I',
                       CASE name WHEN 'schema_migrations' THEN 'SELECT' WHEN 'audit_log' THEN 'SELECT, INSERT'
                                 ELSE 'SELECT, INSERT, UPDATE, DELETE' END, name, application);
    END LOOP;
    EXECUTE format('GRANT EXECUTE ON FUNCTION recollect_make_vectors(integer, boolean, integer), '
                   'recollect_drop_vectors(integer) TO %I', application);
    IF searcher = '' THEN
        RETURN;
    END IF;
    EXECUTE format('GRANT USAGE, CREATE ON SCHEMA %I TO %I', place, searcher);  -- CREATE: to be given a function
    FOREACH name IN ARRAY ARRAY['memories', 'messages', 'chunks'] LOOP
        EXECUTE format('GRANT SELECT ON %I TO %I', name, searcher);
        EXECUTE format('DROP POLICY IF EXISTS recollect_search ON %I', name);
        EXECUTE format('CREATE POLICY recollect_search ON %I FOR SELECT TO %I USING (true)', name, searcher);
    END LOOP;
    IF (SELECT pg_get_userbyid(f.proowner) FROM pg_proc f
         WHERE f.oid = to_regprocedure('recollect_ranked(text, text[], bigint, bigint)')) <> searcher THEN
        EXECUTE format('GRANT EXECUTE ON FUNCTION recollect_ranked(text, text[], bigint, bigint) TO %I', application);
        EXECUTE format('ALTER FUNCTION recollect_ranked(text, text[], bigint, bigint) OWNER TO %I', searcher);
    END IF;
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM %I', place, searcher);
END $$;

-- Searches by meaning for people with psql --------------------------------------------------------------------------------

-- Each needs a user, and runs with the rights of the role that asks. Without one in the transaction's settings it works for
-- the user it names; with one, it refuses any other.
--
-- A function in a query of a user's rows runs where these rows are. A search that asks for more rows of its own has to be over
-- before, or each server of a cluster begins it anew; and Citus passes `SET LOCAL` on to the other servers but not set_config.

-- Changes a setting until the transaction ends, also on the servers that the transaction reaches later.
CREATE FUNCTION recollect_set(setting text, value text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SET LOCAL %s = %L', replace(quote_ident(setting), '.', '"."'), value);
    RETURN value;
END $$;

-- Says for whom a search works. Gives whether that has to be taken back.
CREATE FUNCTION recollect_begin_search(owner text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF owner IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'p_user_id is missing: a search needs the user whose memory it searches';
    END IF;
    IF recollect_whole_store() OR recollect_user() = owner THEN
        RETURN false;
    END IF;
    IF recollect_user() IS NOT NULL THEN
        RAISE insufficient_privilege USING MESSAGE = 'this transaction works for another user';
    END IF;
    PERFORM recollect_set('recollect.reach', 'user'), recollect_set('recollect.user_id', owner);
    RETURN true;
END $$;

-- Gives the items of a kind of which a passage is at least so near to a vector of the model in use.
CREATE FUNCTION recollect_nearest(item_kind text, query vector, owner text, threshold real)
RETURNS TABLE (item_id uuid, similarity real) LANGUAGE plpgsql AS $$
DECLARE
    space  embedding_spaces%ROWTYPE;
    stored text;
BEGIN
    SELECT * INTO space FROM embedding_spaces s WHERE s.kind = item_kind AND s.state = 'active';
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF vector_dims(query) <> space.dimensions THEN
        RAISE data_exception USING MESSAGE = format('the query has %s dimensions; %s of %s has %s',
              vector_dims(query), space.model, space.provider, space.dimensions);
    END IF;
    SELECT format_type(a.atttypid, NULL) INTO stored FROM pg_attribute a
     WHERE a.attrelid = ('vectors_' || space.number)::regclass AND a.attname = 'embedding';
    RETURN QUERY EXECUTE format(
        'SELECT f.item_id, f.similarity FROM (SELECT v.item_id, max(1 - (v.embedding <=> $1::%s))::real AS similarity '
        'FROM %I v WHERE v.user_id = $2 GROUP BY v.item_id) f WHERE f.similarity >= $3', stored, 'vectors_' || space.number)
        USING query, owner, threshold;
END $$;

-- Gives what recollect_nearest gives, as one value.
CREATE FUNCTION recollect_near(item_kind text, query vector, owner text, threshold real) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT json_agg(n) FROM recollect_nearest(item_kind, query, owner, threshold) n);
END $$;

CREATE FUNCTION search_memories(
    query_embedding vector, p_user_id text DEFAULT NULL, p_memory_type text DEFAULT NULL, p_limit integer DEFAULT 10,
    p_threshold real DEFAULT 0.3)
RETURNS TABLE (id uuid, content text, memory_type text, importance real, confidence real, metadata jsonb,
               created_at timestamptz, similarity real)
LANGUAGE plpgsql AS $$
DECLARE
    entered boolean := recollect_begin_search(p_user_id);
    near    json := recollect_near('memory', query_embedding, p_user_id, p_threshold);
BEGIN
    RETURN QUERY
    SELECT m.id, m.content, m.type, m.importance::real, m.confidence::real, m.metadata, m.created_at, n.similarity
      FROM json_to_recordset(near) n(item_id uuid, similarity real)
      JOIN memories m ON m.user_id = p_user_id AND m.id = n.item_id
     WHERE m.superseded_by IS NULL AND coalesce(m.expires_at > now(), true) AND coalesce(m.valid_until > now(), true)
       AND (p_memory_type IS NULL OR m.type = p_memory_type)
     ORDER BY n.similarity DESC, m.id LIMIT p_limit;
    IF entered THEN
        PERFORM recollect_set('recollect.reach', '');
    END IF;
END $$;

-- A response has no summary of its own here: `summary` is null.
CREATE FUNCTION search_responses(
    query_embedding vector, p_user_id text DEFAULT NULL, p_limit integer DEFAULT 5, p_threshold real DEFAULT 0.3)
RETURNS TABLE (id uuid, request_id uuid, response_text text, summary text, similarity real)
LANGUAGE plpgsql AS $$
DECLARE
    entered boolean := recollect_begin_search(p_user_id);
    near    json := recollect_near('message', query_embedding, p_user_id, p_threshold);
BEGIN
    RETURN QUERY
    SELECT a.id,
           (SELECT q.id FROM messages q
             WHERE q.user_id = p_user_id AND q.conversation_id = a.conversation_id AND q.role = 'user'
               AND q.sequence < a.sequence
             ORDER BY q.sequence DESC LIMIT 1),
           a.content, NULL::text, n.similarity
      FROM json_to_recordset(near) n(item_id uuid, similarity real)
      JOIN messages a ON a.user_id = p_user_id AND a.id = n.item_id
     WHERE a.role = 'assistant'
     ORDER BY n.similarity DESC, a.id LIMIT p_limit;
    IF entered THEN
        PERFORM recollect_set('recollect.reach', '');
    END IF;
END $$;

CREATE FUNCTION search_file_chunks(
    query_embedding vector, p_user_id text DEFAULT NULL, p_limit integer DEFAULT 5, p_threshold real DEFAULT 0.3)
RETURNS TABLE (id uuid, file_id uuid, chunk_index integer, chunk_text text, original_name text, similarity real)
LANGUAGE plpgsql AS $$
DECLARE
    entered boolean := recollect_begin_search(p_user_id);
    near    json := recollect_near('chunk', query_embedding, p_user_id, p_threshold);
BEGIN
    RETURN QUERY
    SELECT c.id, c.file_id,
           (SELECT count(*)::integer FROM chunks o
             WHERE o.user_id = p_user_id AND o.file_id = c.file_id
               AND (o.start_line, o.start_column, o.id) < (c.start_line, c.start_column, c.id)),
           c.content, f.path, c.similarity
      FROM (SELECT k.*, n.similarity
              FROM json_to_recordset(near) n(item_id uuid, similarity real)
              JOIN chunks k ON k.user_id = p_user_id AND k.id = n.item_id
             ORDER BY n.similarity DESC, k.id LIMIT p_limit) c
      JOIN files f ON f.user_id = p_user_id AND f.id = c.file_id
     ORDER BY c.similarity DESC, c.id;
    IF entered THEN
        PERFORM recollect_set('recollect.reach', '');
    END IF;
END $$;

CREATE FUNCTION search_context(
    query_embedding vector, p_user_id text DEFAULT NULL, p_limit integer DEFAULT 10, p_threshold real DEFAULT 0.25)
RETURNS TABLE (source text, content text, similarity real, created_at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
    entered  boolean := recollect_begin_search(p_user_id);
    kept     json := (SELECT json_agg(m) FROM search_memories(query_embedding, p_user_id, NULL, p_limit, p_threshold) m);
    said     json := recollect_near('message', query_embedding, p_user_id, p_threshold);
    recorded json := recollect_near('chunk', query_embedding, p_user_id, p_threshold);
BEGIN
    RETURN QUERY
    SELECT 'memory', m.content, m.similarity, m.created_at
      FROM json_to_recordset(kept) m(content text, similarity real, created_at timestamptz)
     UNION ALL
    SELECT CASE g.role WHEN 'user' THEN 'request' ELSE 'response' END, g.content, n.similarity, g.said_at
      FROM json_to_recordset(said) n(item_id uuid, similarity real)
      JOIN messages g ON g.user_id = p_user_id AND g.id = n.item_id
     WHERE g.role IN ('user', 'assistant')
     UNION ALL
    SELECT 'file', k.content, n.similarity, k.created_at
      FROM json_to_recordset(recorded) n(item_id uuid, similarity real)
      JOIN chunks k ON k.user_id = p_user_id AND k.id = n.item_id
     ORDER BY 3 DESC, 4 DESC LIMIT p_limit;
    IF entered THEN
        PERFORM recollect_set('recollect.reach', '');
    END IF;
END $$;

-- Where functions look, and who may call them -----------------------------------------------------------------------------

-- What runs with the rights of others is for those who were admitted.
REVOKE ALL ON FUNCTION recollect_make_vectors(integer, boolean, integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION recollect_drop_vectors(integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION recollect_ranked(text, text[], bigint, bigint) FROM PUBLIC;

-- They find our tables and no others, and most of them pgvector, wherever that is.
DO $$
DECLARE
    vectors text := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                      WHERE e.extname = 'vector');
    name    text;
BEGIN
    EXECUTE format('ALTER FUNCTION recollect_ranked(text, text[], bigint, bigint) SET search_path = %I, pg_temp',
                   current_schema());
    FOREACH name IN ARRAY ARRAY[
            'recollect_make_vectors(integer, boolean, integer)', 'recollect_drop_vectors(integer)',
            'recollect_begin_search(text)', 'recollect_nearest(text, vector, text, real)',
            'recollect_near(text, vector, text, real)', 'search_memories(vector, text, text, integer, real)',
            'search_responses(vector, text, integer, real)', 'search_file_chunks(vector, text, integer, real)',
            'search_context(vector, text, integer, real)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, %I, pg_temp', name, current_schema(), vectors);
    END LOOP;
END $$;
