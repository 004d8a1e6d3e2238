-- Messages wait to be read in the queue of jobs, where no space has the number -1. SQLite changes the check of a column
-- by making the table anew.
CREATE TABLE jobs_anew (
    user_id     TEXT    NOT NULL,
    kind        TEXT    NOT NULL CHECK (kind IN ('embed', 'geocode', 'read')),
    item_kind   TEXT    NOT NULL CHECK (item_kind IN ('memory', 'message', 'chunk', 'place')),
    item_id     TEXT    NOT NULL,
    space       INTEGER NOT NULL,  -- that in which the item lacks a vector; 0: it lacks an address, -1: it is not read
    attempts    INTEGER NOT NULL,  -- how often it failed through its own fault
    due_at      INTEGER,           -- NULL: parked, no worker tries it again by itself
    lease_until INTEGER,
    bulk        TEXT    NOT NULL DEFAULT '',  -- the batch it is part of
    reason      TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (user_id, item_id, space, kind)
) STRICT;

INSERT INTO jobs_anew SELECT * FROM jobs;
DROP TABLE jobs;
ALTER TABLE jobs_anew RENAME TO jobs;

CREATE INDEX jobs_due ON jobs (space, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_bulk ON jobs (bulk) WHERE bulk <> '';
