-- What keys the hashes of forgotten texts: without it a short text could be guessed from its tombstone.
CREATE TABLE store_secrets (
    name  TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO store_secrets (name, value) VALUES ('tombstones', randomblob(32));
