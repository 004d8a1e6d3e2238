-- What `doctor` looks for. Each query counts what should not exist; the comment under its name is what to do.
-- A check with {space} runs once for every embedding space.

-- vectors_without_memory --
-- Vectors of rows that are gone; no search returns them. Please report how this came about.
SELECT count(*) FROM vectors_{space} v
 WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = v.user_id AND m.id = v.item_id)

-- jobs_without_memory --
-- Work for rows that are gone; it will be dropped. Please report how this came about.
SELECT count(*) FROM jobs j
 WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = j.user_id AND m.id = j.item_id)

-- memories_without_vector_or_job --
-- Stored while vectors were switched off, or with another model: they are found by their words alone until updated.
SELECT count(*) FROM memories m
 WHERE NOT EXISTS (SELECT 1 FROM vectors_{space} v WHERE v.user_id = m.user_id AND v.item_id = m.id)
   AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.user_id = m.user_id AND j.item_id = m.id)

-- versions_of_nothing --
-- Old versions whose successor is gone; they stay out of every search. Forget them by id, or restore a backup.
SELECT count(*) FROM memories m
 WHERE m.superseded_by IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.user_id = m.user_id AND n.id = m.superseded_by)

-- wrong_counts --
-- The figures of a user do not match the rows. Search still works; please report how this came about.
SELECT count(*) FROM users u
 WHERE u.memories <> (SELECT count(*) FROM memories m WHERE m.user_id = u.user_id)
