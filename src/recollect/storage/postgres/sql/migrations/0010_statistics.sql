-- Statistics hold no words of users: what ANALYZE samples outlives what was forgotten. The planner keeps those on users and
-- on columns with a few fixed values; everything else is found by an index that begins with the user.
CREATE FUNCTION recollect_sample_nothing(name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    held text;
BEGIN
    FOR held IN SELECT a.attname FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                 WHERE a.attrelid = name::regclass AND a.attnum > 0 AND NOT a.attisdropped
                   AND t.typname IN ('text', '_text', 'jsonb', 'bytea', 'vector', 'halfvec')
                   AND a.attname NOT IN ('user_id', 'type', 'role', 'status', 'state', 'kind', 'item_kind', 'made_kind',
                                         'source_kind', 'what', 'verb', 'action') LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET STATISTICS 0', name, held);
    END LOOP;
END $$;

SELECT recollect_sample_nothing(c.relname)
  FROM pg_class c
 WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
   AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname LIKE 'recollect\_%');

CREATE OR REPLACE FUNCTION recollect_make_vectors(number integer, half boolean, dimensions integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    name   text := 'vectors_' || number;
    writer text;
BEGIN
    IF NOT recollect_whole_store() THEN
        RAISE insufficient_privilege USING MESSAGE = 'an embedding space belongs to the store, not to a user';
    END IF;
    EXECUTE format('CREATE TABLE %I (user_id text NOT NULL, item_id uuid NOT NULL, embedding %s(%s) NOT NULL, '
                   'PRIMARY KEY (user_id, item_id))',
                   name, CASE WHEN half THEN 'halfvec' ELSE 'vector' END, dimensions);
    PERFORM recollect_sample_nothing(name);
    PERFORM recollect_protect(name);
    FOR writer IN SELECT r.rolname
                    FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
                   WHERE c.oid = 'memories'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO %I', name, writer);
    END LOOP;
END $$;

-- A function that is replaced loses its path.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION recollect_make_vectors(integer, boolean, integer) SET search_path = %I, %I, pg_temp',
                   current_schema(), (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                                       WHERE e.extname = 'vector'));
END $$;
