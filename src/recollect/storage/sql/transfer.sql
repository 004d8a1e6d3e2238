-- Moving memory to another store. Queries on single tables are made in storage/base/tables.py from the description of
-- what is taken along.

-- transfer_users --
-- Who has ever written anything.
SELECT user_id FROM users WHERE user_id <> '' ORDER BY user_id

-- list_secrets --
-- What tombstones are keyed with.
SELECT name, value FROM store_secrets

-- add_secret --
-- What those of another store are keyed with.
INSERT INTO store_secrets (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING

-- extend_conversation --
-- The next message comes after all that were brought.
UPDATE conversations
   SET last_sequence = :last_sequence,
       updated_at = CASE WHEN updated_at < :updated_at THEN :updated_at ELSE updated_at END
 WHERE user_id = :user_id AND id = :id AND last_sequence < :last_sequence

-- lost_versions --
-- Versions whose successor is not there.
SELECT id FROM memories m
 WHERE m.user_id = :user_id AND m.superseded_by IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.user_id = :user_id AND n.id = m.superseded_by)

-- recount_chunks --
-- How many chunks of a file there are.
UPDATE files
   SET chunks = (SELECT count(*) FROM chunks c WHERE c.user_id = :user_id AND c.file_id = files.id)
 WHERE user_id = :user_id
   AND chunks <> (SELECT count(*) FROM chunks c WHERE c.user_id = :user_id AND c.file_id = files.id)
