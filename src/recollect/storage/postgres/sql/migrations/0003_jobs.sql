-- Work that is owed to a row, written in the same transaction as the row.

CREATE TABLE jobs (
    user_id     text        NOT NULL,
    id          uuid        NOT NULL,
    kind        text        NOT NULL CHECK (kind IN ('embed')),
    item_id     uuid        NOT NULL,
    attempts    integer     NOT NULL,
    due_at      timestamptz,           -- NULL: parked, nobody will try again by itself
    lease_until timestamptz,
    reason      text        NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, kind, item_id)
);

CREATE INDEX jobs_due ON jobs (due_at) WHERE due_at IS NOT NULL;
