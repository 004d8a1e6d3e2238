-- The second wall between users. The first is the `user_id` in every query; should one of them ever lack it, the server
-- itself neither shows nor changes what belongs to somebody else. Every transaction says for whom it works, in settings
-- that end with it:
--   recollect.reach = 'user' and recollect.user_id   for this user
--   recollect.reach = 'store'                        for everybody: only what is about the store as a whole
-- A transaction that says neither sees nothing. FORCE lets the wall stand for the owner of the tables as well.

-- Whom a transaction works for; NULL for nobody in particular. That nobody was named is not the same as the user ''.
CREATE FUNCTION recollect_user() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE current_setting('recollect.reach', true) WHEN 'user' THEN current_setting('recollect.user_id', true) END;

-- Whether it works for everybody.
CREATE FUNCTION recollect_everybody() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(current_setting('recollect.reach', true) = 'store', false);

-- Builds the wall around a table whose rows belong to users. The inner SELECTs are asked once for each query, not once
-- for each row, and leave the planner's estimates nearly as they were.
CREATE FUNCTION recollect_wall(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY recollect_own ON %I '
                   'USING (user_id = (SELECT recollect_user()) OR (SELECT recollect_everybody()))', name);
END $$;

SELECT recollect_wall(name) FROM unnest(ARRAY[
       'users', 'memories', 'jobs', 'embedding_cache', 'embedding_cache_uses', 'conversations', 'messages', 'derivations',
       'tombstones', 'spending', 'answers', 'changes', 'audit_log', 'search_log']) AS name;
SELECT recollect_wall('vectors_' || number) FROM embedding_spaces;

-- Keys open doors for users, so no user's work may see them: they are found and written in the store's own name ('').
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_keys ON api_keys
 USING ((SELECT recollect_everybody()) OR (SELECT recollect_user() = ''));

-- What belongs to nobody: all may read what everybody's work depends on, and a user's first vector may need a space.
ALTER TABLE schema_migrations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_read ON schema_migrations FOR SELECT USING (true);
CREATE POLICY recollect_store ON schema_migrations USING ((SELECT recollect_everybody()));

ALTER TABLE store_marks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_read ON store_marks FOR SELECT USING (true);
CREATE POLICY recollect_store ON store_marks USING ((SELECT recollect_everybody()));

ALTER TABLE embedding_spaces ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_read ON embedding_spaces FOR SELECT USING (true);
CREATE POLICY recollect_add ON embedding_spaces FOR INSERT WITH CHECK (true);
CREATE POLICY recollect_change ON embedding_spaces FOR UPDATE USING (true);
CREATE POLICY recollect_store ON embedding_spaces USING ((SELECT recollect_everybody()));

ALTER TABLE bulk_batches ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY recollect_store ON bulk_batches USING ((SELECT recollect_everybody()));

-- Whoever may write memories may make the table of a new embedding space, though only the owner of the schema makes
-- tables: these two functions run with the owner's rights, and nothing in their text comes from outside but numbers.
CREATE FUNCTION recollect_make_vectors(number integer, half boolean, dimensions integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    name   text := 'vectors_' || number;
    writer text;
BEGIN
    EXECUTE format('CREATE TABLE %I (user_id text NOT NULL, item_id uuid NOT NULL, embedding %s(%s) NOT NULL, '
                   'PRIMARY KEY (user_id, item_id))',
                   name, CASE WHEN half THEN 'halfvec' ELSE 'vector' END, dimensions);
    PERFORM recollect_wall(name);
    FOR writer IN SELECT r.rolname
                    FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
                   WHERE c.oid = 'memories'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO %I', name, writer);
    END LOOP;
END $$;

CREATE FUNCTION recollect_drop_vectors(number integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF NOT recollect_everybody() THEN
        RAISE insufficient_privilege USING MESSAGE = 'an embedding space belongs to everybody';
    END IF;
    EXECUTE format('DROP TABLE %I', 'vectors_' || number);
END $$;

-- Behind a wall the server does not trust the index of words: what its operator compares could leak. So a large user's
-- words are looked up by functions that belong to a role of their own, which may read everything, and which ask for
-- nothing but the rows of the user whom the transaction works for. Until recollect_admit has given them to that role
-- they are not used.
CREATE FUNCTION recollect_matching_memories(words text[], most bigint) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    owner text := recollect_user();
BEGIN
    RETURN QUERY SELECT m.id FROM memories m WHERE m.user_id = owner AND m.terms && words LIMIT most;
END $$;

CREATE FUNCTION recollect_matching_messages(words text[], most bigint) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    owner text := recollect_user();
BEGIN
    RETURN QUERY SELECT m.id FROM messages m WHERE m.user_id = owner AND m.terms && words LIMIT most;
END $$;

-- Lets a role do what the application does, and no more: it owns nothing, and of what was done it can only add lines.
-- `searcher` names the role that looks up words; '' for none.
CREATE FUNCTION recollect_admit(application text, searcher text) RETURNS void LANGUAGE plpgsql AS $$
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
    FOREACH name IN ARRAY ARRAY['memories', 'messages'] LOOP
        EXECUTE format('GRANT SELECT ON %I TO %I', name, searcher);
        EXECUTE format('DROP POLICY IF EXISTS recollect_search ON %I', name);
        EXECUTE format('CREATE POLICY recollect_search ON %I FOR SELECT TO %I USING (true)', name, searcher);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %I(text[], bigint) TO %I', 'recollect_matching_' || name, application);
        EXECUTE format('ALTER FUNCTION %I(text[], bigint) OWNER TO %I', 'recollect_matching_' || name, searcher);
    END LOOP;
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM %I', place, searcher);
END $$;

-- What runs with the rights of others is for those who were admitted, and finds our tables and no others.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
            'recollect_make_vectors(integer, boolean, integer)', 'recollect_drop_vectors(integer)',
            'recollect_matching_memories(text[], bigint)', 'recollect_matching_messages(text[], bigint)'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, %I, pg_temp', name, current_schema(),
                       (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                         WHERE e.extname = 'vector'));
    END LOOP;
END $$;
