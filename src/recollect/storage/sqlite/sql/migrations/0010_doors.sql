-- What the doors need: keys, answers that are given once, the order of changes, what was done by whom, and what was asked.

-- Keys. Of the secret only a hash is kept; an admin's key belongs to nobody ('').
CREATE TABLE api_keys (
    id           TEXT    NOT NULL PRIMARY KEY,
    name         TEXT    NOT NULL,
    user_id      TEXT    NOT NULL,
    scopes       TEXT    NOT NULL,
    secret_hash  TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    revoked_at   INTEGER,
    last_used_at INTEGER
) STRICT;

-- What a request was answered, so that one that comes twice is carried out once. The key is a hash of the client's.
CREATE TABLE answers (
    user_id      TEXT    NOT NULL,
    key          TEXT    NOT NULL,
    request_hash TEXT    NOT NULL,
    body         TEXT,              -- NULL: it held what was forgotten since
    private      INTEGER NOT NULL,  -- whether it holds what somebody said
    kept_at      INTEGER NOT NULL,
    PRIMARY KEY (user_id, key)
) STRICT;

CREATE INDEX answers_age ON answers (kept_at);

-- What is new, in the order in which it was written: `words` will be `embedded` later, `stored` is complete.
CREATE TABLE changes (
    user_id    TEXT    NOT NULL,
    number     INTEGER NOT NULL,
    what       TEXT    NOT NULL CHECK (what IN ('stored', 'words', 'embedded')),
    item_kind  TEXT    NOT NULL CHECK (item_kind IN ('memory', 'message')),
    item_id    TEXT    NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, number)
) STRICT, WITHOUT ROWID;

ALTER TABLE users ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;  -- the number of the newest

-- Who did what, without what it said. Each line holds the hash of the one before it; keys are noted under ''.
CREATE TABLE audit_log (
    user_id  TEXT    NOT NULL,
    number   INTEGER NOT NULL,
    done_at  INTEGER NOT NULL,
    actor    TEXT    NOT NULL,
    action   TEXT    NOT NULL,
    items    TEXT    NOT NULL,
    amount   INTEGER NOT NULL,
    hash     TEXT    NOT NULL,
    PRIMARY KEY (user_id, number)
) STRICT, WITHOUT ROWID;

-- Figures about searches, for those who want them; the query only if they want that too.
CREATE TABLE search_log (
    user_id    TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    asked_at   INTEGER NOT NULL,
    verb       TEXT    NOT NULL,
    hits       INTEGER NOT NULL,
    took_ms    REAL    NOT NULL,
    answerable REAL    NOT NULL,
    degraded   TEXT    NOT NULL,
    query      TEXT    NOT NULL,
    PRIMARY KEY (user_id, id)
) STRICT;

CREATE INDEX search_log_age ON search_log (asked_at);
