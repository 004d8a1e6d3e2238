-- Files, their chunks, and the folders that are synced.

-- get_file --
-- One file.
SELECT {file} FROM files WHERE user_id = :user_id AND id = :id

-- file_at --
-- The synced file at a path.
SELECT {file} FROM files WHERE user_id = :user_id AND root = :root AND path = :path AND root <> ''

-- document_with --
-- What was added by itself and has these bytes.
SELECT {file} FROM files WHERE user_id = :user_id AND digest = :digest AND root = ''

-- file_marks --
-- What a look at a folder is held against.
SELECT path, size, mtime_ns, ctime_ns, inode, recipe
  FROM files WHERE user_id = :user_id AND root = :root AND root <> ''

-- known_files --
-- What tells whether the files of a root have changed.
SELECT path, id, size, mtime_ns, ctime_ns, inode, digest, recipe
  FROM files WHERE user_id = :user_id AND root = :root AND root <> ''

-- all_file_ids --
-- Everything.
SELECT id FROM files WHERE user_id = :user_id ORDER BY id

-- list_files --
-- A listing, newest first.
SELECT {file}
  FROM files
 WHERE user_id = :user_id AND id < :before AND (:source = '' OR source = :source)
   AND (:since::timestamptz IS NULL OR coalesce(dated_at, created_at) >= :since)
   AND (:until::timestamptz IS NULL OR coalesce(dated_at, created_at) < :until)
 ORDER BY id DESC
 LIMIT :limit

-- files_named --
-- Files by the last part of their path.
SELECT {file} FROM files WHERE user_id = :user_id AND name = ANY(:names) ORDER BY id

-- chunks_by_kind --
-- The chunks of a user, by the kind of their files.
SELECT f.kind AS label, count(*) AS items
  FROM chunks c JOIN files f ON f.user_id = c.user_id AND f.id = c.file_id
 WHERE c.user_id = :user_id AND f.user_id = :user_id
 GROUP BY f.kind
 ORDER BY f.kind

-- folder_sizes --
-- How much each root holds.
SELECT root, count(*) AS files, coalesce(sum(chunks), 0) AS chunks
  FROM files WHERE user_id = :user_id GROUP BY root ORDER BY root

-- save_file --
-- A file, new or changed.
INSERT INTO files (
    user_id, name, id, root, path, source, kind, mime, size, mtime_ns, ctime_ns, inode, digest, recipe, lines, chunks,
    trust, original, dated_at, lat, lng, notes, metadata, created_at, updated_at)
VALUES (
    :user_id, :name, :id, :root, :path, :source, :kind, :mime, :size, :mtime_ns, :ctime_ns, :inode, :digest, :recipe,
    :lines, :chunks, :trust, :original, :dated_at, :lat, :lng, :notes, :metadata, :created_at, :updated_at)
    ON CONFLICT (user_id, id) DO UPDATE
   SET name = excluded.name, root = excluded.root, path = excluded.path, source = excluded.source, kind = excluded.kind,
       mime = excluded.mime, size = excluded.size, mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns,
       inode = excluded.inode, digest = excluded.digest, recipe = excluded.recipe, lines = excluded.lines, chunks = excluded.chunks, trust = excluded.trust,
       original = excluded.original, dated_at = excluded.dated_at, lat = excluded.lat, lng = excluded.lng,
       notes = excluded.notes, metadata = excluded.metadata, updated_at = excluded.updated_at

-- touch_file --
-- Its bytes are what they were.
UPDATE files
   SET path = :path, name = :name, size = :size, mtime_ns = :mtime_ns, ctime_ns = :ctime_ns, inode = :inode
 WHERE user_id = :user_id AND id = :id

-- delete_files --
-- Their chunks are gone already.
DELETE FROM files WHERE user_id = :user_id AND id = ANY(:ids::uuid[])

-- get_chunks --
-- Chunks by id, with what their file is.
SELECT {chunk}
  FROM chunks c
  JOIN files f ON f.user_id = c.user_id AND f.id = c.file_id
 WHERE c.user_id = :user_id AND f.user_id = :user_id AND c.id = ANY(:ids::uuid[])

-- chunks_of_file --
-- Those of a file that have a part in some of its lines, in order.
SELECT {chunk}
  FROM chunks c
  JOIN files f ON f.user_id = c.user_id AND f.id = c.file_id
 WHERE c.user_id = :user_id AND f.user_id = :user_id AND c.file_id = :file_id
   AND c.end_line >= :first AND c.start_line <= :last
 ORDER BY c.start_line, c.start_column, c.id
 LIMIT :limit

-- chunk_marks --
-- What tells the chunks of a file apart.
SELECT id, content_hash, start_line, end_line, start_column, role, trust, dated_at
  FROM chunks
 WHERE user_id = :user_id AND file_id = :file_id
 ORDER BY start_line, start_column, id

-- chunks_in_files --
-- The first chunks of some files.
SELECT id
  FROM chunks
 WHERE user_id = :user_id AND file_id = ANY(:files::uuid[]) AND {filters}
 ORDER BY file_id, start_line, start_column
 LIMIT :limit

-- same_chunks --
-- Chunks that say the same as others.
SELECT content_hash, min(id::text) AS id FROM chunks WHERE user_id = :user_id AND content_hash = ANY(:hashes) GROUP BY content_hash

-- mark_chunk --
-- Something before it has grown or shrunk, or the file has another date.
UPDATE chunks
   SET start_line = :start_line, end_line = :end_line, start_column = :start_column, role = :role, trust = :trust,
       dated_at = :dated_at
 WHERE user_id = :user_id AND id = :id

-- delete_chunks --
-- The rows themselves; terms, vectors and jobs go in the same transaction.
DELETE FROM chunks WHERE user_id = :user_id AND id = ANY(:ids::uuid[])

-- indexed_chunks --
-- Rows with the terms they are found by, in the order of their ids.
SELECT {chunk}, c.terms
  FROM chunks c
  JOIN files f ON f.user_id = c.user_id AND f.id = c.file_id
 WHERE c.user_id = :user_id AND f.user_id = :user_id AND c.id > :after
 ORDER BY c.id
 LIMIT :limit

-- list_folders --
-- Folders that were synced.
SELECT root, source, rules, scanned_at, completed_at, trouble, machine
  FROM folders WHERE user_id = :user_id ORDER BY root

-- save_folder --
-- A folder was looked through.
INSERT INTO folders (user_id, root, source, rules, scanned_at, completed_at, trouble, machine)
VALUES (:user_id, :root, :source, :rules, :scanned_at, :completed_at, :trouble, :machine)
    ON CONFLICT (user_id, root) DO UPDATE
   SET source = excluded.source, rules = excluded.rules, scanned_at = excluded.scanned_at,
       completed_at = coalesce(excluded.completed_at, folders.completed_at), trouble = excluded.trouble,
       machine = excluded.machine

-- delete_folder --
-- It is not kept in step any more.
DELETE FROM folders WHERE user_id = :user_id AND root = :root

-- originals --
-- Which of these copies belong to a file of any user.
SELECT DISTINCT original FROM files WHERE original <> '' AND original = ANY(:names)
