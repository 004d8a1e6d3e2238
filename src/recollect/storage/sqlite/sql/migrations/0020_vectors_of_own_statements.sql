-- Memories of what users say of themselves, and preferences, have vectors of other texts than before (see
-- searchable_text.py): in stores with vectors they are to be looked through once.
UPDATE store_marks SET value = 3
 WHERE name = 'passages' AND value = 2 AND NOT EXISTS (SELECT 1 FROM embedding_spaces);
