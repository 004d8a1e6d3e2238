-- What only PostgreSQL does: COPY for batches, vectors in a typed column, an index for a giant.

-- insert_memory --
-- The unique index decides what is a duplicate, whoever else is writing.
INSERT INTO memories (
    user_id, content_hash, terms,
    id, type, content, subject, key, value, context, importance, confidence, source, trust, session_id,
    occurred_at, valid_from, valid_until, superseded_by, expires_at, lat, lng, address, place_label, metadata,
    created_at, updated_at)
VALUES (
    %(user_id)s, %(content_hash)s, %(terms)s,
    %(id)s, %(type)s, %(content)s, %(subject)s, %(key)s, %(value)s, %(context)s, %(importance)s, %(confidence)s,
    %(source)s, %(trust)s, %(session)s, %(occurred_at)s, %(valid_from)s, %(valid_until)s, %(superseded_by)s,
    %(expires_at)s, %(lat)s, %(lng)s, %(address)s, %(place_label)s, %(metadata)s,
    %(created_at)s, %(updated_at)s)
    ON CONFLICT DO NOTHING

-- insert_message --
-- A message; the unique index knows it when its host delivers it again.
INSERT INTO messages (
    user_id, learned, terms,
    id, conversation_id, external_id, sequence, role, speaker, content, blocks, tool_calls, tool_call_id, tokens, status,
    trust, model, input_tokens, output_tokens, thinking_tokens, feedback, metadata, said_at, created_at)
VALUES (
    %(user_id)s, false, %(terms)s,
    %(id)s, %(conversation)s, %(external_id)s, %(sequence)s, %(role)s, %(speaker)s, %(content)s, %(blocks)s,
    %(tool_calls)s, %(tool_call_id)s, %(tokens)s, %(status)s, %(trust)s, %(model)s, %(input_tokens)s, %(output_tokens)s,
    %(thinking_tokens)s, %(feedback)s, %(metadata)s, %(said_at)s, %(created_at)s)

-- begin_read --
-- One snapshot for all questions.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY

-- copy_memories --
-- A batch of rows that are expected to be new.
COPY memories (
    user_id, content_hash, terms,
    id, type, content, subject, key, value, context, importance, confidence, source, trust, session_id,
    occurred_at, valid_from, valid_until, superseded_by, expires_at, lat, lng, address, place_label, metadata,
    created_at, updated_at)
FROM STDIN (FORMAT BINARY)

-- create_staging --
-- Where a batch waits while the unique index decides.
CREATE TEMPORARY TABLE staged (LIKE memories) ON COMMIT DROP

-- copy_staging --
-- A batch of rows of which some are known.
COPY staged (
    user_id, content_hash, terms,
    id, type, content, subject, key, value, context, importance, confidence, source, trust, session_id,
    occurred_at, valid_from, valid_until, superseded_by, expires_at, lat, lng, address, place_label, metadata,
    created_at, updated_at)
FROM STDIN (FORMAT BINARY)

-- insert_staged --
-- Of equal rows the first one stays.
INSERT INTO memories SELECT * FROM staged ORDER BY id ON CONFLICT DO NOTHING

-- refused_staged --
-- What the unique index did not let in.
SELECT s.id FROM staged s
 WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = s.user_id AND m.id = s.id)

-- drop_staging --
-- A transaction may bring several batches.
DROP TABLE staged

-- copy_vectors --
-- A batch of vectors.
COPY vectors_{space} (user_id, item_id, embedding) FROM STDIN (FORMAT BINARY)

-- existing_items --
-- Which of these rows are still there.
SELECT id FROM {rows} WHERE user_id = %(user_id)s AND id = ANY(%(ids)s::uuid[])

-- move_vectors --
-- The vector of a row that became a version stays with it.
UPDATE vectors_{space} SET item_id = %(version_id)s WHERE user_id = %(user_id)s AND item_id = %(id)s

-- copy_vector --
-- A revision whose text is unchanged keeps its vector.
INSERT INTO vectors_{space} (user_id, item_id, embedding)
SELECT user_id, %(to_id)s::uuid, embedding FROM vectors_{space} WHERE user_id = %(user_id)s AND item_id = %(from_id)s

-- delete_vectors --
-- With the row goes its vector.
DELETE FROM vectors_{space} WHERE user_id = %(user_id)s AND item_id = ANY(%(ids)s::uuid[])

-- ranked_candidates --
-- Too many rows share a term: those with the rarer terms first.
SELECT id, terms
  FROM {rows}
 WHERE user_id = %(user_id)s AND terms && %(terms)s AND {filters}
 ORDER BY (SELECT sum(q.weight) FROM unnest(%(terms)s::text[], %(weights)s::float8[]) AS q (term, weight)
            WHERE q.term = ANY(terms)) DESC, id DESC
 LIMIT %(limit)s

-- prepare_nearest --
-- An index for a giant must go on looking until enough rows pass the filters. Never outlives the transaction.
SET LOCAL hnsw.iterative_scan = strict_order

-- nearest_vectors --
-- Exact for everybody but giants.
SELECT v.item_id AS id, 1 - (v.embedding <=> %(vector)s) AS cosine
  FROM vectors_{space} v
  JOIN {rows} m ON m.user_id = v.user_id AND m.id = v.item_id
 WHERE v.user_id = %(user_id)s AND m.user_id = %(user_id)s AND {filters}
 ORDER BY v.embedding <=> %(vector)s
 LIMIT %(limit)s

-- cosines --
-- Exact scores of known rows.
SELECT item_id AS id, 1 - (embedding <=> %(vector)s) AS cosine
  FROM vectors_{space}
 WHERE user_id = %(user_id)s AND item_id = ANY(%(ids)s::uuid[])

-- count_vectors --
-- How many of the user's rows have a vector.
SELECT count(*) AS vectors FROM vectors_{space} WHERE user_id = %(user_id)s

-- count_all_vectors --
-- How many vectors there are.
SELECT count(*) AS vectors FROM vectors_{space}

-- lock_schema --
-- Only one process at a time changes the schema; the lock ends with the transaction.
SELECT pg_advisory_xact_lock(%(lock)s)

-- lock_resets --
-- The same, and waits for somebody who is forgetting right now.
SELECT resets FROM users WHERE user_id = %(user_id)s FOR SHARE

-- share_spaces --
-- Any number may hold it, but not while somebody has it alone; it ends with the transaction.
SELECT pg_advisory_xact_lock_shared(%(lock)s)

-- next_space --
-- The lock of the migrations is held meanwhile.
SELECT coalesce(max(number), 0) + 1 AS number FROM embedding_spaces

-- store_size --
-- What the tables of this schema occupy, with their indexes.
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes
  FROM pg_class c
 WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'

-- giants --
-- Users with so many rows that an exact search becomes slow.
SELECT user_id FROM users WHERE {rows} >= %(rows)s ORDER BY user_id

-- giant_indexes --
-- Which indexes for giants exist and are complete.
SELECT c.relname AS name
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
 WHERE t.relname = 'vectors_{space}' AND t.relnamespace = current_schema()::regnamespace AND i.indisvalid
   AND c.relname LIKE 'vectors_{space}_giant_%%'

-- owe_jobs --
-- What lacks both a vector in a space and the work to get one is owed it.
INSERT INTO jobs (user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, reason, created_at)
SELECT m.user_id, 'embed', %(item_kind)s, m.id, {space}, 0, %(now)s, NULL, '', %(now)s
  FROM {rows} m
 WHERE EXISTS (SELECT 1 FROM embedding_spaces s WHERE s.number = {space} AND s.state <> 'kept')
   AND NOT EXISTS (SELECT 1 FROM vectors_{space} v WHERE v.user_id = m.user_id AND v.item_id = m.id)
   AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.user_id = m.user_id AND j.item_id = m.id AND j.space = {space})
    ON CONFLICT DO NOTHING

-- drop_vectors --
-- A space that nobody needs.
DROP TABLE vectors_{space}

-- insert_changes --
-- Items that are new, in their order.
INSERT INTO changes (user_id, number, what, item_kind, item_id, changed_at)
SELECT %(user_id)s, %(before)s + c.place, c.what, c.item_kind, c.item_id, %(now)s
  FROM unnest(%(whats)s::text[], %(kinds)s::text[], %(ids)s::uuid[])
       WITH ORDINALITY AS c (what, item_kind, item_id, place)

-- ring --
-- Wakes whoever waits for something new. What it is they read in the order of changes.
SELECT pg_notify('recollect_changes', '')
