-- Embedding spaces belong to the store: a user's transaction reads them, and a transaction of the store writes them.
DROP POLICY recollect_add ON embedding_spaces;
DROP POLICY recollect_change ON embedding_spaces;

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
