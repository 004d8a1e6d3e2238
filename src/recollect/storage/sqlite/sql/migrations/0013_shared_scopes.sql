-- Who may see a shared scope. The items of a scope are those of a user with a reserved name, `scope:NAME`.
CREATE TABLE scope_members (
    user_id  TEXT    NOT NULL,  -- the member
    scope_id TEXT    NOT NULL CHECK (substr(scope_id, 1, 6) = 'scope:'),
    role     TEXT    NOT NULL CHECK (role IN ('reader', 'writer')),
    added_at INTEGER NOT NULL,
    added_by TEXT    NOT NULL,
    PRIMARY KEY (user_id, scope_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX scope_members_scope ON scope_members (scope_id, user_id);
