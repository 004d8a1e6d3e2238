-- Telegram's ids are numbers, and events show who took part.

CREATE OR REPLACE VIEW events WITH (security_invoker = true) AS
SELECT user_id, id, key AS event_type, subject AS entity_id, content AS summary, value AS details, importance,
       coalesce(occurred_at, created_at) AS timestamp, metadata -> 'participants' AS participants
  FROM memories
 WHERE type = 'event' AND superseded_by IS NULL;

DROP VIEW requests;
CREATE VIEW requests WITH (security_invoker = true) AS
SELECT user_id, id, conversation_id AS session_id, speaker, content AS message_text, external_id, tokens,
       CASE WHEN metadata ->> 'telegram_message_id' ~ '^(0|-?[1-9][0-9]{0,17})$'
            THEN (metadata ->> 'telegram_message_id')::bigint END AS telegram_message_id,
       CASE WHEN metadata ->> 'telegram_chat_id' ~ '^(0|-?[1-9][0-9]{0,17})$'
            THEN (metadata ->> 'telegram_chat_id')::bigint END AS telegram_chat_id,
       said_at AS created_at
  FROM messages
 WHERE role = 'user';

-- Searches by meaning for people with psql. Each needs a user, and runs with the rights of the role that asks. Without one
-- in the transaction's settings it works for the user it names; with one, it refuses any other.

-- Says for whom a search works. Gives whether that has to be taken back.
CREATE FUNCTION recollect_begin_search(owner text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF owner IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'p_user_id is missing: a search needs the user whose memory it searches';
    END IF;
    IF recollect_whole_store() OR recollect_user() = owner THEN
        RETURN false;
    END IF;
    IF recollect_user() IS NOT NULL THEN
        RAISE insufficient_privilege USING MESSAGE = 'this transaction works for another user';
    END IF;
    PERFORM set_config('recollect.reach', 'user', true), set_config('recollect.user_id', owner, true);
    RETURN true;
END $$;

-- Gives the items of a kind that are at least so near to a vector of the model in use.
CREATE FUNCTION recollect_nearest(item_kind text, query vector, owner text, threshold real)
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
        'SELECT f.item_id, f.similarity FROM (SELECT v.item_id, (1 - (v.embedding <=> $1::%s))::real AS similarity '
        'FROM %I v WHERE v.user_id = $2) f WHERE f.similarity >= $3', stored, 'vectors_' || space.number)
        USING query, owner, threshold;
END $$;

CREATE FUNCTION search_memories(
    query_embedding vector, p_user_id text DEFAULT NULL, p_memory_type text DEFAULT NULL, p_limit integer DEFAULT 10,
    p_threshold real DEFAULT 0.3)
RETURNS TABLE (id uuid, content text, memory_type text, importance real, confidence real, metadata jsonb,
               created_at timestamptz, similarity real)
LANGUAGE plpgsql AS $$
DECLARE
    entered boolean := recollect_begin_search(p_user_id);
BEGIN
    RETURN QUERY
    SELECT m.id, m.content, m.type, m.importance::real, m.confidence::real, m.metadata, m.created_at, n.similarity
      FROM recollect_nearest('memory', query_embedding, p_user_id, p_threshold) n
      JOIN memories m ON m.user_id = p_user_id AND m.id = n.item_id
     WHERE m.superseded_by IS NULL AND coalesce(m.expires_at > now(), true) AND coalesce(m.valid_until > now(), true)
       AND (p_memory_type IS NULL OR m.type = p_memory_type)
     ORDER BY n.similarity DESC, m.id LIMIT p_limit;
    IF entered THEN
        PERFORM set_config('recollect.reach', '', true);
    END IF;
END $$;

-- A response has no summary of its own here: `summary` is null.
CREATE FUNCTION search_responses(
    query_embedding vector, p_user_id text DEFAULT NULL, p_limit integer DEFAULT 5, p_threshold real DEFAULT 0.3)
RETURNS TABLE (id uuid, request_id uuid, response_text text, summary text, similarity real)
LANGUAGE plpgsql AS $$
DECLARE
    entered boolean := recollect_begin_search(p_user_id);
BEGIN
    RETURN QUERY
    SELECT a.id,
           (SELECT q.id FROM messages q
             WHERE q.user_id = a.user_id AND q.conversation_id = a.conversation_id AND q.role = 'user'
               AND q.sequence < a.sequence
             ORDER BY q.sequence DESC LIMIT 1),
           a.content, NULL::text, n.similarity
      FROM recollect_nearest('message', query_embedding, p_user_id, p_threshold) n
      JOIN messages a ON a.user_id = p_user_id AND a.id = n.item_id
     WHERE a.role = 'assistant'
     ORDER BY n.similarity DESC, a.id LIMIT p_limit;
    IF entered THEN
        PERFORM set_config('recollect.reach', '', true);
    END IF;
END $$;

CREATE FUNCTION search_file_chunks(
    query_embedding vector, p_user_id text DEFAULT NULL, p_limit integer DEFAULT 5, p_threshold real DEFAULT 0.3)
RETURNS TABLE (id uuid, file_id uuid, chunk_index integer, chunk_text text, original_name text, similarity real)
LANGUAGE plpgsql AS $$
DECLARE
    entered boolean := recollect_begin_search(p_user_id);
BEGIN
    RETURN QUERY
    SELECT c.id, c.file_id,
           (SELECT count(*)::integer FROM chunks o
             WHERE o.user_id = c.user_id AND o.file_id = c.file_id
               AND (o.start_line, o.start_column, o.id) < (c.start_line, c.start_column, c.id)),
           c.content, f.path, c.similarity
      FROM (SELECT k.*, n.similarity
              FROM recollect_nearest('chunk', query_embedding, p_user_id, p_threshold) n
              JOIN chunks k ON k.user_id = p_user_id AND k.id = n.item_id
             ORDER BY n.similarity DESC, k.id LIMIT p_limit) c
      JOIN files f ON f.user_id = c.user_id AND f.id = c.file_id
     ORDER BY c.similarity DESC, c.id;
    IF entered THEN
        PERFORM set_config('recollect.reach', '', true);
    END IF;
END $$;

CREATE FUNCTION search_context(
    query_embedding vector, p_user_id text DEFAULT NULL, p_limit integer DEFAULT 10, p_threshold real DEFAULT 0.25)
RETURNS TABLE (source text, content text, similarity real, created_at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
    entered boolean := recollect_begin_search(p_user_id);
BEGIN
    RETURN QUERY
    SELECT 'memory', m.content, m.similarity, m.created_at
      FROM search_memories(query_embedding, p_user_id, NULL, p_limit, p_threshold) m
     UNION ALL
    SELECT CASE g.role WHEN 'user' THEN 'request' ELSE 'response' END, g.content, n.similarity, g.said_at
      FROM recollect_nearest('message', query_embedding, p_user_id, p_threshold) n
      JOIN messages g ON g.user_id = p_user_id AND g.id = n.item_id
     WHERE g.role IN ('user', 'assistant')
     UNION ALL
    SELECT 'file', k.content, n.similarity, k.created_at
      FROM recollect_nearest('chunk', query_embedding, p_user_id, p_threshold) n
      JOIN chunks k ON k.user_id = p_user_id AND k.id = n.item_id
     ORDER BY 3 DESC, 4 DESC LIMIT p_limit;
    IF entered THEN
        PERFORM set_config('recollect.reach', '', true);
    END IF;
END $$;

-- They find our tables and no others.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
            'recollect_begin_search(text)', 'recollect_nearest(text, vector, text, real)',
            'search_memories(vector, text, text, integer, real)', 'search_responses(vector, text, integer, real)',
            'search_file_chunks(vector, text, integer, real)', 'search_context(vector, text, integer, real)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, %I, pg_temp', name, current_schema(),
                       (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                         WHERE e.extname = 'vector'));
    END LOOP;
END $$;
