-- What `doctor` looks for in PostgreSQL alone; see storage/sql/checks.sql.

-- vectors_without_row --
-- These vectors belong to rows that are gone; no search returns them. Please report how this came about.
SELECT count(*) FROM vectors_{space} v
 WHERE NOT EXISTS (SELECT 1 FROM {rows} m WHERE m.user_id = v.user_id AND m.id = v.item_id)

-- passages_without_whole --
-- These vectors are of passages whose text has no vector of its own. Run `recollect maintain`; please report how this came
-- about.
SELECT count(*) FROM vectors_{space} v
 WHERE v.part > 0 AND NOT EXISTS (SELECT 1 FROM vectors_{space} w
                                   WHERE w.user_id = v.user_id AND w.item_id = v.item_id AND w.part = 0)

-- texts_without_passages --
-- Some passages of these texts have no vector, so what stands there is found by its words alone. Run `recollect maintain`;
-- please report how this came about.
SELECT count(*)
  FROM (SELECT user_id, item_id FROM vectors_{space} WHERE part > 0
         GROUP BY user_id, item_id HAVING max(part) <> count(*)) AS gaps

-- rows_without_vector_or_job --
-- These rows were stored while vectors were switched off, so they are found by their words alone. Run `recollect maintain`.
SELECT count(*) FROM {rows} m
 WHERE NOT EXISTS (SELECT 1 FROM vectors_{space} v WHERE v.user_id = m.user_id AND v.item_id = m.id AND v.part = 0)
   AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.user_id = m.user_id AND j.item_id = m.id AND j.space = {space})
   AND EXISTS (SELECT 1 FROM embedding_spaces s WHERE s.number = {space} AND s.state = 'active')

-- unsafe_settings --
-- The settings fsync and full_page_writes of the server are not both on: a power failure can lose or damage what was stored. Run
-- `ALTER SYSTEM SET fsync = on`, the same for full_page_writes, and `SELECT pg_reload_conf()` as an administrator.
SELECT count(*) FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'
