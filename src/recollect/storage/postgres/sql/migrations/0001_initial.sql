-- The first version of the schema. The table schema_migrations is made by migrate.py, the extension `vector` before it.

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
    due_at      timestamptz,           -- NULL: parked, no worker tries it again by itself
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

-- Views for reading the database with psql: live rows. They run with the rights of the role that asks, so that they
-- never show more than the tables would.

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
       coalesce(occurred_at, created_at) AS timestamp
  FROM memories
 WHERE type = 'event' AND superseded_by IS NULL;

CREATE VIEW lessons WITH (security_invoker = true) AS
SELECT user_id, id, content AS lesson, context, confidence, source, created_at
  FROM memories
 WHERE type = 'lesson' AND superseded_by IS NULL;

CREATE VIEW requests WITH (security_invoker = true) AS
SELECT user_id, id, conversation_id AS session_id, speaker, content AS message_text, external_id, tokens,
       metadata ->> 'telegram_message_id' AS telegram_message_id,
       metadata ->> 'telegram_chat_id' AS telegram_chat_id,
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

-- Row-level security: the second guard between users. The first is the `user_id` in every query; should a query ever
-- lack it, the server itself neither shows nor changes another user's rows. Every transaction says for whom it works, in
-- settings that end with it:
--   recollect.reach = 'user' and recollect.user_id   for this user
--   recollect.reach = 'store'                        for the store as a whole, such as the queue and figures
-- A transaction that says neither sees nothing. FORCE applies the policies to the owner of the tables as well.

-- The user for whom a transaction works; NULL without one, which is not the same as the user ''.
CREATE FUNCTION recollect_user() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE current_setting('recollect.reach', true) WHEN 'user' THEN current_setting('recollect.user_id', true) END;

-- Whether it works for the store as a whole.
CREATE FUNCTION recollect_whole_store() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(current_setting('recollect.reach', true) = 'store', false);

-- Protects a table whose rows belong to users. The inner SELECTs are evaluated once for each query, not once for each
-- row, and leave the planner's estimates nearly as they were.
CREATE FUNCTION recollect_protect(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY recollect_own ON %I '
                   'USING (user_id = (SELECT recollect_user()) OR (SELECT recollect_whole_store()))', name);
END $$;

SELECT recollect_protect(name) FROM unnest(ARRAY[
       'users', 'memories', 'jobs', 'embedding_cache', 'embedding_cache_uses', 'conversations', 'messages', 'derivations',
       'tombstones', 'spending', 'answers', 'changes', 'audit_log', 'search_log', 'files', 'chunks', 'folders', 'places',
       'named_places', 'geocodes']) AS name;

-- Keys open doors for users, so no user's work may see them: they are found and written in the store's own name ('').
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_keys ON api_keys
 USING ((SELECT recollect_whole_store()) OR (SELECT recollect_user() = ''));

-- Tables without a user: all may read what every user's work depends on, and a user's first vector may need a space.
ALTER TABLE schema_migrations ENABLE ROW LEVEL SECURITY;
ALTER TABLE schema_migrations FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_read ON schema_migrations FOR SELECT USING (true);
CREATE POLICY recollect_store ON schema_migrations USING ((SELECT recollect_whole_store()));

ALTER TABLE store_marks ENABLE ROW LEVEL SECURITY;
ALTER TABLE store_marks FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_read ON store_marks FOR SELECT USING (true);
CREATE POLICY recollect_store ON store_marks USING ((SELECT recollect_whole_store()));

ALTER TABLE embedding_spaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE embedding_spaces FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_read ON embedding_spaces FOR SELECT USING (true);
CREATE POLICY recollect_add ON embedding_spaces FOR INSERT WITH CHECK (true);
CREATE POLICY recollect_change ON embedding_spaces FOR UPDATE USING (true);
CREATE POLICY recollect_store ON embedding_spaces USING ((SELECT recollect_whole_store()));

ALTER TABLE bulk_batches ENABLE ROW LEVEL SECURITY;
ALTER TABLE bulk_batches FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_store ON bulk_batches USING ((SELECT recollect_whole_store()));

-- A role that may write memories may make the table of a new embedding space, though only the owner of the schema makes
-- tables: these two functions run with the owner's rights, and nothing in their text comes from outside but numbers.
CREATE FUNCTION recollect_make_vectors(number integer, half boolean, dimensions integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    name   text := 'vectors_' || number;
    writer text;
BEGIN
    EXECUTE format('CREATE TABLE %I (user_id text NOT NULL, item_id uuid NOT NULL, embedding %s(%s) NOT NULL, '
                   'PRIMARY KEY (user_id, item_id))',
                   name, CASE WHEN half THEN 'halfvec' ELSE 'vector' END, dimensions);
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

-- Under row-level security the server does not use the index of words: what its operator compares could leak. So a large user's
-- words are looked up by functions that belong to a role of their own, which may read everything, and which ask for
-- nothing but the rows of the user whom the transaction works for. Until recollect_admit has given them to that role
-- they are not used.
CREATE FUNCTION recollect_matching_memories(words text[], most bigint) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    owner text := recollect_user();
BEGIN
    RETURN QUERY SELECT m.id FROM memories m WHERE m.user_id = owner AND m.terms && words LIMIT most;
END $$;

CREATE FUNCTION recollect_matching_messages(words text[], most bigint) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    owner text := recollect_user();
BEGIN
    RETURN QUERY SELECT m.id FROM messages m WHERE m.user_id = owner AND m.terms && words LIMIT most;
END $$;

CREATE FUNCTION recollect_matching_chunks(words text[], most bigint) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    owner text := recollect_user();
BEGIN
    RETURN QUERY SELECT m.id FROM chunks m WHERE m.user_id = owner AND m.terms && words LIMIT most;
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
    EXECUTE format('GRANT USAGE, CREATE ON SCHEMA %I TO %I', place, searcher);  -- CREATE: to be given functions
    FOREACH name IN ARRAY ARRAY['memories', 'messages', 'chunks'] LOOP
        EXECUTE format('GRANT SELECT ON %I TO %I', name, searcher);
        EXECUTE format('DROP POLICY IF EXISTS recollect_search ON %I', name);
        EXECUTE format('CREATE POLICY recollect_search ON %I FOR SELECT TO %I USING (true)', name, searcher);
        IF (SELECT pg_get_userbyid(f.proowner) FROM pg_proc f
             WHERE f.oid = to_regprocedure(format('recollect_matching_%s(text[], bigint)', name))) <> searcher THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION %I(text[], bigint) TO %I', 'recollect_matching_' || name, application);
            EXECUTE format('ALTER FUNCTION %I(text[], bigint) OWNER TO %I', 'recollect_matching_' || name, searcher);
        END IF;
    END LOOP;
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM %I', place, searcher);
END $$;

-- What runs with the rights of others is for those who were admitted, and finds our tables and no others.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
            'recollect_make_vectors(integer, boolean, integer)', 'recollect_drop_vectors(integer)',
            'recollect_matching_memories(text[], bigint)', 'recollect_matching_messages(text[], bigint)',
            'recollect_matching_chunks(text[], bigint)'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, %I, pg_temp', name, current_schema(),
                       (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                         WHERE e.extname = 'vector'));
    END LOOP;
END $$;
