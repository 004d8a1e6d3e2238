-- A short pending list for the indexes of words: every lookup scans the list, and a bulk load would leave it long.
ALTER INDEX memories_terms SET (gin_pending_list_limit = 256);
ALTER INDEX messages_terms SET (gin_pending_list_limit = 256);
ALTER INDEX chunks_terms SET (gin_pending_list_limit = 256);

-- The planner needs no statistics on text that no query compares, and without them ANALYZE keeps no samples of what users
-- said after it was forgotten.
ALTER TABLE memories ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE memories ALTER COLUMN value SET STATISTICS 0;
ALTER TABLE messages ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE messages ALTER COLUMN blocks SET STATISTICS 0;
ALTER TABLE chunks ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE chunks ALTER COLUMN heading SET STATISTICS 0;
