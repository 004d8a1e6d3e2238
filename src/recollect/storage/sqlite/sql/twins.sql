-- Queries that the two databases need in different words: the same names, parameters and result columns as the twin's.

-- get_memories --
-- Rows by id, live or not.
SELECT {record}
  FROM (SELECT value AS wanted FROM carray(:ids)) CROSS JOIN memories ON user_id = :user_id AND id = wanted

-- text_candidates --
-- Rows that share a term with the query. In a store of one user the index need not be asked whose they are.
SELECT {rows}.id, {rows}.terms
  FROM {words} t
 CROSS JOIN {rows} ON {rows}.seq = t.rowid
 WHERE t.{words} MATCH
       iif(EXISTS (SELECT 1 FROM users WHERE user_id <> :user_id), 'user_token:"' || hex(:user_id) || '" AND ', '')
       || 'terms:(' || :terms || ')'
   AND t.rank MATCH 'bm25(0.0, 1.0)'
   AND {rows}.user_id = :user_id AND {filters}
 ORDER BY t.rank
 LIMIT :limit

-- term_frequency --
-- How many of the user's rows hold a term.
SELECT count(*) AS frequency
  FROM {words}
 WHERE {words} MATCH
       iif(EXISTS (SELECT 1 FROM users WHERE user_id <> :user_id), 'user_token:"' || hex(:user_id) || '" AND ', '')
       || 'terms:(' || :terms || ')'

-- around_messages --
-- Messages and what was said before and after each of them.
SELECT id, conversation_id, sequence, role, speaker, tokens, trust, said_at,
       substr(rtrim(content), -1) IN ('?', '？', '؟') AS asks,
       lat, lng, address, place_label, feedback
  FROM (SELECT value AS wanted FROM carray(:ids))
 CROSS JOIN (SELECT user_id AS seed_user, id AS seed_id, conversation_id AS seed_conversation, sequence AS seed_sequence
               FROM messages) ON seed_user = :user_id AND seed_id = wanted
 CROSS JOIN messages ON user_id = :user_id AND conversation_id = seed_conversation
                    AND sequence BETWEEN seed_sequence - :reach AND seed_sequence + :reach
 WHERE {filters}

-- get_messages --
-- Messages by id.
SELECT {message}
  FROM (SELECT value AS wanted FROM carray(:ids)) CROSS JOIN messages ON user_id = :user_id AND id = wanted

-- delivered_messages --
-- Messages by the ids that their host has for them.
SELECT {message}
  FROM (SELECT value AS wanted FROM carray(:ids)) CROSS JOIN messages
    ON user_id = :user_id AND conversation_id = :conversation_id AND external_id = wanted AND external_id <> ''

-- lock_resets --
-- How much was forgotten. Only one transaction writes at a time, so there is nothing to lock.
SELECT resets FROM users WHERE user_id = :user_id

-- insert_tombstones --
-- All this was forgotten.
INSERT INTO tombstones (user_id, fingerprint, forgotten_at)
SELECT :user_id, t.value, :now
  FROM carray(:fingerprints) AS t WHERE true
    ON CONFLICT (user_id, fingerprint) DO UPDATE SET forgotten_at = excluded.forgotten_at

-- transfer_vectors --
-- All vectors of a user in a space.
SELECT m.id, CASE WHEN v.seq > 0 THEN 0 ELSE -v.seq & 255 END AS part, v.vector
  FROM {rows} m CROSS JOIN vectors_{space} v
    ON v.seq = m.seq OR v.seq BETWEEN -256 * m.seq - 255 AND -256 * m.seq - 1
 WHERE m.user_id = :user_id AND v.user_id = m.user_id
 ORDER BY m.id, part

-- item_vectors --
-- The vectors of items by their ids, without those of their passages.
SELECT m.id, v.vector
  FROM carray(:ids) wanted
 CROSS JOIN {rows} m ON m.user_id = :user_id AND m.id = wanted.value
 CROSS JOIN vectors_{space} v ON v.seq = m.seq AND v.user_id = :user_id

-- wish_vectors --
-- The vectors as wishes of those items that have one more vector and no passages, which are at least two.
SELECT m.id, v.vector
  FROM carray(:ids) wanted
 CROSS JOIN {rows} m ON m.user_id = :user_id AND m.id = wanted.value
 CROSS JOIN vectors_{space} v ON v.seq = -256 * m.seq - 1 AND v.user_id = :user_id
 WHERE NOT EXISTS (SELECT 1 FROM vectors_{space} w WHERE w.seq = -256 * m.seq - 2 AND w.user_id = :user_id)

-- embedded_memories --
-- Memories with their terms and vectors, newest first.
SELECT memories.id, memories.terms, v.vector
  FROM memories CROSS JOIN vectors_{space} v ON v.seq = memories.seq AND v.user_id = memories.user_id
 WHERE memories.user_id = :user_id AND memories.id < :before AND {filters}
 ORDER BY memories.id DESC
 LIMIT :limit

-- items_with_vector --
-- Which of these items have one.
SELECT m.id
  FROM (SELECT value AS wanted FROM carray(:ids)) CROSS JOIN {rows} m ON m.user_id = :user_id AND m.id = wanted
  JOIN vectors_{space} v ON v.seq = m.seq

-- text_columns --
-- The columns of all tables, and which of them can hold text.
SELECT t.name AS table_name, c.name AS column_name,
       CASE c.type WHEN 'BLOB' THEN 'bytes' WHEN 'TEXT' THEN 'text' WHEN '' THEN iif(c.name = 'sample', 'bytes', 'text') ELSE '' END
       AS kind
  FROM pragma_table_list t JOIN pragma_table_info(t.name) c
 WHERE t.schema = 'main' AND t.type = 'table'
 ORDER BY t.name, c.cid

-- memory_moments --
-- How many memories there are about each quarter of an hour, events apart.
SELECT moment - ((moment % 900000000) + 900000000) % 900000000 AS moment,
       CASE type WHEN 'event' THEN 'events' ELSE 'memories' END AS kind, count(*) AS amount
  FROM (SELECT coalesce(occurred_at, created_at) AS moment, type FROM memories WHERE user_id = :user_id AND {filters})
 GROUP BY 1, 2 ORDER BY 1, 2

-- message_moments --
-- How many messages were said in each quarter of an hour.
SELECT said_at - ((said_at % 900000000) + 900000000) % 900000000 AS moment, 'messages' AS kind, count(*) AS amount
  FROM messages
 WHERE user_id = :user_id AND role <> 'summary' AND {filters}
 GROUP BY 1 ORDER BY 1

-- file_moments --
-- How many files there are about each quarter of an hour.
SELECT moment - ((moment % 900000000) + 900000000) % 900000000 AS moment, 'files' AS kind, count(*) AS amount
  FROM (SELECT coalesce(dated_at, created_at) AS moment FROM files WHERE user_id = :user_id)
 WHERE (:since IS NULL OR moment >= :since) AND (:until IS NULL OR moment < :until)
 GROUP BY 1 ORDER BY 1

-- growth --
-- How many rows were stored in each month, in UTC.
SELECT strftime('%Y-%m', created_at / 1000000, 'unixepoch') AS month, count(*) AS items
  FROM {rows}
 WHERE user_id = :user_id
 GROUP BY 1
 ORDER BY 1

-- memory_vectors_by_type --
-- The current memories that have a vector, by type.
SELECT m.type AS label, count(*) AS vectors
  FROM codes_{space} v JOIN memories m ON m.seq = v.seq
 WHERE v.user_id = :user_id AND m.superseded_by IS NULL
 GROUP BY m.type

-- message_vectors_by_role --
-- The messages that have a vector, by role.
SELECT m.role AS label, count(*) AS vectors
  FROM codes_{space} v JOIN messages m ON m.seq = v.seq
 WHERE v.user_id = :user_id
 GROUP BY m.role

-- chunk_vectors_by_kind --
-- The chunks that have a vector, by the kind of their files.
SELECT f.kind AS label, count(*) AS vectors
  FROM codes_{space} v
  JOIN chunks c ON c.seq = v.seq
  JOIN files f ON f.user_id = c.user_id AND f.id = c.file_id
 WHERE v.user_id = :user_id
 GROUP BY f.kind
