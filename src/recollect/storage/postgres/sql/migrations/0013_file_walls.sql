-- The wall of 0011_walls.sql around what files have brought.

SELECT recollect_wall(name) FROM unnest(ARRAY['files', 'chunks', 'folders']) AS name;

CREATE FUNCTION recollect_matching_chunks(words text[], most bigint) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    owner text := recollect_user();
BEGIN
    RETURN QUERY SELECT m.id FROM chunks m WHERE m.user_id = owner AND m.terms && words LIMIT most;
END $$;

-- As before, and the words of chunks besides. A function that was given away already stays where it is: who gave it away
-- may not give it again.
CREATE OR REPLACE FUNCTION recollect_admit(application text, searcher text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    place text := current_schema();
    name  text;
BEGIN
    IF NOT has_schema_privilege(application, place, 'USAGE') THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', place, application);
    END IF;
    IF NOT has_database_privilege(application, current_database(), 'TEMPORARY') THEN  -- batches are staged there
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO %I', current_database(), application);
    END IF;
    FOR name IN SELECT DISTINCT c.relname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
                 WHERE c.relnamespace = place::regnamespace AND p.polname LIKE 'recollect\_%' LOOP
        EXECUTE format('GRANT %s ON %I TO %I',
                       CASE name WHEN 'schema_migrations' THEN 'SELECT' WHEN 'audit_log' THEN 'SELECT, INSERT'
                                 ELSE 'SELECT, INSERT, UPDATE, DELETE' END, name, application);
    END LOOP;
    EXECUTE format('GRANT EXECUTE ON FUNCTION recollect_make_vectors(integer, boolean, integer), '
                   'recollect_drop_vectors(integer) TO %I', application);
    IF searcher = '' THEN
        RETURN;
    END IF;
    EXECUTE format('GRANT USAGE, CREATE ON SCHEMA %I TO %I', place, searcher);  -- CREATE: to be given functions
    FOREACH name IN ARRAY ARRAY['memories', 'messages', 'chunks'] LOOP
        EXECUTE format('GRANT SELECT ON %I TO %I', name, searcher);
        EXECUTE format('DROP POLICY IF EXISTS recollect_search ON %I', name);
        EXECUTE format('CREATE POLICY recollect_search ON %I FOR SELECT TO %I USING (true)', name, searcher);
        IF (SELECT pg_get_userbyid(f.proowner) FROM pg_proc f
             WHERE f.oid = to_regprocedure(format('recollect_matching_%s(text[], bigint)', name))) <> searcher THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION %I(text[], bigint) TO %I', 'recollect_matching_' || name, application);
            EXECUTE format('ALTER FUNCTION %I(text[], bigint) OWNER TO %I', 'recollect_matching_' || name, searcher);
        END IF;
    END LOOP;
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM %I', place, searcher);
END $$;

DO $$
BEGIN
    REVOKE ALL ON FUNCTION recollect_matching_chunks(text[], bigint) FROM PUBLIC;
    EXECUTE format('ALTER FUNCTION recollect_matching_chunks(text[], bigint) SET search_path = %I, %I, pg_temp',
                   current_schema(), (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                                       WHERE e.extname = 'vector'));
END $$;
