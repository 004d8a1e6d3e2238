-- Messages without a speaker's name have vectors of other texts than before (see searchable_text.py): in stores with
-- vectors they are to be looked through once.
UPDATE store_marks SET value = 2
 WHERE name = 'passages' AND value = 1 AND NOT EXISTS (SELECT 1 FROM embedding_spaces);
