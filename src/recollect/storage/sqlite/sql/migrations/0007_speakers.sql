-- Who said it: a conversation may have several people in it.

ALTER TABLE messages ADD COLUMN speaker TEXT NOT NULL DEFAULT '';

DROP VIEW requests;
DROP VIEW responses;

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
