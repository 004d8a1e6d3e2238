-- What keys the hashes of forgotten texts: without it a short text could be guessed from its tombstone. No user's work
-- may see it.
CREATE TABLE store_secrets (
    name  text  NOT NULL PRIMARY KEY,
    value bytea NOT NULL
);

INSERT INTO store_secrets (name, value)
VALUES ('tombstones', decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));

ALTER TABLE store_secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE store_secrets FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_store ON store_secrets USING ((SELECT recollect_whole_store()));

DO $$
DECLARE
    writer text;
BEGIN
    FOR writer IN SELECT r.rolname
                    FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
                   WHERE c.oid = 'store_marks'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner LOOP
        EXECUTE format('GRANT SELECT ON store_secrets TO %I', writer);
    END LOOP;
END $$;
