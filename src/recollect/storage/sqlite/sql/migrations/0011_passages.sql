-- Long texts have vectors of their passages. What has vectors from before is to be looked through once; the tables stay as
-- they are, with other numbers for passages (see space.sql).
INSERT INTO store_marks (name, value)
SELECT 'passages', CASE WHEN EXISTS (SELECT 1 FROM embedding_spaces) THEN 0 ELSE 1 END;
