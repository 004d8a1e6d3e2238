-- Memories, the figures of a user, and the marks of a store.

-- lock_user --
-- Starts a write: locks the user against other writers.
INSERT INTO users (user_id, generation, resets, memories, messages, chunks)
VALUES (:user_id, 1, 0, 0, 0, 0)
    ON CONFLICT (user_id) DO UPDATE SET generation = users.generation + 1

-- count_user --
-- Keeps the user's figures true, in the transaction that changes them, and reserves numbers of changes as `next_changes` does.
UPDATE users
   SET memories = memories + :memories, messages = messages + :messages, chunks = chunks + :chunks,
       resets = resets + :resets, changes = changes + :amount,
       bytes = bytes - :freed
             + (SELECT coalesce(sum(octet_length(m.content) + octet_length(m.value) + octet_length(CAST(m.media AS text)) - 2), 0)
                  FROM memories m WHERE m.user_id = :user_id AND m.id = ANY(:new_memories::uuid[]))
             + (SELECT coalesce(sum(octet_length(m.content) + octet_length(CAST(m.blocks AS text))
                                  + octet_length(CAST(m.media AS text)) - 2), 0)
                  FROM messages m WHERE m.user_id = :user_id AND m.id = ANY(:new_messages::uuid[]))
             + (SELECT coalesce(sum(octet_length(m.content)), 0)
                  FROM chunks m WHERE m.user_id = :user_id AND m.id = ANY(:new_chunks::uuid[]))
 WHERE user_id = :user_id
RETURNING changes AS last

-- bytes_of_memories --
-- How large the texts of rows are. No media are two characters, which do not count.
SELECT coalesce(sum(octet_length(content) + octet_length(value) + octet_length(CAST(media AS text)) - 2), 0) AS bytes
  FROM memories
 WHERE user_id = :user_id AND id = ANY(:ids::uuid[])

-- bytes_of_messages --
-- The same of messages.
SELECT coalesce(sum(octet_length(content) + octet_length(CAST(blocks AS text)) + octet_length(CAST(media AS text)) - 2), 0)
       AS bytes
  FROM messages
 WHERE user_id = :user_id AND id = ANY(:ids::uuid[])

-- bytes_of_chunks --
-- The same of chunks.
SELECT coalesce(sum(octet_length(content)), 0) AS bytes FROM chunks
 WHERE user_id = :user_id AND id = ANY(:ids::uuid[])

-- user_usage --
-- What counts against the quotas of a user. Documents and media that were sent are kept as they came, too.
SELECT memories, bytes + (SELECT coalesce(sum(f.size), 0) FROM files f WHERE f.user_id = :user_id AND f.root = '')
       + (SELECT coalesce(sum(o.size), 0)
            FROM (SELECT DISTINCT original, size FROM media_originals WHERE user_id = :user_id) o) AS bytes
  FROM users WHERE user_id = :user_id

-- user_figures --
-- Tells whether what is kept in memory about a user is still true, and whether they are a member of any scope.
SELECT generation, resets, memories, messages, chunks,
       EXISTS (SELECT 1 FROM scope_members s WHERE s.user_id = :user_id) AS shares
  FROM users WHERE user_id = :user_id

-- select_memories --
-- A listing, newest first.
SELECT {record}
  FROM memories
 WHERE user_id = :user_id AND id < :before AND {filters}
 ORDER BY id DESC
 LIMIT :limit

-- count_memories --
-- How many rows pass.
SELECT count(*) AS memories FROM memories WHERE user_id = :user_id AND {filters}

-- timeline --
-- What happened, the newest first.
SELECT {record}
  FROM memories
 WHERE user_id = :user_id AND {filters}
 ORDER BY coalesce(occurred_at, created_at) DESC, id DESC
 LIMIT :limit

-- subjects --
-- What there is something to know about.
SELECT DISTINCT subject FROM memories WHERE user_id = :user_id AND subject <> '' AND {filters} ORDER BY subject

-- memory_chain --
-- All versions of one thing: up to the newest, then everything that it replaced.
WITH RECURSIVE
up (id, next) AS (
    SELECT id, superseded_by FROM memories WHERE user_id = :user_id AND id = :id
    UNION
    SELECT m.id, m.superseded_by FROM memories m JOIN up ON m.user_id = :user_id AND m.id = up.next
),
family (id) AS (
    SELECT id FROM up WHERE next IS NULL
    UNION
    SELECT m.id FROM memories m JOIN family ON m.user_id = :user_id AND m.superseded_by = family.id
)
SELECT {record}
  FROM memories
 WHERE user_id = :user_id AND id IN (SELECT id FROM family)
 ORDER BY superseded_by IS NULL, valid_from, id

-- same_memory --
-- The live row that says the same.
SELECT {record}
  FROM memories
 WHERE user_id = :user_id AND content_hash = :content_hash AND type = :type AND subject = :subject AND key = :key
   AND context = :context AND superseded_by IS NULL

-- memories_from_hash --
-- The live rows that have the words of one hash; of an event that happened very often the first few.
SELECT {record}, content_hash
  FROM memories
 WHERE user_id = :user_id AND content_hash >= :first AND content_hash < :beyond AND superseded_by IS NULL
 ORDER BY content_hash
 LIMIT :limit

-- has_twin --
-- Whether another live row has the fingerprint that this one would get.
SELECT n.id
  FROM memories m
       JOIN memories n ON n.user_id = :user_id AND n.content_hash = :content_hash AND n.type = m.type
                      AND n.subject = m.subject AND n.key = m.key AND n.context = m.context AND n.id <> m.id
                      AND n.superseded_by IS NULL
 WHERE m.user_id = :user_id AND m.id = :id AND m.superseded_by IS NULL

-- set_memory_hash --
-- What identifies it is read in another way than before.
UPDATE memories SET content_hash = :content_hash WHERE user_id = :user_id AND id = :id

-- current_memory --
-- The live rows that hold a slot. Events and experiences happen side by side and hold none. Sorted by the caller: for the
-- sake of an order SQLite would look through all rows of the user.
SELECT {record}, content_hash
  FROM memories
 WHERE user_id = :user_id AND subject = :subject AND key = :key AND context = :context AND key <> ''
   AND superseded_by IS NULL AND type NOT IN ('event', 'experience', 'session_summary')
   AND (type = 'preference') = :preference

-- retire_memory --
-- Ends a row's validity in favour of another.
UPDATE memories
   SET valid_until = :valid_until, superseded_by = :superseded_by
 WHERE user_id = :user_id AND id = :id

-- revive_memory --
-- What replaced it is gone: it holds again.
UPDATE memories SET superseded_by = NULL, valid_until = NULL WHERE user_id = :user_id AND id = :id

-- confirm_memory --
-- The same was said again.
UPDATE memories
   SET trust = :trust, source = :source, confidence = :confidence, updated_at = :updated_at
 WHERE user_id = :user_id AND id = :id

-- set_memory_metadata --
-- What is noted about a row, without a new version of it.
UPDATE memories SET metadata = :metadata WHERE user_id = :user_id AND id = :id

-- set_memory_expiry --
-- When a row is to be forgotten, without a new version of it.
UPDATE memories SET expires_at = :expires_at, updated_at = :now WHERE user_id = :user_id AND id = :id

-- rename_memory --
-- Turns the present row into a version of the past; its terms and vector stay with it.
UPDATE memories
   SET id = :version_id, superseded_by = :id, valid_until = :valid_until
 WHERE user_id = :user_id AND id = :id

-- relink_versions --
-- Before a version goes, those that it replaced point to what replaced it.
UPDATE memories SET superseded_by = :to_id WHERE user_id = :user_id AND superseded_by = :from_id

-- delete_memories --
-- The rows themselves; terms, vectors and jobs go in the same transaction.
DELETE FROM memories WHERE user_id = :user_id AND id = ANY(:ids::uuid[])

-- all_memory_ids --
-- Everything a user has, of any validity.
SELECT id FROM memories WHERE user_id = :user_id ORDER BY id

-- type_counts --
-- What a user has, by type and state.
SELECT type,
       count(*) FILTER (WHERE superseded_by IS NULL AND (expires_at IS NULL OR expires_at > :now)
                          AND (valid_until IS NULL OR valid_until > :now)) AS live,
       count(*) FILTER (WHERE superseded_by IS NOT NULL) AS superseded,
       count(*) FILTER (WHERE superseded_by IS NULL AND (expires_at <= :now OR valid_until <= :now)) AS expired,
       min(created_at) AS oldest, max(created_at) AS newest
  FROM memories
 WHERE user_id = :user_id
 GROUP BY type
 ORDER BY type

-- memories_by_type --
-- The current memories of a user, by type.
SELECT type AS label, count(*) AS items FROM memories
 WHERE user_id = :user_id AND superseded_by IS NULL
 GROUP BY type
 ORDER BY type

-- untidy_memories --
-- Current memories that may not be worth keeping.
SELECT {record}
  FROM memories
 WHERE user_id = :user_id AND superseded_by IS NULL AND CAST(media AS text) = '[]'
   AND (length(content) < :short OR CAST(terms AS text) IN ('', '{}')
        OR lower(content) LIKE '%[system%' OR lower(content) LIKE '<system%')
 ORDER BY id
 LIMIT :limit

-- store_counts --
-- The size of the whole store, in numbers that reveal no user.
SELECT (SELECT count(*) FROM users WHERE memories > 0 OR messages > 0 OR chunks > 0) AS users,
       (SELECT coalesce(sum(memories), 0) FROM users) AS memories,
       (SELECT coalesce(sum(messages), 0) FROM users) AS messages,
       (SELECT coalesce(sum(chunks), 0) FROM users) AS chunks,
       (SELECT count(*) FROM files) AS files,
       (SELECT count(*) FROM jobs j JOIN embedding_spaces s ON s.number = j.space
         WHERE s.state = 'active' AND j.due_at IS NOT NULL) AS pending,
       (SELECT count(*) FROM jobs j JOIN embedding_spaces s ON s.number = j.space
         WHERE s.state = 'active' AND j.due_at IS NULL) AS parked

-- shares_of_memories --
-- What of the whole store was replaced, and what is over. It looks at every row.
SELECT count(*) FILTER (WHERE superseded_by IS NOT NULL) AS superseded,
       count(*) FILTER (WHERE superseded_by IS NULL AND (expires_at <= :now OR valid_until <= :now)) AS expired
  FROM memories

-- shares_of_messages --
-- How much of the whole store users asked, and assistants answered and thought. It looks at every row.
SELECT count(*) FILTER (WHERE role = 'user') AS requests, count(*) FILTER (WHERE role = 'assistant') AS responses,
       count(*) FILTER (WHERE role = 'reasoning') AS reasoning
  FROM messages

-- expired_users --
-- Who has memories past their expiry.
SELECT DISTINCT user_id FROM memories WHERE expires_at <= :now ORDER BY user_id

-- expired_memories --
-- The memories of one user that are past their expiry.
SELECT id FROM memories WHERE user_id = :user_id AND expires_at <= :now

-- memories_of_session --
-- What was stored in a session, of any validity.
SELECT id FROM memories WHERE user_id = :user_id AND session_id = :session ORDER BY id

-- memories_of_source --
-- What came from a source, of any validity.
SELECT id FROM memories WHERE user_id = :user_id AND source = :source ORDER BY id

-- indexed_memories --
-- Rows with the terms they are found by, in the order of their ids.
SELECT {record}, terms
  FROM memories
 WHERE user_id = :user_id AND id > :after
 ORDER BY id
 LIMIT :limit

-- update_terms --
-- The analyser reads a text in another way than before.
UPDATE {rows} SET terms = :terms WHERE user_id = :user_id AND id = :id

-- users_with_rows --
-- Who has anything at all.
SELECT user_id FROM users WHERE memories > 0 OR messages > 0 OR chunks > 0 ORDER BY user_id

-- count_resets --
-- Grows whenever rows of any user vanish.
SELECT coalesce(sum(resets), 0) AS resets FROM users

-- get_mark --
-- What is true of the store as a whole.
SELECT value FROM store_marks WHERE name = :name

-- get_secret --
-- What only the store knows.
SELECT value FROM store_secrets WHERE name = :name

-- make_mark --
-- Sets a mark of the store, unless it is set already.
INSERT INTO store_marks (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING

-- forgettings --
-- What is being forgotten in parts.
SELECT name FROM store_marks WHERE substr(name, 1, 11) = 'forgetting:' ORDER BY name

-- drop_mark --
-- It is so no more.
DELETE FROM store_marks WHERE name = :name

-- set_mark --
-- It is so from now on.
INSERT INTO store_marks (name, value)
VALUES (:name, :value)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
