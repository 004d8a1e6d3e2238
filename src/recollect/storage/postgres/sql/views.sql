-- The tables that people expect to find when they open the database with psql, of what is live. They run with the
-- rights of whoever asks, so that they never show more than the tables would. The last part of the schema at a glance.

CREATE VIEW entity_facts WITH (security_invoker = true) AS
SELECT user_id, id, subject AS entity_id, key AS fact_type, content, value, source, confidence,
       created_at, updated_at, valid_until
  FROM memories
 WHERE type = 'fact' AND subject <> '' AND superseded_by IS NULL;

CREATE VIEW preferences WITH (security_invoker = true) AS
SELECT user_id, id, subject AS category, key, value, context, content, confidence, source AS learned_from,
       created_at, updated_at
  FROM memories
 WHERE type = 'preference' AND superseded_by IS NULL;

CREATE VIEW events WITH (security_invoker = true) AS
SELECT user_id, id, key AS event_type, subject AS entity_id, content AS summary, value AS details, importance,
       coalesce(occurred_at, created_at) AS timestamp
  FROM memories
 WHERE type = 'event' AND superseded_by IS NULL;

CREATE VIEW lessons WITH (security_invoker = true) AS
SELECT user_id, id, content AS lesson, context, confidence, source, created_at
  FROM memories
 WHERE type = 'lesson' AND superseded_by IS NULL;

CREATE VIEW requests WITH (security_invoker = true) AS
SELECT user_id, id, conversation_id AS session_id, speaker, content AS message_text, external_id, tokens,
       metadata ->> 'telegram_message_id' AS telegram_message_id,
       metadata ->> 'telegram_chat_id' AS telegram_chat_id,
       said_at AS created_at
  FROM messages
 WHERE role = 'user';

CREATE VIEW responses WITH (security_invoker = true) AS
SELECT m.user_id, m.id, m.conversation_id AS session_id,
       (SELECT r.id FROM messages r
         WHERE r.user_id = m.user_id AND r.conversation_id = m.conversation_id AND r.role = 'user'
           AND r.sequence < m.sequence
         ORDER BY r.sequence DESC LIMIT 1) AS request_id,
       m.speaker, m.content AS response_text, m.feedback, m.model AS model_used, m.input_tokens, m.output_tokens, m.tokens,
       m.said_at AS created_at
  FROM messages m
 WHERE m.role = 'assistant';

CREATE VIEW reasoning WITH (security_invoker = true) AS
SELECT m.user_id, m.id, m.conversation_id AS session_id,
       (SELECT r.id FROM messages r
         WHERE r.user_id = m.user_id AND r.conversation_id = m.conversation_id AND r.role = 'user'
           AND r.sequence < m.sequence
         ORDER BY r.sequence DESC LIMIT 1) AS request_id,
       m.content AS reasoning_text, m.model AS thinking_model, m.thinking_tokens,
       m.said_at AS created_at
  FROM messages m
 WHERE m.role = 'reasoning';

CREATE VIEW file_chunks WITH (security_invoker = true) AS
SELECT c.user_id, c.id, c.file_id, f.root, f.path, c.start_line, c.end_line, c.heading, c.content AS chunk_text,
       row_number() OVER (PARTITION BY c.user_id, c.file_id ORDER BY c.start_line, c.start_column, c.id) - 1 AS chunk_index
  FROM chunks c
  JOIN files f ON f.user_id = c.user_id AND f.id = c.file_id;

CREATE VIEW conversation_stats WITH (security_invoker = true) AS
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
