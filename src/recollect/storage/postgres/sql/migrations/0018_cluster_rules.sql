-- What lets the same tables be distributed over servers by Citus: it takes no policy with a sub-select, passes `SET LOCAL` on
-- to the other servers but not set_config, and joins no function with a table.

-- Changes a setting until the transaction ends, also on the servers that the transaction reaches later.
CREATE FUNCTION recollect_set(setting text, value text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SET LOCAL %s = %L', replace(quote_ident(setting), '.', '"."'), value);
    RETURN value;
END $$;

-- Protects a table whose rows belong to users. In a store that is distributed the table is, too, beside the rows of `users`.
CREATE OR REPLACE FUNCTION recollect_protect(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY recollect_own ON %I USING (user_id = recollect_user() OR recollect_whole_store())', name);
    PERFORM recollect_distribute(name);
END $$;

-- Distributes a new table, if the store is distributed and there is anything to distribute it over.
CREATE FUNCTION recollect_distribute(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL
       AND EXISTS (SELECT 1 FROM store_marks m WHERE m.name = 'distributed' AND m.value = 2) THEN
        PERFORM create_distributed_table(name::regclass, 'user_id', colocate_with => 'users');
    END IF;
END $$;

-- How many bytes a table occupies with its indexes, on all servers that have some of it; NULL where one does not answer.
CREATE FUNCTION recollect_table_size(name regclass) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        IF EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = name) THEN
            RETURN citus_total_relation_size(name, false);
        END IF;
    END IF;
    RETURN pg_total_relation_size(name);
END $$;

-- The policies as they were, without their inner SELECTs.
DO $$
DECLARE
    held record;
BEGIN
    FOR held IN SELECT p.polname, c.relname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
                 WHERE c.relnamespace = current_schema()::regnamespace AND p.polname IN ('recollect_own', 'recollect_store') LOOP
        EXECUTE format('ALTER POLICY %I ON %I USING (%s)', held.polname, held.relname,
                       CASE held.polname WHEN 'recollect_own' THEN 'user_id = recollect_user() OR recollect_whole_store()'
                                         ELSE 'recollect_whole_store()' END);
    END LOOP;
END $$;

ALTER POLICY recollect_keys ON api_keys USING (recollect_whole_store() OR recollect_user() = '');
ALTER POLICY recollect_member ON scope_members USING (user_id = recollect_user());
ALTER POLICY recollect_leave ON scope_members USING (user_id = recollect_user());
ALTER POLICY recollect_scope ON scope_members USING (scope_id = recollect_user() OR recollect_whole_store());

-- The searches for people with psql say for whom they work in the same way.
DO $$
DECLARE
    definition text;
BEGIN
    FOR definition IN SELECT pg_get_functiondef(f.oid) FROM pg_proc f
                       WHERE f.pronamespace = current_schema()::regnamespace
                         AND f.proname IN ('recollect_begin_search', 'search_memories', 'search_responses', 'search_file_chunks',
                                           'search_context') LOOP
        EXECUTE regexp_replace(definition, 'set_config\((''recollect\.\w+''), ([^,]+), true\)', 'recollect_set(\1, \2)', 'g');
    END LOOP;
END $$;
