-- Who may see a shared scope. The items of a scope are those of a user with a reserved name, `scope:NAME`.
CREATE TABLE scope_members (
    user_id  text        NOT NULL,  -- the member
    scope_id text        NOT NULL CHECK (substr(scope_id, 1, 6) = 'scope:'),
    role     text        NOT NULL CHECK (role IN ('reader', 'writer')),
    added_at timestamptz NOT NULL,
    added_by text        NOT NULL,
    PRIMARY KEY (user_id, scope_id)
);

CREATE INDEX scope_members_scope ON scope_members (scope_id, user_id);

SELECT recollect_sample_nothing('scope_members');

-- Members see that they are, and may leave. Only work for the scope, or for the store, sees the others or admits anyone.
ALTER TABLE scope_members ENABLE ROW LEVEL SECURITY;
ALTER TABLE scope_members FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_member ON scope_members FOR SELECT USING (user_id = (SELECT recollect_user()));
CREATE POLICY recollect_leave ON scope_members FOR DELETE USING (user_id = (SELECT recollect_user()));
CREATE POLICY recollect_scope ON scope_members
 USING (scope_id = (SELECT recollect_user()) OR (SELECT recollect_whole_store()));

-- Roles that were admitted before.
DO $$
DECLARE
    writer text;
BEGIN
    FOR writer IN SELECT r.rolname
                    FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
                   WHERE c.oid = 'memories'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON scope_members TO %I', writer);
    END LOOP;
END $$;
