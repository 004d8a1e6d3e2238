-- Which originals belong to which memories and messages.

-- insert_media_original --
-- An item has this original.
INSERT INTO media_originals (user_id, item_id, original, size) VALUES (:user_id, :item_id, :original, :size)
    ON CONFLICT DO NOTHING

-- rename_media_originals --
-- The present row has become a version of the past.
UPDATE media_originals SET item_id = :version_id WHERE user_id = :user_id AND item_id = :id

-- delete_media_originals --
-- The items are gone.
DELETE FROM media_originals WHERE user_id = :user_id AND item_id = ANY(:ids::uuid[])

-- own_originals --
-- The originals that these items have, and no other item of the user.
SELECT DISTINCT o.original
  FROM media_originals o
 WHERE o.user_id = :user_id AND o.item_id = ANY(:ids::uuid[])
   AND NOT EXISTS (SELECT 1 FROM media_originals n
                    WHERE n.user_id = :user_id AND n.original = o.original AND n.item_id <> ALL(:ids::uuid[]))
 ORDER BY o.original

-- has_original --
-- Whether any item of the user has this original.
SELECT 1 AS one FROM media_originals WHERE user_id = :user_id AND original = :original LIMIT 1

-- originals_of_media --
-- Whose items have these originals.
SELECT DISTINCT user_id, original FROM media_originals WHERE original = ANY(:digests)
