-- A function in a query of a user's rows runs where these rows are. A search that asks for more rows of its own has to be over
-- before, or each server of a cluster begins it anew.

-- Gives what recollect_nearest gives, as one value.
CREATE FUNCTION recollect_near(item_kind text, query vector, owner text, threshold real) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT json_agg(n) FROM recollect_nearest(item_kind, query, owner, threshold) n);
END $$;

CREATE OR REPLACE FUNCTION search_memories(
    query_embedding vector, p_user_id text DEFAULT NULL, p_memory_type text DEFAULT NULL, p_limit integer DEFAULT 10,
    p_threshold real DEFAULT 0.3)
RETURNS TABLE (id uuid, content text, memory_type text, importance real, confidence real, metadata jsonb,
               created_at timestamptz, similarity real)
LANGUAGE plpgsql AS $$
DECLARE
    entered boolean := recollect_begin_search(p_user_id);
    near    json := recollect_near('memory', query_embedding, p_user_id, p_threshold);
BEGIN
    RETURN QUERY
    SELECT m.id, m.content, m.type, m.importance::real, m.confidence::real, m.metadata, m.created_at, n.similarity
      FROM json_to_recordset(near) n(item_id uuid, similarity real)
      JOIN memories m ON m.user_id = p_user_id AND m.id = n.item_id
     WHERE m.superseded_by IS NULL AND coalesce(m.expires_at > now(), true) AND coalesce(m.valid_until > now(), true)
       AND (p_memory_type IS NULL OR m.type = p_memory_type)
     ORDER BY n.similarity DESC, m.id LIMIT p_limit;
    IF entered THEN
        PERFORM recollect_set('recollect.reach', '');
    END IF;
END $$;

CREATE OR REPLACE FUNCTION search_responses(
    query_embedding vector, p_user_id text DEFAULT NULL, p_limit integer DEFAULT 5, p_threshold real DEFAULT 0.3)
RETURNS TABLE (id uuid, request_id uuid, response_text text, summary text, similarity real)
LANGUAGE plpgsql AS $$
DECLARE
    entered boolean := recollect_begin_search(p_user_id);
    near    json := recollect_near('message', query_embedding, p_user_id, p_threshold);
BEGIN
    RETURN QUERY
    SELECT a.id,
           (SELECT q.id FROM messages q
             WHERE q.user_id = p_user_id AND q.conversation_id = a.conversation_id AND q.role = 'user'
               AND q.sequence < a.sequence
             ORDER BY q.sequence DESC LIMIT 1),
           a.content, NULL::text, n.similarity
      FROM json_to_recordset(near) n(item_id uuid, similarity real)
      JOIN messages a ON a.user_id = p_user_id AND a.id = n.item_id
     WHERE a.role = 'assistant'
     ORDER BY n.similarity DESC, a.id LIMIT p_limit;
    IF entered THEN
        PERFORM recollect_set('recollect.reach', '');
    END IF;
END $$;

CREATE OR REPLACE FUNCTION search_file_chunks(
    query_embedding vector, p_user_id text DEFAULT NULL, p_limit integer DEFAULT 5, p_threshold real DEFAULT 0.3)
RETURNS TABLE (id uuid, file_id uuid, chunk_index integer, chunk_text text, original_name text, similarity real)
LANGUAGE plpgsql AS $$
DECLARE
    entered boolean := recollect_begin_search(p_user_id);
    near    json := recollect_near('chunk', query_embedding, p_user_id, p_threshold);
BEGIN
    RETURN QUERY
    SELECT c.id, c.file_id,
           (SELECT count(*)::integer FROM chunks o
             WHERE o.user_id = p_user_id AND o.file_id = c.file_id
               AND (o.start_line, o.start_column, o.id) < (c.start_line, c.start_column, c.id)),
           c.content, f.path, c.similarity
      FROM (SELECT k.*, n.similarity
              FROM json_to_recordset(near) n(item_id uuid, similarity real)
              JOIN chunks k ON k.user_id = p_user_id AND k.id = n.item_id
             ORDER BY n.similarity DESC, k.id LIMIT p_limit) c
      JOIN files f ON f.user_id = p_user_id AND f.id = c.file_id
     ORDER BY c.similarity DESC, c.id;
    IF entered THEN
        PERFORM recollect_set('recollect.reach', '');
    END IF;
END $$;

CREATE OR REPLACE FUNCTION search_context(
    query_embedding vector, p_user_id text DEFAULT NULL, p_limit integer DEFAULT 10, p_threshold real DEFAULT 0.25)
RETURNS TABLE (source text, content text, similarity real, created_at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
    entered  boolean := recollect_begin_search(p_user_id);
    kept     json := (SELECT json_agg(m) FROM search_memories(query_embedding, p_user_id, NULL, p_limit, p_threshold) m);
    said     json := recollect_near('message', query_embedding, p_user_id, p_threshold);
    recorded json := recollect_near('chunk', query_embedding, p_user_id, p_threshold);
BEGIN
    RETURN QUERY
    SELECT 'memory', m.content, m.similarity, m.created_at
      FROM json_to_recordset(kept) m(content text, similarity real, created_at timestamptz)
     UNION ALL
    SELECT CASE g.role WHEN 'user' THEN 'request' ELSE 'response' END, g.content, n.similarity, g.said_at
      FROM json_to_recordset(said) n(item_id uuid, similarity real)
      JOIN messages g ON g.user_id = p_user_id AND g.id = n.item_id
     WHERE g.role IN ('user', 'assistant')
     UNION ALL
    SELECT 'file', k.content, n.similarity, k.created_at
      FROM json_to_recordset(recorded) n(item_id uuid, similarity real)
      JOIN chunks k ON k.user_id = p_user_id AND k.id = n.item_id
     ORDER BY 3 DESC, 4 DESC LIMIT p_limit;
    IF entered THEN
        PERFORM recollect_set('recollect.reach', '');
    END IF;
END $$;

-- A function that is replaced loses its path.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
            'recollect_near(text, vector, text, real)',
            'search_memories(vector, text, text, integer, real)', 'search_responses(vector, text, integer, real)',
            'search_file_chunks(vector, text, integer, real)', 'search_context(vector, text, integer, real)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, %I, pg_temp', name, current_schema(),
                       (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                         WHERE e.extname = 'vector'));
    END LOOP;
END $$;
