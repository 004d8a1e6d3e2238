-- Who said it: a conversation may have several people in it.

ALTER TABLE messages ADD COLUMN speaker text NOT NULL DEFAULT '';

DROP VIEW requests;
DROP VIEW responses;

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
