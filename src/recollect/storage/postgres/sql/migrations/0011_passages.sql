-- Long texts have vectors of their passages. What has vectors from before is to be looked through once.
INSERT INTO store_marks (name, value)
SELECT 'passages', CASE WHEN EXISTS (SELECT 1 FROM embedding_spaces) THEN 0 ELSE 1 END;

-- Part 0 of an item is its whole text; only long texts have more.
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT 'vectors_' || s.number FROM embedding_spaces s LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN part smallint NOT NULL DEFAULT 0', name);
        EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', name, name || '_pkey');
        EXECUTE format('ALTER TABLE %I ADD PRIMARY KEY (user_id, item_id, part)', name);
    END LOOP;
END $$;

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
                   'part smallint NOT NULL DEFAULT 0, PRIMARY KEY (user_id, item_id, part))',
                   name, CASE WHEN half THEN 'halfvec' ELSE 'vector' END, dimensions);
    PERFORM recollect_sample_nothing(name);
    PERFORM recollect_protect(name);
    FOR writer IN SELECT r.rolname
                    FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
                   WHERE c.oid = 'memories'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO %I', name, writer);
    END LOOP;
END $$;

-- Gives the items of a kind of which a passage is at least so near to a vector of the model in use.
CREATE OR REPLACE FUNCTION recollect_nearest(item_kind text, query vector, owner text, threshold real)
RETURNS TABLE (item_id uuid, similarity real) LANGUAGE plpgsql AS $$
DECLARE
    space  embedding_spaces%ROWTYPE;
    stored text;
BEGIN
    SELECT * INTO space FROM embedding_spaces s WHERE s.kind = item_kind AND s.state = 'active';
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF vector_dims(query) <> space.dimensions THEN
        RAISE data_exception USING MESSAGE = format('the query has %s dimensions; %s of %s has %s',
              vector_dims(query), space.model, space.provider, space.dimensions);
    END IF;
    SELECT format_type(a.atttypid, NULL) INTO stored FROM pg_attribute a
     WHERE a.attrelid = ('vectors_' || space.number)::regclass AND a.attname = 'embedding';
    RETURN QUERY EXECUTE format(
        'SELECT f.item_id, f.similarity FROM (SELECT v.item_id, max(1 - (v.embedding <=> $1::%s))::real AS similarity '
        'FROM %I v WHERE v.user_id = $2 GROUP BY v.item_id) f WHERE f.similarity >= $3', stored, 'vectors_' || space.number)
        USING query, owner, threshold;
END $$;

-- A function that is replaced loses its path.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['recollect_make_vectors(integer, boolean, integer)',
                                'recollect_nearest(text, vector, text, real)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, %I, pg_temp', name, current_schema(),
                       (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                         WHERE e.extname = 'vector'));
    END LOOP;
END $$;
