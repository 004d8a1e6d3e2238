-- What the doors need: keys, answers that are given once, the order of changes, what was done by whom, and what was asked.

-- Keys. Of the secret only a hash is kept; an admin's key belongs to nobody ('').
CREATE TABLE api_keys (
    id           text        NOT NULL PRIMARY KEY,
    name         text        NOT NULL,
    user_id      text        NOT NULL,
    scopes       text        NOT NULL,
    secret_hash  text        NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz
);

-- What a request was answered, so that one that comes twice is carried out once. The key is a hash of the client's.
CREATE TABLE answers (
    user_id      text        NOT NULL,
    key          text        NOT NULL,
    request_hash text        NOT NULL,
    body         text,                  -- NULL: it held what was forgotten since
    private      boolean     NOT NULL,  -- whether it holds what somebody said
    kept_at      timestamptz NOT NULL,
    PRIMARY KEY (user_id, key)
);

CREATE INDEX answers_age ON answers (kept_at);

-- What is new, in the order in which it was written: `words` will be `embedded` later, `stored` is complete.
CREATE TABLE changes (
    user_id    text        NOT NULL,
    number     bigint      NOT NULL,
    what       text        NOT NULL CHECK (what IN ('stored', 'words', 'embedded')),
    item_kind  text        NOT NULL CHECK (item_kind IN ('memory', 'message')),
    item_id    uuid        NOT NULL,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, number)
);

ALTER TABLE users ADD COLUMN changes bigint NOT NULL DEFAULT 0;  -- the number of the newest

-- Who did what, without what it said. Each line holds the hash of the one before it; keys are noted under ''.
CREATE TABLE audit_log (
    user_id  text        NOT NULL,
    number   bigint      NOT NULL,
    done_at  timestamptz NOT NULL,
    actor    text        NOT NULL,
    action   text        NOT NULL,
    items    text        NOT NULL,
    amount   bigint      NOT NULL,
    hash     text        NOT NULL,
    PRIMARY KEY (user_id, number)
);

-- Figures about searches, for those who want them; the query only if they want that too.
CREATE TABLE search_log (
    user_id    text             NOT NULL,
    id         uuid             NOT NULL,
    asked_at   timestamptz      NOT NULL,
    verb       text             NOT NULL,
    hits       integer          NOT NULL,
    took_ms    double precision NOT NULL,
    answerable double precision NOT NULL,
    degraded   text             NOT NULL,
    query      text             NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE INDEX search_log_age ON search_log (asked_at);
