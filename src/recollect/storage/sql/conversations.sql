-- Conversations: messages, what was made from what, what was forgotten, and what models were paid.

-- get_conversation --
-- One conversation.
SELECT {conversation} FROM conversations WHERE user_id = :user_id AND id = :id

-- save_conversation --
-- A conversation begins, goes on, or is being compacted.
INSERT INTO conversations (
    user_id, id, private, last_sequence, compacting_until, metadata, created_at, updated_at)
VALUES (
    :user_id, :id, :private, :last_sequence, :compacting_until, :metadata, :created_at, :updated_at)
    ON CONFLICT (user_id, id) DO UPDATE
   SET private = excluded.private, last_sequence = excluded.last_sequence,
       compacting_until = excluded.compacting_until, metadata = excluded.metadata, updated_at = excluded.updated_at

-- list_conversations --
-- Conversations with their figures, who spoke, and how users began; the one that was spoken in last first.
WITH page AS (
    SELECT id, private, metadata, created_at, updated_at
      FROM conversations
     WHERE user_id = :user_id AND id = coalesce(:id::text, id)
       AND (:before::timestamptz IS NULL OR updated_at < :before
            OR (updated_at = :before AND id > :before_id))
     ORDER BY updated_at DESC, id
     LIMIT :limit
),
figures AS MATERIALIZED (
    SELECT m.conversation_id AS id,
           count(*) FILTER (WHERE m.role <> 'summary') AS messages,
           count(*) FILTER (WHERE m.role <> 'summary' AND m.status = 'active') AS active_messages,
           coalesce(sum(m.tokens) FILTER (WHERE m.role <> 'summary'), 0) AS tokens,
           coalesce(sum(m.tokens) FILTER (WHERE m.status = 'active'), 0) AS active_tokens,
           min(m.said_at) AS first_said_at, max(m.said_at) AS last_said_at,
           count(*) FILTER (WHERE m.speaker <> '') AS named
      FROM page p CROSS JOIN messages m  -- SQLite keeps this order, and reads no other conversation
     WHERE m.user_id = :user_id AND m.conversation_id = p.id
     GROUP BY m.conversation_id
)
SELECT p.id, p.private, coalesce(f.messages, 0) AS messages, coalesce(f.active_messages, 0) AS active_messages,
       coalesce(f.tokens, 0) AS tokens, coalesce(f.active_tokens, 0) AS active_tokens,
       p.metadata, p.created_at, p.updated_at,
       coalesce((SELECT string_agg(o.content, :mark::text ORDER BY o.sequence, o.said_at, o.id)
                   FROM (SELECT substr(m.content, 1, :longest) AS content, m.sequence, m.said_at, m.id
                           FROM messages m
                          WHERE m.user_id = :user_id AND m.conversation_id = p.id AND m.role = 'user'
                          ORDER BY m.sequence, m.said_at, m.id
                          LIMIT :openings) o), '') AS title,
       CASE WHEN f.named > 0
            THEN (SELECT string_agg(s.speaker, :mark::text ORDER BY s.first, s.speaker)
                    FROM (SELECT m.speaker, min(m.sequence) AS first
                            FROM messages m
                           WHERE m.user_id = :user_id AND m.conversation_id = p.id AND m.speaker <> ''
                           GROUP BY m.speaker) s)
            ELSE '' END AS speakers,
       f.first_said_at, f.last_said_at
  FROM page p LEFT JOIN figures f ON f.id = p.id
 ORDER BY p.updated_at DESC, p.id

-- conversation_ids --
-- All of a user's conversations.
SELECT id FROM conversations WHERE user_id = :user_id ORDER BY id

-- delete_conversation --
-- Its messages are gone already.
DELETE FROM conversations WHERE user_id = :user_id AND id = :id

-- idle_conversations --
-- Conversations with active messages, in which the last message is old.
SELECT c.user_id, c.id
  FROM conversations c
 WHERE c.updated_at < :before
   AND EXISTS (SELECT 1 FROM messages m
                WHERE m.user_id = c.user_id AND m.conversation_id = c.id AND m.status = 'active'
                  AND m.role NOT IN ('summary', 'system'))
 ORDER BY c.updated_at, c.user_id, c.id

-- active_messages --
-- What a window may show: the newest turns, and whatever always belongs into it.
SELECT {message}
  FROM messages
 WHERE user_id = :user_id AND conversation_id = :conversation_id AND status = 'active'
   AND (role IN ('system', 'summary')
        OR sequence >= coalesce((SELECT n.sequence FROM messages n
                                  WHERE n.user_id = :user_id AND n.conversation_id = :conversation_id
                                    AND n.status = 'active'
                                  ORDER BY n.sequence DESC, n.said_at DESC, n.id DESC
                                  LIMIT 1 OFFSET :limit), 0))
 ORDER BY sequence, said_at, id

-- active_size --
-- How much there is that could be folded.
SELECT count(*) AS messages, coalesce(sum(tokens), 0) AS tokens
  FROM messages
 WHERE user_id = :user_id AND conversation_id = :conversation_id AND status = 'active'
   AND role <> 'system' AND (:tools::boolean OR (role <> 'tool' AND CAST(tool_calls AS text) = '[]'))

-- folded_messages --
-- How many messages a summary stands for, and how many are archived.
SELECT count(*) AS messages
  FROM messages
 WHERE user_id = :user_id AND conversation_id = :conversation_id AND status <> 'active'
   AND role <> 'summary' AND (:reasoning::boolean OR role <> 'reasoning')

-- last_messages --
-- What was said last, latest first.
SELECT {message}
  FROM messages
 WHERE user_id = :user_id AND conversation_id = :conversation_id AND sequence < :before AND role <> 'summary'
 ORDER BY sequence DESC, said_at DESC, id DESC
 LIMIT :limit

-- said_between --
-- What was said, the newest first.
SELECT {message}
  FROM messages
 WHERE user_id = :user_id AND {filters}
 ORDER BY said_at DESC, sequence DESC, id DESC
 LIMIT :limit

-- messages_by_role --
-- The messages of a user, by role.
SELECT role AS label, count(*) AS items FROM messages WHERE user_id = :user_id GROUP BY role ORDER BY role

-- untidy_messages --
-- Plain messages from before a moment that may not be worth keeping.
SELECT {message}
  FROM messages
 WHERE user_id = :user_id AND said_at < :before AND role IN ('user', 'assistant') AND coalesce(feedback, 0) < 1
   AND CAST(tool_calls AS text) = '[]' AND CAST(blocks AS text) = '[]' AND CAST(media AS text) = '[]'
   AND (length(content) < :short OR CAST(terms AS text) IN ('', '{}')
        OR lower(content) LIKE '%[system%' OR lower(content) LIKE '<system%')
 ORDER BY id
 LIMIT :limit

-- message_ids --
-- All of a conversation.
SELECT id FROM messages WHERE user_id = :user_id AND conversation_id = :conversation_id ORDER BY id

-- set_feedback --
-- What the user thought of an answer.
UPDATE messages SET feedback = :feedback, metadata = :metadata WHERE user_id = :user_id AND id = :id

-- disliked_messages --
-- What the user did not like.
SELECT {message} FROM messages WHERE user_id = :user_id AND feedback = -1 ORDER BY id

-- unlearned_messages --
-- Which of these have not been learned from yet.
SELECT id FROM messages WHERE user_id = :user_id AND NOT learned AND id = ANY(:ids::uuid[])

-- mark_learned --
-- What these teach has been kept.
UPDATE messages SET learned = true WHERE user_id = :user_id AND id = ANY(:ids::uuid[])

-- insert_reading --
-- A message is still to be read.
INSERT INTO jobs (user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, reason, created_at)
VALUES (:user_id, 'read', 'message', :item_id, -1, 0, :now, NULL, '', :now)
    ON CONFLICT DO NOTHING

-- unread_messages --
-- How many messages wait to be read and since when, how many were given up on, and why.
SELECT count(*) FILTER (WHERE due_at IS NOT NULL) AS waiting, count(*) FILTER (WHERE due_at IS NULL) AS parked,
       min(created_at) FILTER (WHERE due_at IS NOT NULL) AS oldest,
       coalesce(max(reason) FILTER (WHERE due_at IS NULL), '') AS reason
  FROM jobs WHERE space = -1

-- name_message --
-- Its host has told its own id for it.
UPDATE messages SET external_id = :external_id WHERE user_id = :user_id AND id = :id AND external_id = ''

-- insert_derivation --
-- One thing was made from another.
INSERT INTO derivations (user_id, made_kind, made_id, source_kind, source_id, created_at)
VALUES (:user_id, :made_kind, :made_id, :source_kind, :source_id, :now)
    ON CONFLICT DO NOTHING

-- add_spending --
-- A model was paid.
INSERT INTO spending (user_id, day, purpose, model, calls, input_tokens, output_tokens)
VALUES (:user_id, :day, :purpose, :model, 1, :input_tokens, :output_tokens)
    ON CONFLICT (user_id, day, purpose, model) DO UPDATE
   SET calls = spending.calls + 1, input_tokens = spending.input_tokens + excluded.input_tokens,
       output_tokens = spending.output_tokens + excluded.output_tokens

-- spent_by_all --
-- What all users together spent on language models on a day.
SELECT coalesce(sum(input_tokens), 0) AS input_tokens, coalesce(sum(output_tokens), 0) AS output_tokens
  FROM spending
 WHERE day = :day AND purpose <> 'embedding'

-- set_status --
-- Messages that were folded into a summary, put away, or taken out again.
UPDATE messages SET status = :status WHERE user_id = :user_id AND id = ANY(:ids::uuid[])

-- delete_messages --
-- The rows themselves; terms, vectors and jobs go in the same transaction.
DELETE FROM messages WHERE user_id = :user_id AND id = ANY(:ids::uuid[])

-- sources_of --
-- What these were made from.
SELECT made_kind, made_id, source_kind, source_id
  FROM derivations
 WHERE user_id = :user_id AND made_id = ANY(:ids::uuid[])
 ORDER BY made_id, source_id

-- made_from --
-- What was made from these.
SELECT made_kind, made_id, source_kind, source_id
  FROM derivations
 WHERE user_id = :user_id AND source_id = ANY(:ids::uuid[])
 ORDER BY made_id, source_id

-- changed_sayings --
-- Which memories that these items are, or taught, were replaced or have earlier versions. In this order of tables: else SQLite
-- looks through all memories of the user.
SELECT m.id AS item, m.id AS memory
  FROM memories m
 WHERE m.user_id = :user_id AND m.id = ANY(:ids::uuid[])
   AND (m.superseded_by IS NOT NULL
        OR EXISTS (SELECT 1 FROM memories v WHERE v.user_id = :user_id AND v.superseded_by = m.id))
 UNION ALL
SELECT d.source_id, m.id
  FROM derivations d CROSS JOIN memories m
 WHERE d.user_id = :user_id AND d.source_id = ANY(:ids::uuid[]) AND d.made_kind = 'memory'
   AND m.user_id = :user_id AND m.id = d.made_id
   AND (m.superseded_by IS NOT NULL
        OR EXISTS (SELECT 1 FROM memories v WHERE v.user_id = :user_id AND v.superseded_by = m.id))

-- versions_around --
-- Of these memories: themselves, the versions that each replaced, and what holds now.
WITH RECURSIVE
later (seed, id, next) AS (
    SELECT id, id, superseded_by FROM memories WHERE user_id = :user_id AND id = ANY(:ids::uuid[])
    UNION
    SELECT l.seed, m.id, m.superseded_by
      FROM later l CROSS JOIN memories m
     WHERE m.user_id = :user_id AND m.id = l.next
),
told (seed, id) AS (
    SELECT seed, id FROM later WHERE next IS NULL OR id = seed
    UNION ALL
    SELECT l.seed, v.id
      FROM later l CROSS JOIN memories v
     WHERE l.id = l.seed AND v.user_id = :user_id AND v.superseded_by = l.seed
)
SELECT {record}, seed
  FROM (SELECT m.*, t.seed FROM told t CROSS JOIN memories m WHERE m.user_id = :user_id AND m.id = t.id) found
 ORDER BY id DESC, seed
 LIMIT :limit

-- delete_derivations --
-- Every note about these.
DELETE FROM derivations
 WHERE user_id = :user_id
   AND (made_id = ANY(:ids::uuid[]) OR source_id = ANY(:ids::uuid[]))

-- tombstones --
-- Which of these were forgotten, and when.
SELECT fingerprint, forgotten_at
  FROM tombstones
 WHERE user_id = :user_id AND fingerprint = ANY(:fingerprints::text[])

-- any_tombstone --
-- Whether anything was forgotten for good.
SELECT 1 AS one FROM tombstones WHERE user_id = :user_id LIMIT 1

-- lift_tombstones --
-- It was said again, after it was forgotten.
DELETE FROM tombstones
 WHERE user_id = :user_id AND fingerprint = ANY(:fingerprints::text[])

-- delete_tombstones --
-- What was forgotten may come again.
DELETE FROM tombstones WHERE user_id = :user_id

-- indexed_messages --
-- The same for messages.
SELECT {message}, terms
  FROM messages
 WHERE user_id = :user_id AND id > :after
 ORDER BY id
 LIMIT :limit

-- embedded_by_all --
-- How many tokens of all users' texts each model embedded on a day.
SELECT model, sum(input_tokens) AS tokens
  FROM spending
 WHERE day = :day AND purpose = 'embedding'
 GROUP BY model
 ORDER BY model
