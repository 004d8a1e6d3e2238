-- How large a user's texts are: memories with their values, messages with their blocks, chunks of files. Quotas ask for it.
ALTER TABLE users ADD COLUMN bytes bigint NOT NULL DEFAULT 0;

UPDATE users
   SET bytes = (SELECT coalesce(sum(octet_length(m.content) + octet_length(m.value)), 0)
                  FROM memories m WHERE m.user_id = users.user_id)
             + (SELECT coalesce(sum(octet_length(m.content) + octet_length(CAST(m.blocks AS text))), 0)
                  FROM messages m WHERE m.user_id = users.user_id)
             + (SELECT coalesce(sum(octet_length(m.content)), 0) FROM chunks m WHERE m.user_id = users.user_id);
