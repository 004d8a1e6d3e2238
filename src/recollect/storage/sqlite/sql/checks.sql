-- What `doctor` looks for in SQLite alone; see storage/sql/checks.sql.

-- memories_without_terms --
-- These rows are not found by their words. Update them, or restore a backup; please report how this came about.
SELECT count(*) FROM memories m WHERE NOT EXISTS (SELECT 1 FROM memory_terms_docsize d WHERE d.id = m.seq)

-- messages_without_terms --
-- These messages are not found by their words. Restore a backup; please report how this came about.
SELECT count(*) FROM messages m WHERE NOT EXISTS (SELECT 1 FROM message_terms_docsize d WHERE d.id = m.seq)

-- terms_without_message --
-- The index of terms holds messages that are gone; no search returns them. Please report how this came about.
SELECT count(*) FROM message_terms_docsize d WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.seq = d.id)

-- terms_without_memory --
-- The index of terms holds rows that are gone; no search returns them. Please report how this came about.
SELECT count(*) FROM memory_terms_docsize d WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.seq = d.id)

-- vectors_without_row --
-- These vectors belong to rows that are gone; no search returns them. Please report how this came about.
SELECT count(*) FROM vectors_{space} v
 WHERE NOT EXISTS (SELECT 1 FROM {rows} m
                    WHERE m.seq = CASE WHEN v.seq > 0 THEN v.seq ELSE -v.seq / 256 END AND m.user_id = v.user_id)

-- passages_without_whole --
-- These vectors are of passages whose text has no vector of its own. Run `recollect maintain`; please report how this came
-- about.
SELECT count(*) FROM vectors_{space} v
 WHERE v.seq < 0 AND NOT EXISTS (SELECT 1 FROM vectors_{space} w WHERE w.seq = -v.seq / 256)

-- texts_without_passages --
-- Some passages of these texts have no vector, so what stands there is found by its words alone. Run `recollect maintain`;
-- please report how this came about.
SELECT count(*)
  FROM (SELECT -seq / 256 AS item FROM vectors_{space} WHERE seq < 0
         GROUP BY item HAVING max(-seq % 256) <> count(*)) AS gaps

-- vectors_without_code --
-- These rows are not found by meaning. Update them, or restore a backup; please report how this came about.
SELECT count(*) FROM vectors_{space} v
 WHERE NOT EXISTS (SELECT 1 FROM codes_{space} c WHERE c.user_id = v.user_id AND c.seq = v.seq)

-- codes_without_vector --
-- These codes lead to no vector; no search returns them. Please report how this came about.
SELECT count(*) FROM codes_{space} c WHERE NOT EXISTS (SELECT 1 FROM vectors_{space} v WHERE v.seq = c.seq)

-- vectors_of_wrong_length --
-- These vectors are damaged, so recall of their users goes by words alone. Forget the memories, or restore a backup.
SELECT count(*) FROM vectors_{space} v
 WHERE length(v.vector) <> (SELECT 4 * s.dimensions FROM embedding_spaces s WHERE s.number = {space})

-- codes_of_wrong_length --
-- These codes of vectors are damaged, so recall of their users goes by words alone. Forget the memories, or restore a backup.
SELECT count(*) FROM codes_{space} c
 WHERE length(c.code) <> (SELECT (s.dimensions + 63) / 64 * 8 FROM embedding_spaces s WHERE s.number = {space})

-- rows_without_vector_or_job --
-- These rows were stored while vectors were switched off, so they are found by their words alone. Run `recollect maintain`.
SELECT count(*) FROM {rows} m
 WHERE NOT EXISTS (SELECT 1 FROM codes_{space} c WHERE c.user_id = m.user_id AND c.seq = m.seq)
   AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.user_id = m.user_id AND j.item_id = m.id AND j.space = {space})
   AND EXISTS (SELECT 1 FROM embedding_spaces s WHERE s.number = {space} AND s.state = 'active')

-- chunks_without_terms --
-- These chunks are not found by their words. Restore a backup; please report how this came about.
SELECT count(*) FROM chunks m WHERE NOT EXISTS (SELECT 1 FROM chunk_terms_docsize d WHERE d.id = m.seq)

-- terms_without_chunk --
-- The index of terms holds chunks that are gone; no search returns them. Please report how this came about.
SELECT count(*) FROM chunk_terms_docsize d WHERE NOT EXISTS (SELECT 1 FROM chunks m WHERE m.seq = d.id)
