-- The tables that people expect to find when they open the file with sqlite3: what is live, with readable times. The last part of the schema at a glance.

CREATE VIEW entity_facts AS
SELECT user_id, id, subject AS entity_id, key AS fact_type, content, value, source, confidence,
       strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1e6, 'unixepoch') AS created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1e6, 'unixepoch') AS updated_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', valid_until / 1e6, 'unixepoch') AS valid_until
  FROM memories
 WHERE type = 'fact' AND subject <> '' AND superseded_by IS NULL;

CREATE VIEW preferences AS
SELECT user_id, id, subject AS category, key, value, context, content, confidence, source AS learned_from,
       strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1e6, 'unixepoch') AS created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1e6, 'unixepoch') AS updated_at
  FROM memories
 WHERE type = 'preference' AND superseded_by IS NULL;

CREATE VIEW events AS
SELECT user_id, id, key AS event_type, subject AS entity_id, content AS summary, value AS details, importance,
       strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(occurred_at, created_at) / 1e6, 'unixepoch') AS timestamp
  FROM memories
 WHERE type = 'event' AND superseded_by IS NULL;

CREATE VIEW lessons AS
SELECT user_id, id, content AS lesson, context, confidence, source,
       strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1e6, 'unixepoch') AS created_at
  FROM memories
 WHERE type = 'lesson' AND superseded_by IS NULL;

CREATE VIEW requests AS
SELECT user_id, id, conversation_id AS session_id, speaker, content AS message_text, external_id, tokens,
       json_extract(metadata, '$.telegram_message_id') AS telegram_message_id,
       json_extract(metadata, '$.telegram_chat_id') AS telegram_chat_id,
       strftime('%Y-%m-%dT%H:%M:%fZ', said_at / 1e6, 'unixepoch') AS created_at
  FROM messages
 WHERE role = 'user';

CREATE VIEW responses AS
SELECT m.user_id, m.id, m.conversation_id AS session_id,
       (SELECT r.id FROM messages r
         WHERE r.user_id = m.user_id AND r.conversation_id = m.conversation_id AND r.role = 'user'
           AND r.sequence < m.sequence
         ORDER BY r.sequence DESC LIMIT 1) AS request_id,
       m.speaker, m.content AS response_text, m.feedback, m.model AS model_used, m.input_tokens, m.output_tokens, m.tokens,
       strftime('%Y-%m-%dT%H:%M:%fZ', m.said_at / 1e6, 'unixepoch') AS created_at
  FROM messages m
 WHERE m.role = 'assistant';

CREATE VIEW reasoning AS
SELECT m.user_id, m.id, m.conversation_id AS session_id,
       (SELECT r.id FROM messages r
         WHERE r.user_id = m.user_id AND r.conversation_id = m.conversation_id AND r.role = 'user'
           AND r.sequence < m.sequence
         ORDER BY r.sequence DESC LIMIT 1) AS request_id,
       m.content AS reasoning_text, m.model AS thinking_model, m.thinking_tokens,
       strftime('%Y-%m-%dT%H:%M:%fZ', m.said_at / 1e6, 'unixepoch') AS created_at
  FROM messages m
 WHERE m.role = 'reasoning';

CREATE VIEW file_chunks AS
SELECT c.user_id, c.id, c.file_id, f.root, f.path, c.start_line, c.end_line, c.heading, c.content AS chunk_text,
       row_number() OVER (PARTITION BY c.user_id, c.file_id ORDER BY c.start_line, c.start_column, c.id) - 1 AS chunk_index
  FROM chunks c
  JOIN files f ON f.user_id = c.user_id AND f.id = c.file_id;

CREATE VIEW conversation_stats AS
SELECT u.user_id,
       (SELECT count(*) FROM conversations c WHERE c.user_id = u.user_id) AS conversations,
       (SELECT count(*) FROM memories m WHERE m.user_id = u.user_id AND m.superseded_by IS NULL) AS total_memories,
       (SELECT count(*) FROM messages m WHERE m.user_id = u.user_id AND m.role = 'user') AS total_requests,
       (SELECT count(*) FROM messages m WHERE m.user_id = u.user_id AND m.role = 'assistant') AS total_responses,
       (SELECT count(*) FROM messages m WHERE m.user_id = u.user_id AND m.role = 'reasoning') AS total_reasoning,
       (SELECT count(*) FROM files f WHERE f.user_id = u.user_id) AS total_files,
       (SELECT count(*) FROM chunks c WHERE c.user_id = u.user_id) AS total_chunks,
       (SELECT coalesce(sum(m.tokens), 0) FROM messages m WHERE m.user_id = u.user_id) AS total_tokens
  FROM users u;
