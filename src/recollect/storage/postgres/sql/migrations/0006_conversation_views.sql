-- What was said, for people who look with their own tools.

CREATE VIEW requests WITH (security_invoker = true) AS
SELECT user_id, id, conversation_id AS session_id, content AS message_text, external_id, tokens,
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
       m.content AS response_text, m.feedback, m.model AS model_used, m.input_tokens, m.output_tokens, m.tokens,
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

CREATE VIEW conversation_stats WITH (security_invoker = true) AS
SELECT u.user_id,
       (SELECT count(*) FROM conversations c WHERE c.user_id = u.user_id) AS conversations,
       (SELECT count(*) FROM memories m WHERE m.user_id = u.user_id AND m.superseded_by IS NULL) AS total_memories,
       (SELECT count(*) FROM messages m WHERE m.user_id = u.user_id AND m.role = 'user') AS total_requests,
       (SELECT count(*) FROM messages m WHERE m.user_id = u.user_id AND m.role = 'assistant') AS total_responses,
       (SELECT count(*) FROM messages m WHERE m.user_id = u.user_id AND m.role = 'reasoning') AS total_reasoning,
       (SELECT coalesce(sum(m.tokens), 0) FROM messages m WHERE m.user_id = u.user_id) AS total_tokens
  FROM users u;
