-- What a repair does to the rows that were saved, so that they fit each other again. See storage/sqlite/repair.

-- add_users --
-- Users of whom only rows are left.
INSERT OR IGNORE INTO users (user_id, generation, resets, memories)
SELECT user_id, 1, 0, 0
  FROM (SELECT user_id FROM memories UNION SELECT user_id FROM messages UNION SELECT user_id FROM chunks
        UNION SELECT user_id FROM files UNION SELECT user_id FROM conversations UNION SELECT user_id FROM tombstones
        UNION SELECT user_id FROM folders UNION SELECT user_id FROM named_places UNION SELECT user_id FROM changes)
 WHERE user_id <> ''

-- count_expected --
-- How many rows the users were said to have.
SELECT coalesce(sum(memories), 0), coalesce(sum(messages), 0), coalesce(sum(chunks), 0) FROM users

-- recount_users --
-- Bytes are those that quotas count. What processes keep in memory is void.
UPDATE users
   SET memories = (SELECT count(*) FROM memories m WHERE m.user_id = users.user_id),
       messages = (SELECT count(*) FROM messages m WHERE m.user_id = users.user_id),
       chunks = (SELECT count(*) FROM chunks m WHERE m.user_id = users.user_id),
       changes = max(changes, coalesce((SELECT max(number) FROM changes c WHERE c.user_id = users.user_id), 0)),
       bytes = (SELECT coalesce(sum(octet_length(m.content) + octet_length(m.value) + octet_length(m.media) - 2), 0)
                  FROM memories m WHERE m.user_id = users.user_id)
             + (SELECT coalesce(sum(octet_length(m.content) + octet_length(m.blocks) + octet_length(m.media) - 2), 0)
                  FROM messages m WHERE m.user_id = users.user_id)
             + (SELECT coalesce(sum(octet_length(m.content)), 0) FROM chunks m WHERE m.user_id = users.user_id),
       generation = generation + 1,
       resets = resets + 1

-- raise_item_number --
-- Numbers are never used again.
INSERT INTO sequence (name, value)
SELECT 'item', max((SELECT coalesce(max(seq), 0) FROM memories), (SELECT coalesce(max(seq), 0) FROM messages),
                   (SELECT coalesce(max(seq), 0) FROM chunks), (SELECT coalesce(max(seq), 0) FROM places))
 WHERE true
    ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)

-- raise_space_number --
-- The same for spaces.
INSERT INTO sequence (name, value)
SELECT 'space', coalesce(max(number), 0) FROM embedding_spaces
 WHERE true
    ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)

-- drop_lost_versions --
-- Old versions whose successor is gone; those before them go with the next round.
DELETE FROM memories
 WHERE superseded_by IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.user_id = memories.user_id AND n.id = memories.superseded_by)

-- add_conversations --
-- Conversations of which only messages are left.
INSERT OR IGNORE INTO conversations (user_id, id, private, last_sequence, metadata, created_at, updated_at)
SELECT user_id, conversation_id, 0, max(sequence), '{}', min(created_at), max(created_at)
  FROM messages
 GROUP BY user_id, conversation_id

-- raise_sequences --
-- A message gets a number behind all others.
UPDATE conversations
   SET last_sequence = max(last_sequence, coalesce((SELECT max(m.sequence) FROM messages m
                                                     WHERE m.user_id = conversations.user_id
                                                       AND m.conversation_id = conversations.id), 0)),
       compacting_until = NULL

-- drop_lost_derivations --
-- What was made from something that is gone, and the other way round.
DELETE FROM derivations
 WHERE (NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = derivations.user_id AND m.id = derivations.made_id)
        AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.user_id = derivations.user_id AND m.id = derivations.made_id))
    OR (NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = derivations.user_id AND m.id = derivations.source_id)
        AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.user_id = derivations.user_id AND m.id = derivations.source_id))

-- unfold_messages --
-- Messages whose summary is gone speak for themselves again.
UPDATE messages SET status = 'active'
 WHERE status = 'compacted'
   AND NOT EXISTS (SELECT 1 FROM derivations d WHERE d.user_id = messages.user_id AND d.source_id = messages.id)

-- drop_lost_chunks --
-- Chunks of files that are gone; the next sync reads the files again.
DELETE FROM chunks
 WHERE NOT EXISTS (SELECT 1 FROM files f WHERE f.user_id = chunks.user_id AND f.id = chunks.file_id)

-- reread_files --
-- Files that have lost chunks look as if an older version of the chunker had cut them, so the next sync reads them.
UPDATE files
   SET recipe = 0, chunks = (SELECT count(*) FROM chunks c WHERE c.user_id = files.user_id AND c.file_id = files.id)
 WHERE chunks <> (SELECT count(*) FROM chunks c WHERE c.user_id = files.user_id AND c.file_id = files.id)

-- drop_lost_jobs --
-- Work for rows that are gone.
DELETE FROM jobs
 WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = jobs.user_id AND m.id = jobs.item_id)
   AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.user_id = jobs.user_id AND m.id = jobs.item_id)
   AND NOT EXISTS (SELECT 1 FROM chunks m WHERE m.user_id = jobs.user_id AND m.id = jobs.item_id)
   AND NOT EXISTS (SELECT 1 FROM places m WHERE m.user_id = jobs.user_id AND m.id = jobs.item_id)

-- drop_lost_places --
-- Names of places at which nothing is.
DELETE FROM places
 WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = places.user_id AND m.place = places.id)
   AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.user_id = places.user_id AND m.place = places.id)

-- drop_lost_cache --
-- Cached vectors of items that are gone.
DELETE FROM embedding_cache
 WHERE item_id <> ''
   AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = embedding_cache.user_id AND m.id = embedding_cache.item_id)
   AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.user_id = embedding_cache.user_id AND m.id = embedding_cache.item_id)
   AND NOT EXISTS (SELECT 1 FROM chunks m WHERE m.user_id = embedding_cache.user_id AND m.id = embedding_cache.item_id)
   AND NOT EXISTS (SELECT 1 FROM places m WHERE m.user_id = embedding_cache.user_id AND m.id = embedding_cache.item_id)

-- drop_lost_vectors --
-- Vectors of rows that are gone; see space.sql for the numbers of passages.
DELETE FROM vectors_{space}
 WHERE NOT EXISTS (SELECT 1 FROM {rows} m
                    WHERE m.seq = CASE WHEN vectors_{space}.seq > 0 THEN vectors_{space}.seq ELSE -vectors_{space}.seq / 256 END
                      AND m.user_id = vectors_{space}.user_id)

-- drop_lost_passages --
-- Vectors of passages whose text has lost its own, which makes all of them anew.
DELETE FROM vectors_{space}
 WHERE seq < 0 AND -seq / 256 NOT IN (SELECT w.seq FROM vectors_{space} w WHERE w.seq > 0)

-- drop_lost_codes --
-- And their codes.
DELETE FROM codes_{space} WHERE NOT EXISTS (SELECT 1 FROM vectors_{space} v WHERE v.seq = codes_{space}.seq)

-- insert_vector --
-- A vector that was saved.
INSERT OR IGNORE INTO vectors_{space} (seq, user_id, vector) VALUES (:seq, :user_id, :vector)

-- insert_code --
-- And its code, which is made again.
INSERT OR IGNORE INTO codes_{space} (user_id, seq, code) VALUES (:user_id, :seq, :code)

-- kind_of_item --
-- Numbers are given out once, so that one says which kind of item has it.
SELECT CASE WHEN EXISTS (SELECT 1 FROM memories WHERE seq = :seq) THEN 'memory'
            WHEN EXISTS (SELECT 1 FROM messages WHERE seq = :seq) THEN 'message'
            WHEN EXISTS (SELECT 1 FROM chunks WHERE seq = :seq) THEN 'chunk'
            WHEN EXISTS (SELECT 1 FROM places WHERE seq = :seq) THEN 'place' ELSE '' END

-- rebuild_terms --
-- Makes the index of terms anew from the rows.
INSERT INTO {words} ({words}) VALUES ('rebuild')

-- last_number --
-- The number of the newest item of a kind.
SELECT coalesce(max(seq), 0) FROM {rows}

-- forgotten_since --
-- Which of these tombstones are newer than a moment.
SELECT 1 FROM tombstones
 WHERE user_id = :user_id AND forgotten_at >= :moment AND fingerprint IN (SELECT value FROM carray(:fingerprints)) LIMIT 1

-- save_mark --
-- What is true of the store as a whole.
INSERT OR REPLACE INTO store_marks (name, value) VALUES (:name, :value)

-- drop_old_marks --
-- Those of an earlier repair.
DELETE FROM store_marks WHERE name GLOB 'repair:*'

-- repair_marks --
-- What the last repair has noted.
SELECT name, value FROM store_marks WHERE name GLOB 'repair:*'

-- has_mark --
-- Whether there is one.
SELECT 1 FROM store_marks WHERE name = :name

-- any_original --
-- Whether documents have copies, or memories or messages have originals.
SELECT 1 FROM files WHERE original <> '' UNION ALL SELECT 1 FROM media_originals LIMIT 1

-- drop_media --
-- Which originals belong to which rows is told by the rows.
DELETE FROM media_originals

-- add_media --
-- It is noted again.
INSERT OR IGNORE INTO media_originals (user_id, item_id, original, size)
SELECT m.user_id, m.id, e.value ->> 'original', coalesce(e.value ->> 'size', 0)
  FROM (SELECT user_id, id, media FROM memories UNION ALL SELECT user_id, id, media FROM messages) m
  JOIN json_each(m.media) e
 WHERE m.media <> '[]' AND e.value ->> 'original' <> ''

-- clear_defaults --
-- What a new file is born with comes from the damaged one.
DELETE FROM sequence;
DELETE FROM store_marks
