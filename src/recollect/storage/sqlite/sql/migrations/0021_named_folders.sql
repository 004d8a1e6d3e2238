-- On which machine a folder was named; it is opened nowhere else. Those that are known already have to be named once more,
-- because an archive may have brought them.
ALTER TABLE folders ADD COLUMN machine TEXT NOT NULL DEFAULT '';
