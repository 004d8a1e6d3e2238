-- Looks up the words of a question for a large user: counts the rows that hold each, and gives those rows first that hold the
-- rarer ones. Each row is visited once for each word it holds. It belongs to the role that may read everything, and asks for
-- nothing but the rows of the user whom the transaction works for.
CREATE FUNCTION recollect_ranked(item_rows text, words text[], total bigint, most bigint)
RETURNS TABLE (counts bigint[], ids uuid[]) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    IF item_rows NOT IN ('memories', 'messages', 'chunks') THEN
        RAISE invalid_parameter_value USING MESSAGE = format('no words are looked up in %s', item_rows);
    END IF;
    RETURN QUERY EXECUTE format($query$
        WITH held AS MATERIALIZED (
            SELECT w.place, m.amount, m.ids, ln(1 + $3::float8 / (1 + m.amount)) AS weight
              FROM unnest($1) WITH ORDINALITY AS w (word, place)
             CROSS JOIN LATERAL (SELECT count(*) AS amount, array_agg(r.id) AS ids FROM %I r
                                  WHERE r.user_id = $2 AND r.terms && ARRAY[w.word]) m)
        SELECT ARRAY(SELECT h.amount FROM held h ORDER BY h.place),
               ARRAY(SELECT f.id FROM (SELECT unnest(h.ids) AS id, h.weight FROM held h) f
                      GROUP BY f.id ORDER BY sum(f.weight) DESC, f.id DESC LIMIT $4)
        $query$, item_rows) USING words, recollect_user(), total, most;
END $$;

REVOKE ALL ON FUNCTION recollect_ranked(text, text[], bigint, bigint) FROM PUBLIC;

DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION recollect_ranked(text, text[], bigint, bigint) SET search_path = %I, pg_temp', current_schema());
END $$;

-- Its predecessors, where the login may drop them; elsewhere they stay and are not used.
DO $$
BEGIN
    DROP FUNCTION recollect_matching_memories(text[], bigint), recollect_matching_messages(text[], bigint),
                  recollect_matching_chunks(text[], bigint);
EXCEPTION WHEN insufficient_privilege THEN
    NULL;
END $$;

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
    EXECUTE format('GRANT USAGE, CREATE ON SCHEMA %I TO %I', place, searcher);  -- CREATE: to be given a function
    FOREACH name IN ARRAY ARRAY['memories', 'messages', 'chunks'] LOOP
        EXECUTE format('GRANT SELECT ON %I TO %I', name, searcher);
        EXECUTE format('DROP POLICY IF EXISTS recollect_search ON %I', name);
        EXECUTE format('CREATE POLICY recollect_search ON %I FOR SELECT TO %I USING (true)', name, searcher);
    END LOOP;
    IF (SELECT pg_get_userbyid(f.proowner) FROM pg_proc f
         WHERE f.oid = to_regprocedure('recollect_ranked(text, text[], bigint, bigint)')) <> searcher THEN
        EXECUTE format('GRANT EXECUTE ON FUNCTION recollect_ranked(text, text[], bigint, bigint) TO %I', application);
        EXECUTE format('ALTER FUNCTION recollect_ranked(text, text[], bigint, bigint) OWNER TO %I', searcher);
    END IF;
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM %I', place, searcher);
END $$;
