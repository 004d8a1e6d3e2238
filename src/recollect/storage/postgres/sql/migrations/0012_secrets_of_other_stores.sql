-- Tombstones that are brought from another store need its secret: who may read the secrets may add one. Roles that were
-- admitted before there were any could only read them.
DO $$
DECLARE
    writer text;
BEGIN
    FOR writer IN SELECT r.rolname
                    FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
                   WHERE c.oid = 'store_secrets'::regclass AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner LOOP
        EXECUTE format('GRANT INSERT ON store_secrets TO %I', writer);
    END LOOP;
END $$;
