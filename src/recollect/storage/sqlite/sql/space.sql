-- The vectors of one embedding space. Floats are the truth; codes are their signs, one bit each, kept apart so that a
-- process that starts can load them without reading a single float. Both know a vector by the number of its item; the
-- vectors of an item's passages, of which only long texts have some, by -(256 * number + passage), from 1 to 255.

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
