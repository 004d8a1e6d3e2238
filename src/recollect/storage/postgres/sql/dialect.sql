-- What only PostgreSQL does: row-level security, batches in its own format, vectors in a typed column, indexes for large
-- users.

-- insert_memories --
-- Rows, as an array for each column in the server's own format. The unique index decides what is a duplicate, also when several
-- processes write at once; of equal rows the first one stays. The row of the user, which every writer has locked, tells a cluster
-- of servers where they belong.
INSERT INTO memories (
    user_id, content_hash, terms, place,
    id, type, content, subject, key, value, context, importance, confidence, source, trust, session_id,
    occurred_at, valid_from, valid_until, superseded_by, expires_at, lat, lng, address, place_label, metadata,
    created_at, updated_at, media)
SELECT
    user_id, r.content_hash, string_to_array(r.terms, ' '), r.place,
    r.id, r.type, r.content, r.subject, r.key, r.value, r.context, r.importance, r.confidence, r.source, r.trust, r.session,
    r.occurred_at, r.valid_from, r.valid_until, r.superseded_by, r.expires_at, r.lat, r.lng, r.address, r.place_label, r.metadata,
    r.created_at, r.updated_at, r.media
  FROM users CROSS JOIN (
        SELECT unnest(:content_hash::text[]) AS content_hash, unnest(:terms::text[]) AS terms,
               unnest(:place::uuid[]) AS place, unnest(:id::uuid[]) AS id, unnest(:type::text[]) AS type,
               unnest(:content::text[]) AS content, unnest(:subject::text[]) AS subject, unnest(:key::text[]) AS key,
               unnest(:value::text[]) AS value, unnest(:context::text[]) AS context,
               unnest(:importance::float8[]) AS importance, unnest(:confidence::float8[]) AS confidence,
               unnest(:source::text[]) AS source, unnest(:trust::smallint[]) AS trust, unnest(:session::text[]) AS session,
               unnest(:occurred_at::timestamptz[]) AS occurred_at, unnest(:valid_from::timestamptz[]) AS valid_from,
               unnest(:valid_until::timestamptz[]) AS valid_until, unnest(:superseded_by::uuid[]) AS superseded_by,
               unnest(:expires_at::timestamptz[]) AS expires_at, unnest(:lat::float8[]) AS lat,
               unnest(:lng::float8[]) AS lng, unnest(:address::text[]) AS address,
               unnest(:place_label::text[]) AS place_label, unnest(:metadata::jsonb[]) AS metadata,
               unnest(:created_at::timestamptz[]) AS created_at, unnest(:updated_at::timestamptz[]) AS updated_at,
               unnest(:media::jsonb[]) AS media) AS r
 WHERE user_id = :user_id
    ON CONFLICT DO NOTHING
RETURNING id

-- insert_message --
-- A message; the unique index knows it when its host delivers it again.
INSERT INTO messages (
    user_id, learned, terms, place,
    id, conversation_id, external_id, sequence, role, speaker, content, blocks, tool_calls, tool_call_id, tokens, status,
    trust, model, input_tokens, output_tokens, thinking_tokens, feedback, metadata, said_at, created_at,
    lat, lng, address, place_label, media)
VALUES (
    :user_id, false, :terms, :place,
    :id, :conversation, :external_id, :sequence, :role, :speaker, :content, :blocks,
    :tool_calls, :tool_call_id, :tokens, :status, :trust, :model, :input_tokens, :output_tokens,
    :thinking_tokens, :feedback, :metadata, :said_at, :created_at,
    :lat, :lng, :address, :place_label, :media)

-- insert_chunk --
-- A piece of a file.
INSERT INTO chunks (
    user_id, id, file_id, content, heading, content_hash, start_line, end_line, start_column, role, trust, dated_at,
    created_at, terms)
VALUES (
    :user_id, :id, :file_id, :content, :heading, :content_hash, :start_line, :end_line,
    :start_column, :role, :trust, :dated_at, :created_at, :terms)

-- insert_place --
-- The name of a place, once.
INSERT INTO places (user_id, id, address, place_label, created_at)
VALUES (:user_id, :id, :address, :place_label, :created_at)

-- work_for_user --
-- From here to the end of the transaction the server shows and changes nothing that is not this user's: it works as the
-- application's role, and waits for no lock for ever. Its commit waits for the disk, and for synchronous standbys, whatever the
-- default of the server, the database or the role.
SELECT set_config('role', coalesce(nullif(:role, ''), current_setting('role')), true),
       recollect_set('lock_timeout', :longest_wait),
       recollect_set('recollect.reach', 'user'), recollect_set('recollect.user_id', :user_id),
       recollect_set('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
                                                THEN 'on' ELSE current_setting('synchronous_commit') END)

-- work_for_store --
-- What follows is about the store as a whole. All else is as for a user.
SELECT set_config('role', coalesce(nullif(:role, ''), current_setting('role')), true),
       recollect_set('lock_timeout', :longest_wait),
       recollect_set('recollect.reach', 'store'), recollect_set('recollect.user_id', ''),
       recollect_set('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
                                                THEN 'on' ELSE current_setting('synchronous_commit') END)

-- login_rights --
-- Who works here, and what they may: the login, the role that the application takes on, the one that looks up words.
SELECT l.rolname AS login,
       l.rolsuper OR l.rolbypassrls AS bypasses,
       l.rolsuper AS super,
       l.rolsuper OR l.rolcreaterole AS creates_roles,
       pg_has_role(c.relowner, 'USAGE') AS owns,
       r.oid IS NOT NULL AS known,
       coalesce(r.rolsuper OR r.rolbypassrls OR pg_has_role(r.oid, c.relowner, 'USAGE'), false) AS unfit,
       coalesce((SELECT bool_and(has_table_privilege(r.oid, t.polrelid, 'SELECT')) FROM pg_policy t JOIN pg_class o ON o.oid = t.polrelid
                  WHERE o.relnamespace = c.relnamespace AND t.polname LIKE 'recollect\_%'), false)
         AND coalesce(has_function_privilege(r.oid, 'recollect_drop_vectors(integer)', 'EXECUTE'), false) AS admitted,
       f.proowner <> c.relowner AND has_function_privilege(coalesce(r.oid, l.oid), f.oid, 'EXECUTE') AS searches
  FROM pg_roles l
  JOIN pg_class c ON c.oid = to_regclass('memories')
  JOIN pg_proc f ON f.oid = to_regprocedure('recollect_ranked(text, text[], bigint, bigint)')
  LEFT JOIN pg_roles r ON r.rolname = :role
 WHERE l.rolname = current_user

-- admit --
-- Lets the roles do their part.
SELECT recollect_admit(:role, :searcher)

-- unsafe_settings --
-- Settings of the server without which a power failure can lose or damage what was committed.
SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name

-- long_transactions --
-- Transactions that have been open for so long, by the server's own clock: no vacuum removes what was deleted since they began.
-- Of clients only: each short transaction of Citus's maintenance daemon is said to have begun when the daemon did.
SELECT (SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
           AND coalesce(backend_xid, backend_xmin) IS NOT NULL
           AND xact_start <= clock_timestamp() - make_interval(secs => :seconds))
     + (SELECT count(*) FROM pg_prepared_xacts
         WHERE database = current_database() AND prepared <= clock_timestamp() - make_interval(secs => :seconds)) AS transactions

-- dead_rows --
-- Deleted rows in tables that hold more of them than of others.
SELECT coalesce(sum(n_dead_tup), 0)::bigint AS dead_rows
  FROM pg_stat_user_tables
 WHERE schemaname = current_schema() AND n_dead_tup >= :least AND n_dead_tup > n_live_tup

-- begin_read --
-- One snapshot for all questions.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY

-- primary_position --
-- How far the log has been flushed, as a number of bytes: every commit that can be seen is before that. Nothing on a standby.
SELECT CASE WHEN NOT pg_is_in_recovery() THEN (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint END AS position

-- replica_position --
-- Whether this is a standby, and how far it has replayed the log of its primary.
SELECT pg_is_in_recovery() AS standby, (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint AS position

-- replica_lag --
-- The same, and when the last transaction that was replayed had been committed, in seconds by the server's own clock.
SELECT pg_is_in_recovery() AS standby, (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint AS position,
       extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 AS seconds

-- server_identity --
-- What a primary and its standbys have in common: the cluster, the database, our tables, the timeline. A standby tells that of its
-- last checkpoint.
SELECT s.system_identifier::text AS cluster, d.oid::bigint AS database, to_regclass('memories')::oid::bigint AS memories,
       CASE WHEN pg_is_in_recovery() THEN c.timeline_id
            ELSE ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::integer END AS timeline
  FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d
 WHERE d.datname = current_database()

-- slot_holders --
-- The live rows that hold any of several slots.
SELECT {record}, content_hash
  FROM unnest(:subject::text[], :key::text[], :context::text[], :preference::boolean[])
         AS s (slot_subject, slot_key, slot_context, slot_preference)
       JOIN memories ON user_id = :user_id AND subject = slot_subject AND key = slot_key AND context = slot_context
 WHERE key <> '' AND superseded_by IS NULL AND type NOT IN ('event', 'experience', 'session_summary')
   AND (type = 'preference') = slot_preference

-- memories_with_words --
-- The live rows that have the words of any of several hashes: those of just that hash, and of the others the first few, for an
-- event may have happened very often. Each is looked up by itself in the index of hashes.
SELECT DISTINCT ON (m.id) m.*
  FROM unnest(:hashes::text[]) AS w (whole)
       CROSS JOIN LATERAL ((SELECT {record}, content_hash
                              FROM memories
                             WHERE user_id = :user_id AND content_hash >= left(w.whole, 32)
                               AND content_hash < left(w.whole, 32) || 'g' AND superseded_by IS NULL
                             ORDER BY content_hash
                             LIMIT :limit)
                           UNION ALL
                           (SELECT {record}, content_hash
                              FROM memories
                             WHERE user_id = :user_id AND content_hash = w.whole AND superseded_by IS NULL
                             LIMIT :limit)) AS m

-- retire_memories --
-- Ends the validity of several rows, each in favour of another.
UPDATE memories
   SET valid_until = r.until, superseded_by = r.successor
  FROM unnest(:id::uuid[], :valid_until::timestamptz[], :superseded_by::uuid[]) AS r (retired, until, successor)
 WHERE user_id = :user_id AND id = r.retired

-- confirm_memories --
-- The same was said again of several rows.
UPDATE memories
   SET trust = c.better_trust, source = c.better_source, confidence = c.surer, updated_at = c.moment
  FROM unnest(:id::uuid[], :trust::smallint[], :source::text[], :confidence::float8[], :updated_at::timestamptz[])
         AS c (confirmed, better_trust, better_source, surer, moment)
 WHERE user_id = :user_id AND id = c.confirmed

-- insert_vectors --
-- A batch of vectors. They come as arrays in the server's own format. The row of the user, which every writer has locked, tells
-- a cluster of servers where they belong.
INSERT INTO vectors_{space} (user_id, item_id, embedding)
SELECT u.user_id, v.item_id, v.embedding
  FROM users u CROSS JOIN unnest(:ids::uuid[], :vectors::{type}[]) AS v (item_id, embedding)
 WHERE u.user_id = :user_id

-- insert_passages --
-- The vectors of passages, each with its number in its text.
INSERT INTO vectors_{space} (user_id, item_id, part, embedding)
SELECT u.user_id, v.item_id, v.part, v.embedding
  FROM users u CROSS JOIN unnest(:ids::uuid[], :parts::smallint[], :vectors::{type}[]) AS v (item_id, part, embedding)
 WHERE u.user_id = :user_id

-- existing_items --
-- Which of these rows are still there.
SELECT id FROM {rows} WHERE user_id = :user_id AND id = ANY(:ids::uuid[])

-- move_vectors --
-- The vectors of a row that became a version stay with it.
UPDATE vectors_{space} SET item_id = :version_id WHERE user_id = :user_id AND item_id = :id

-- copy_vector --
-- A revision whose text is unchanged keeps its vectors.
INSERT INTO vectors_{space} (user_id, item_id, part, embedding)
SELECT user_id, :to_id::uuid, part, embedding FROM vectors_{space} WHERE user_id = :user_id AND item_id = :from_id

-- delete_vectors --
-- With the row go its vectors.
DELETE FROM vectors_{space} WHERE user_id = :user_id AND item_id = ANY(:ids::uuid[])

-- ranked_candidates --
-- Too many rows share a term: those with the rarer terms first.
SELECT id, terms
  FROM {rows}
 WHERE user_id = :user_id AND terms && :terms AND {filters}
 ORDER BY (SELECT sum(q.weight) FROM unnest(:terms::text[], :weights::float8[]) AS q (term, weight)
            WHERE q.term = ANY(terms)) DESC, id DESC
 LIMIT :limit

-- ranked_words --
-- How many of a large user's rows hold each term, and the rows with the rarer terms first; the index of words finds them.
SELECT counts, ids FROM recollect_ranked('{rows}', :terms, :total, :most)

-- known_candidates --
-- Such rows, if they pass.
SELECT id, terms
  FROM {rows}
 WHERE user_id = :user_id AND id = ANY(:ids::uuid[]) AND {filters}
 LIMIT :limit

-- ranked_matching --
-- The same as ranked_candidates, for a large user of whose best rows too few pass.
WITH matching AS MATERIALIZED (
    SELECT f.matching_id, f.rank
      FROM recollect_ranked('{rows}', :terms, :total, NULL) r CROSS JOIN unnest(r.ids) WITH ORDINALITY AS f (matching_id, rank))
SELECT id, terms
  FROM matching JOIN {rows} ON id = matching_id
 WHERE user_id = :user_id AND {filters}
 ORDER BY rank
 LIMIT :limit

-- prepare_nearest --
-- The index of a large user must go on looking until enough rows pass the filters, and begin with enough of them not to
-- miss a group of similar rows. Never outlives the transaction.
SELECT recollect_set('hnsw.iterative_scan', 'strict_order'), recollect_set('hnsw.ef_search', '400')

-- nearest_vectors --
-- Exact for all users but the large ones. An item comes once for each of its passages among the nearest.
SELECT v.item_id AS id, 1 - (v.embedding <=> :vector) AS cosine
  FROM vectors_{space} v
  JOIN {rows} m ON m.user_id = v.user_id AND m.id = v.item_id
 WHERE v.user_id = :user_id AND m.user_id = :user_id AND {filters}
 ORDER BY v.embedding <=> :vector
 LIMIT :limit

-- nearest_inside --
-- Exact for all users: inside a circle or at some places the index of a large user would miss most rows.
WITH inside AS MATERIALIZED (SELECT id FROM {rows} WHERE user_id = :user_id AND {filters})
SELECT v.item_id AS id, max(1 - (v.embedding <=> :vector)) AS cosine
  FROM inside JOIN vectors_{space} v ON v.item_id = inside.id
 WHERE v.user_id = :user_id
 GROUP BY v.user_id, v.item_id
 ORDER BY cosine DESC
 LIMIT :limit

-- cosines --
-- Exact scores of known rows, each by its best passage.
SELECT item_id AS id, max(1 - (embedding <=> :vector)) AS cosine
  FROM vectors_{space}
 WHERE user_id = :user_id AND item_id = ANY(:ids::uuid[])
 GROUP BY item_id

-- count_vectors --
-- How many of the user's rows have a vector.
SELECT count(*) AS vectors FROM vectors_{space} WHERE user_id = :user_id AND part = 0

-- count_all_vectors --
-- How many rows have a vector.
SELECT count(*) AS vectors FROM vectors_{space} WHERE part = 0

-- lock_schema --
-- Only one process at a time changes the schema, or claims jobs; the lock ends with the transaction.
SELECT pg_advisory_xact_lock(:lock)

-- share_spaces --
-- Any number may hold it, but not while a transaction has it alone; it ends with the transaction.
SELECT pg_advisory_xact_lock_shared(:lock)

-- next_space --
-- The lock of the migrations is held meanwhile.
SELECT coalesce(max(number), 0) + 1 AS number FROM embedding_spaces

-- store_size --
-- What the tables of this schema occupy, with their indexes.
SELECT coalesce(sum(recollect_table_size(c.oid::regclass)), 0) AS bytes
  FROM pg_class c
 WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'

-- own_tables --
-- The tables with rows of users, or about them.
SELECT c.relname AS name
  FROM pg_class c
 WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
   AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname LIKE 'recollect\_%')
 ORDER BY pg_total_relation_size(c.oid), c.relname

-- user_tables --
-- The tables whose rows belong to users, the first one being that of the users themselves.
SELECT c.relname AS name
  FROM pg_class c
 WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
   AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname IN ('recollect_own', 'recollect_member'))
 ORDER BY c.relname <> 'users', c.relname COLLATE "C"

-- has_citus --
-- Whether tables can be distributed.
SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS has

-- may_read_statistics --
-- Whether the login may look into the statistics themselves: row-level security hides the view of them.
SELECT has_table_privilege('pg_statistic', 'SELECT') AS may

-- clear_statistics --
-- Removes statistics as the owner of the tables may, from PostgreSQL 18 on.
SELECT pg_clear_attribute_stats(current_schema()::text, c.relname::text, a.attname::text, false)
  FROM pg_attribute a
  JOIN pg_class c ON c.oid = a.attrelid
 WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY(:tables::text[])
   AND a.attnum > 0 AND NOT a.attisdropped

-- delete_statistics --
-- The same on older servers, where only a superuser may.
DELETE FROM pg_statistic
 WHERE starelid IN (SELECT c.oid FROM pg_class c
                     WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY(:tables::text[]))

-- stale_samples --
-- Columns that are not to be sampled and have been, before they were not.
SELECT count(*) AS columns
  FROM pg_statistic s
  JOIN pg_class c ON c.oid = s.starelid
  JOIN pg_attribute a ON a.attrelid = s.starelid AND a.attnum = s.staattnum
 WHERE c.relnamespace = current_schema()::regnamespace AND a.attstattarget = 0
   AND coalesce(s.stavalues1::text, s.stavalues2::text, s.stavalues3::text, s.stavalues4::text, s.stavalues5::text) IS NOT NULL

-- unreadable_tables --
-- The tables that this role may not look into.
SELECT c.relname AS name
  FROM pg_class c
 WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT has_table_privilege(c.oid, 'SELECT')
 ORDER BY c.relname

-- sampled_values --
-- What the statistics of our tables hold.
SELECT c.relname AS table_name,
       concat_ws(' ', s.stavalues1::text, s.stavalues2::text, s.stavalues3::text, s.stavalues4::text, s.stavalues5::text)
       AS samples
  FROM pg_statistic s
  JOIN pg_class c ON c.oid = s.starelid
 WHERE c.relnamespace = current_schema()::regnamespace

-- large_users --
-- Users with so many vectors that an exact search becomes slow; those with far fewer rows are not looked at.
SELECT u.user_id FROM users u
 WHERE u.{rows} >= :rows
    OR (8 * u.{rows} >= :rows AND (SELECT count(*) FROM vectors_{space} v WHERE v.user_id = u.user_id) >= :rows)
 ORDER BY u.user_id

-- large_user_indexes --
-- Which indexes of large users exist and are complete.
SELECT c.relname AS name
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
 WHERE t.relname = 'vectors_{space}' AND t.relnamespace = current_schema()::regnamespace AND i.indisvalid
   AND c.relname LIKE 'vectors_{space}_user_%'

-- due_jobs --
-- Jobs of a space that are due and not leased, those of one user or of all.
SELECT user_id, item_id FROM jobs
 WHERE space = :space AND due_at <= :now AND (lease_until IS NULL OR lease_until <= :now) AND bulk = ''
   AND (:only_user = '' OR user_id = :only_user)
 ORDER BY due_at, item_id
 LIMIT :limit

-- due_readings --
-- Messages that are due to be read, the oldest first. A user of whom another worker has some, or of whom one is tried again
-- later, is left out: what was said first is read first.
SELECT user_id, item_id FROM jobs
 WHERE space = :space AND due_at <= :now
   AND user_id NOT IN (SELECT j.user_id FROM jobs j WHERE j.space = :space AND (j.due_at > :now OR j.lease_until > :now))
   AND (:only_user = '' OR user_id = :only_user)
 ORDER BY item_id
 LIMIT :limit

-- lease_jobs --
-- Takes such jobs of a user, for this or for a batch; not those that a writer of the user is changing.
UPDATE jobs
   SET lease_until = :lease_until, bulk = :bulk
 WHERE user_id = :user_id AND space = :space AND item_id IN (
       SELECT item_id FROM jobs
        WHERE user_id = :user_id AND space = :space AND item_id = ANY(:ids::uuid[])
          AND due_at <= :now AND (lease_until IS NULL OR lease_until <= :now) AND bulk = ''
          FOR UPDATE SKIP LOCKED)
RETURNING user_id, item_id, item_kind, attempts

-- owe_jobs --
-- What lacks both a vector in a space, or one of its passages, and the work to get one is owed it.
INSERT INTO jobs (user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, reason, created_at)
SELECT m.user_id, 'embed', :item_kind, m.id, {space}, 0, :now, NULL, '', :now
  FROM {rows} m
  LEFT JOIN (SELECT user_id, item_id, bool_or(part = 0) AS whole, max(part) <> count(*) FILTER (WHERE part > 0) AS gaps
               FROM vectors_{space} GROUP BY user_id, item_id) v ON v.user_id = m.user_id AND v.item_id = m.id
 WHERE EXISTS (SELECT 1 FROM embedding_spaces s WHERE s.number = {space} AND s.state <> 'kept')
   AND (v.whole IS NOT TRUE OR v.gaps)
   AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.user_id = m.user_id AND j.item_id = m.id AND j.space = {space})
    ON CONFLICT DO NOTHING

-- make_vectors --
-- The table of a new space, with the owner's rights.
SELECT recollect_make_vectors(:number, :half, :dimensions)

-- drop_vectors --
-- Drops the table of a space.
SELECT recollect_drop_vectors(:number)

-- insert_changes --
-- Items that are new, in their order.
INSERT INTO changes (user_id, number, what, item_kind, item_id, changed_at)
SELECT u.user_id, :before + c.place, c.what, c.item_kind, c.item_id, :now::timestamptz
  FROM users u CROSS JOIN unnest(:whats::text[], :kinds::text[], :ids::uuid[])
       WITH ORDINALITY AS c (what, item_kind, item_id, place)
 WHERE u.user_id = :user_id

-- notify_change --
-- Wakes the processes that wait for changes; they read what is new in the order of changes.
SELECT pg_notify('recollect_changes', '')
