-- Queries that the two databases need in different words: the same names, parameters and result columns as the twin's.

-- get_memories --
-- Rows by id, live or not.
SELECT {record}
  FROM memories
 WHERE user_id = :user_id AND id = ANY(:ids::uuid[])

-- text_candidates --
-- Rows that share a term with the query.
SELECT id, terms
  FROM {rows}
 WHERE user_id = :user_id AND terms && :terms AND {filters}
 LIMIT :limit

-- term_frequency --
-- How many of the user's rows hold a term.
SELECT count(*) AS frequency FROM {rows} WHERE user_id = :user_id AND terms && :terms

-- around_messages --
-- Messages and what was said before and after each of them.
SELECT id, conversation_id, sequence, role, speaker, tokens, trust, said_at,
       right(rtrim(content), 1) IN ('?', '？', '؟') AS asks,
       lat, lng, address, place_label, feedback
  FROM messages
  JOIN (SELECT conversation_id AS seed_conversation, sequence AS seed_sequence
          FROM messages
         WHERE user_id = :user_id AND id = ANY(:ids::uuid[])) AS seeds
    ON conversation_id = seed_conversation
   AND sequence BETWEEN seed_sequence - :reach AND seed_sequence + :reach
 WHERE user_id = :user_id AND {filters}

-- get_messages --
-- Messages by id.
SELECT {message}
  FROM messages
 WHERE user_id = :user_id AND id = ANY(:ids::uuid[])

-- delivered_messages --
-- Messages by the ids that their host has for them.
SELECT {message}
  FROM messages
 WHERE user_id = :user_id AND conversation_id = :conversation_id AND external_id = ANY(:ids::text[])
   AND external_id <> ''

-- lock_resets --
-- How much was forgotten, once a write that is forgetting right now has ended.
SELECT resets FROM users WHERE user_id = :user_id FOR SHARE

-- insert_tombstones --
-- All this was forgotten.
INSERT INTO tombstones (user_id, fingerprint, forgotten_at)
SELECT u.user_id, t.value, :now::timestamptz
  FROM users u CROSS JOIN unnest(:fingerprints::text[]) AS t (value)
 WHERE u.user_id = :user_id
    ON CONFLICT (user_id, fingerprint) DO UPDATE SET forgotten_at = excluded.forgotten_at

-- transfer_vectors --
-- All vectors of a user in a space.
SELECT item_id AS id, part, embedding AS vector FROM vectors_{space} WHERE user_id = :user_id ORDER BY item_id, part

-- item_vectors --
-- The vectors of items by their ids, without those of their passages.
SELECT item_id AS id, embedding AS vector
  FROM vectors_{space}
 WHERE user_id = :user_id AND item_id = ANY(:ids::uuid[]) AND part = 0

-- wish_vectors --
-- The vectors as wishes of those items that have one more vector and no passages, which are at least two.
SELECT v.item_id AS id, v.embedding AS vector
  FROM vectors_{space} v
 WHERE v.user_id = :user_id AND v.item_id = ANY(:ids::uuid[]) AND v.part = 1
   AND NOT EXISTS (SELECT 1 FROM vectors_{space} w
                    WHERE w.user_id = :user_id AND w.item_id = v.item_id AND w.part = 2)

-- embedded_memories --
-- Memories with their terms and vectors, newest first.
SELECT m.id, m.terms, v.embedding AS vector
  FROM memories m JOIN vectors_{space} v ON v.user_id = m.user_id AND v.item_id = m.id AND v.part = 0
 WHERE m.user_id = :user_id AND v.user_id = :user_id AND m.id < :before AND {filters}
 ORDER BY m.id DESC
 LIMIT :limit

-- items_with_vector --
-- Which of these items have one.
SELECT item_id AS id FROM vectors_{space} WHERE user_id = :user_id AND item_id = ANY(:ids::uuid[]) AND part = 0

-- text_columns --
-- The columns of all tables, and which of them can hold text.
SELECT c.relname AS table_name, a.attname AS column_name,
       CASE WHEN t.typname = 'bytea' THEN 'bytes' WHEN t.typcategory = 'S' OR t.typname IN ('jsonb', 'json', 'uuid', '_text', 'tsvector')
            THEN 'text' ELSE '' END AS kind
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type t ON t.oid = a.atttypid
 WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND has_table_privilege(c.oid, 'SELECT')
 ORDER BY c.relname, a.attnum

-- memory_moments --
-- How many memories there are about each quarter of an hour, events apart.
SELECT date_bin('15 minutes', coalesce(occurred_at, created_at), 'epoch'::timestamptz) AS moment,
       CASE type WHEN 'event' THEN 'events' ELSE 'memories' END AS kind, count(*) AS amount
  FROM memories
 WHERE user_id = :user_id AND {filters}
 GROUP BY 1, 2 ORDER BY 1, 2

-- message_moments --
-- How many messages were said in each quarter of an hour.
SELECT date_bin('15 minutes', said_at, 'epoch'::timestamptz) AS moment, 'messages' AS kind, count(*) AS amount
  FROM messages
 WHERE user_id = :user_id AND role <> 'summary' AND {filters}
 GROUP BY 1 ORDER BY 1

-- file_moments --
-- How many files there are about each quarter of an hour.
SELECT date_bin('15 minutes', coalesce(dated_at, created_at), 'epoch'::timestamptz) AS moment, 'files' AS kind,
       count(*) AS amount
  FROM files
 WHERE user_id = :user_id AND (:since::timestamptz IS NULL OR coalesce(dated_at, created_at) >= :since)
   AND (:until::timestamptz IS NULL OR coalesce(dated_at, created_at) < :until)
 GROUP BY 1 ORDER BY 1

-- growth --
-- How many rows were stored in each month, in UTC.
SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month, count(*) AS items
  FROM {rows}
 WHERE user_id = :user_id
 GROUP BY 1
 ORDER BY 1

-- memory_vectors_by_type --
-- The current memories that have a vector, by type.
SELECT m.type AS label, count(*) AS vectors
  FROM vectors_{space} v JOIN memories m ON m.user_id = v.user_id AND m.id = v.item_id
 WHERE v.user_id = :user_id AND m.user_id = :user_id AND v.part = 0 AND m.superseded_by IS NULL
 GROUP BY m.type

-- message_vectors_by_role --
-- The messages that have a vector, by role.
SELECT m.role AS label, count(*) AS vectors
  FROM vectors_{space} v JOIN messages m ON m.user_id = v.user_id AND m.id = v.item_id
 WHERE v.user_id = :user_id AND m.user_id = :user_id AND v.part = 0
 GROUP BY m.role

-- chunk_vectors_by_kind --
-- The chunks that have a vector, by the kind of their files.
SELECT f.kind AS label, count(*) AS vectors
  FROM vectors_{space} v
  JOIN chunks c ON c.user_id = v.user_id AND c.id = v.item_id
  JOIN files f ON f.user_id = c.user_id AND f.id = c.file_id
 WHERE v.user_id = :user_id AND c.user_id = :user_id AND f.user_id = :user_id AND v.part = 0
 GROUP BY f.kind
