-- Pictures and the like of memories and messages, and which of the originals that are kept belong to which of them.
ALTER TABLE memories ADD COLUMN media TEXT NOT NULL DEFAULT '[]';
ALTER TABLE messages ADD COLUMN media TEXT NOT NULL DEFAULT '[]';

CREATE TABLE media_originals (
    user_id  TEXT    NOT NULL,
    item_id  TEXT    NOT NULL,  -- the memory or message
    original TEXT    NOT NULL CHECK (length(original) = 64),  -- the SHA-256 of the bytes
    size     INTEGER NOT NULL CHECK (size >= 0),
    PRIMARY KEY (user_id, item_id, original)
) STRICT, WITHOUT ROWID;

CREATE INDEX media_originals_bytes ON media_originals (original, user_id);
