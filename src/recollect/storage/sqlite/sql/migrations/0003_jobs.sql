-- Work that is owed to a row, written in the same transaction as the row.

CREATE TABLE jobs (
    user_id     TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    kind        TEXT    NOT NULL CHECK (kind IN ('embed')),
    item_id     TEXT    NOT NULL,
    attempts    INTEGER NOT NULL,
    due_at      INTEGER,           -- NULL: parked, nobody will try again by itself
    lease_until INTEGER,
    reason      TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, kind, item_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX jobs_due ON jobs (due_at) WHERE due_at IS NOT NULL;
