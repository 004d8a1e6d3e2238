-- A file that was changed has another time of change or another inode, also where its size and its time of modification
-- are what they were. Files that were stored before have none, so the next sync reads them once.
ALTER TABLE files ADD COLUMN ctime_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE files ADD COLUMN inode INTEGER NOT NULL DEFAULT 0;

DROP INDEX files_marks;
CREATE INDEX files_marks ON files (user_id, root, path, size, mtime_ns, ctime_ns, inode, recipe) WHERE root <> '';
