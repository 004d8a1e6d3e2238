-- Times in the views as people type them, in UTC: `created_at >= '2024-01-15 20:00'` compares as it reads. Telegram's ids are
-- numbers, and events show who took part.

DROP VIEW entity_facts;
CREATE VIEW entity_facts AS
SELECT user_id, id, subject AS entity_id, key AS fact_type, content, value, source, confidence,
       strftime('%Y-%m-%d %H:%M:%f', created_at / 1e6, 'unixepoch') AS created_at,
       strftime('%Y-%m-%d %H:%M:%f', updated_at / 1e6, 'unixepoch') AS updated_at,
       strftime('%Y-%m-%d %H:%M:%f', valid_until / 1e6, 'unixepoch') AS valid_until
  FROM memories
 WHERE type = 'fact' AND subject <> '' AND superseded_by IS NULL;

DROP VIEW preferences;
CREATE VIEW preferences AS
SELECT user_id, id, subject AS category, key, value, context, content, confidence, source AS learned_from,
       strftime('%Y-%m-%d %H:%M:%f', created_at / 1e6, 'unixepoch') AS created_at,
       strftime('%Y-%m-%d %H:%M:%f', updated_at / 1e6, 'unixepoch') AS updated_at
  FROM memories
 WHERE type = 'preference' AND superseded_by IS NULL;

DROP VIEW events;
CREATE VIEW events AS
SELECT user_id, id, key AS event_type, subject AS entity_id, content AS summary, value AS details, importance,
       json_extract(metadata, '$.participants') AS participants,
       strftime('%Y-%m-%d %H:%M:%f', coalesce(occurred_at, created_at) / 1e6, 'unixepoch') AS timestamp
  FROM memories
 WHERE type = 'event' AND superseded_by IS NULL;

DROP VIEW lessons;
CREATE VIEW lessons AS
SELECT user_id, id, content AS lesson, context, confidence, source,
       strftime('%Y-%m-%d %H:%M:%f', created_at / 1e6, 'unixepoch') AS created_at
  FROM memories
 WHERE type = 'lesson' AND superseded_by IS NULL;

DROP VIEW requests;
CREATE VIEW requests AS
SELECT user_id, id, conversation_id AS session_id, speaker, content AS message_text, external_id, tokens,
       iif(metadata ->> 'telegram_message_id' = CAST(CAST(metadata ->> 'telegram_message_id' AS INTEGER) AS TEXT),
           CAST(metadata ->> 'telegram_message_id' AS INTEGER), NULL) AS telegram_message_id,
       iif(metadata ->> 'telegram_chat_id' = CAST(CAST(metadata ->> 'telegram_chat_id' AS INTEGER) AS TEXT),
           CAST(metadata ->> 'telegram_chat_id' AS INTEGER), NULL) AS telegram_chat_id,
       strftime('%Y-%m-%d %H:%M:%f', said_at / 1e6, 'unixepoch') AS created_at
  FROM messages
 WHERE role = 'user';

DROP VIEW responses;
CREATE VIEW responses AS
SELECT m.user_id, m.id, m.conversation_id AS session_id,
       (SELECT r.id FROM messages r
         WHERE r.user_id = m.user_id AND r.conversation_id = m.conversation_id AND r.role = 'user'
           AND r.sequence < m.sequence
         ORDER BY r.sequence DESC LIMIT 1) AS request_id,
       m.speaker, m.content AS response_text, m.feedback, m.model AS model_used, m.input_tokens, m.output_tokens, m.tokens,
       strftime('%Y-%m-%d %H:%M:%f', m.said_at / 1e6, 'unixepoch') AS created_at
  FROM messages m
 WHERE m.role = 'assistant';

DROP VIEW reasoning;
CREATE VIEW reasoning AS
SELECT m.user_id, m.id, m.conversation_id AS session_id,
       (SELECT r.id FROM messages r
         WHERE r.user_id = m.user_id AND r.conversation_id = m.conversation_id AND r.role = 'user'
           AND r.sequence < m.sequence
         ORDER BY r.sequence DESC LIMIT 1) AS request_id,
       m.content AS reasoning_text, m.model AS thinking_model, m.thinking_tokens,
       strftime('%Y-%m-%d %H:%M:%f', m.said_at / 1e6, 'unixepoch') AS created_at
  FROM messages m
 WHERE m.role = 'reasoning';
