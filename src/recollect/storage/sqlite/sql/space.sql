-- The vectors of one embedding space. Floats are the truth; codes are their signs, one bit each, kept apart so that a
-- process that starts can load them without reading a single float.

CREATE TABLE vectors_{space} (
    seq     INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    vector  BLOB NOT NULL
) STRICT;

CREATE TABLE codes_{space} (
    user_id TEXT    NOT NULL,
    seq     INTEGER NOT NULL,
    code    BLOB    NOT NULL,
    PRIMARY KEY (user_id, seq)
) STRICT, WITHOUT ROWID;
