-- Every query has a twin of the same name in the other dialect, with the same parameters and the same result columns.
-- Terms arrive as an array.

-- lock_user --
-- Starts a write: from here on nobody else writes for this user.
INSERT INTO users (user_id, generation, resets, memories, messages, chunks)
VALUES (%(user_id)s, 1, 0, 0, 0, 0)
    ON CONFLICT (user_id) DO UPDATE SET generation = users.generation + 1

-- count_user --
-- Keeps the user's figures true, in the transaction that changes them.
UPDATE users
   SET memories = memories + %(memories)s, messages = messages + %(messages)s, chunks = chunks + %(chunks)s,
       resets = resets + %(resets)s
 WHERE user_id = %(user_id)s

-- user_figures --
-- Tells whether what is kept in memory about a user is still true.
SELECT generation, resets, memories, messages, chunks FROM users WHERE user_id = %(user_id)s

-- get_memories --
-- Rows by id, live or not.
SELECT {record}
  FROM memories
 WHERE user_id = %(user_id)s AND id = ANY(%(ids)s::uuid[])

-- select_memories --
-- A listing, newest first.
SELECT {record}
  FROM memories
 WHERE user_id = %(user_id)s AND id < %(before)s AND {filters}
 ORDER BY id DESC
 LIMIT %(limit)s

-- count_memories --
-- How many rows pass.
SELECT count(*) AS memories FROM memories WHERE user_id = %(user_id)s AND {filters}

-- timeline --
-- What happened, the newest first.
SELECT {record}
  FROM memories
 WHERE user_id = %(user_id)s AND {filters}
 ORDER BY coalesce(occurred_at, created_at) DESC, id DESC
 LIMIT %(limit)s

-- subjects --
-- What there is something to know about.
SELECT DISTINCT subject FROM memories WHERE user_id = %(user_id)s AND subject <> '' AND {filters} ORDER BY subject

-- memory_chain --
-- All versions of one thing: up to the newest, then everything that it replaced.
WITH RECURSIVE
up (id, next) AS (
    SELECT id, superseded_by FROM memories WHERE user_id = %(user_id)s AND id = %(id)s
    UNION
    SELECT m.id, m.superseded_by FROM memories m JOIN up ON m.user_id = %(user_id)s AND m.id = up.next
),
family (id) AS (
    SELECT id FROM up WHERE next IS NULL
    UNION
    SELECT m.id FROM memories m JOIN family ON m.user_id = %(user_id)s AND m.superseded_by = family.id
)
SELECT {record}
  FROM memories
 WHERE user_id = %(user_id)s AND id IN (SELECT id FROM family)
 ORDER BY superseded_by IS NULL, valid_from, id

-- same_memory --
-- The live row that says the same.
SELECT {record}
  FROM memories
 WHERE user_id = %(user_id)s AND content_hash = %(content_hash)s AND type = %(type)s AND subject = %(subject)s AND key = %(key)s
   AND context = %(context)s AND superseded_by IS NULL

-- current_memory --
-- The live row that holds a slot. Events and experiences happen side by side and hold none.
SELECT {record}
  FROM memories
 WHERE user_id = %(user_id)s AND subject = %(subject)s AND key = %(key)s AND context = %(context)s AND key <> ''
   AND superseded_by IS NULL AND type NOT IN ('event', 'experience', 'session_summary')
   AND (type = 'preference') = %(preference)s
 ORDER BY id DESC
 LIMIT 1

-- retire_memory --
-- Ends a row's validity in favour of another.
UPDATE memories
   SET valid_until = %(valid_until)s, superseded_by = %(superseded_by)s
 WHERE user_id = %(user_id)s AND id = %(id)s

-- revive_memory --
-- What replaced it is gone: it holds again.
UPDATE memories SET superseded_by = NULL, valid_until = NULL WHERE user_id = %(user_id)s AND id = %(id)s

-- confirm_memory --
-- The same was said again.
UPDATE memories
   SET trust = %(trust)s, source = %(source)s, confidence = %(confidence)s, updated_at = %(now)s
 WHERE user_id = %(user_id)s AND id = %(id)s

-- rename_memory --
-- Turns the present row into a version of the past; its terms and vector stay with it.
UPDATE memories
   SET id = %(version_id)s, superseded_by = %(id)s, valid_until = %(valid_until)s
 WHERE user_id = %(user_id)s AND id = %(id)s

-- relink_versions --
-- Before a version goes, those that it replaced point to what replaced it.
UPDATE memories SET superseded_by = %(to_id)s WHERE user_id = %(user_id)s AND superseded_by = %(from_id)s

-- delete_memories --
-- The rows themselves; terms, vectors and jobs go in the same transaction.
DELETE FROM memories WHERE user_id = %(user_id)s AND id = ANY(%(ids)s::uuid[])

-- all_memory_ids --
-- Everything a user has, of any validity.
SELECT id FROM memories WHERE user_id = %(user_id)s ORDER BY id

-- text_candidates --
-- Rows that share a term with the query.
SELECT id, terms
  FROM {rows}
 WHERE user_id = %(user_id)s AND terms && %(terms)s AND {filters}
 LIMIT %(limit)s

-- term_frequency --
-- How many of the user's rows hold a term.
SELECT count(*) AS frequency FROM {rows} WHERE user_id = %(user_id)s AND terms && %(terms)s

-- type_counts --
-- What a user has, by type and state.
SELECT type,
       count(*) FILTER (WHERE superseded_by IS NULL AND (expires_at IS NULL OR expires_at > %(now)s)
                          AND (valid_until IS NULL OR valid_until > %(now)s)) AS live,
       count(*) FILTER (WHERE superseded_by IS NOT NULL) AS superseded,
       count(*) FILTER (WHERE superseded_by IS NULL AND (expires_at <= %(now)s OR valid_until <= %(now)s)) AS expired,
       min(created_at) AS oldest, max(created_at) AS newest
  FROM memories
 WHERE user_id = %(user_id)s
 GROUP BY type
 ORDER BY type

-- store_counts --
-- The size of the whole store, in numbers that belong to nobody.
SELECT (SELECT count(*) FROM users WHERE memories > 0 OR messages > 0 OR chunks > 0) AS users,
       (SELECT coalesce(sum(memories), 0) FROM users) AS memories,
       (SELECT coalesce(sum(messages), 0) FROM users) AS messages,
       (SELECT coalesce(sum(chunks), 0) FROM users) AS chunks,
       (SELECT count(*) FROM files) AS files,
       (SELECT count(*) FROM jobs j JOIN embedding_spaces s ON s.number = j.space
         WHERE s.state = 'active' AND j.due_at IS NOT NULL) AS pending,
       (SELECT count(*) FROM jobs j JOIN embedding_spaces s ON s.number = j.space
         WHERE s.state = 'active' AND j.due_at IS NULL) AS parked

-- expired_users --
-- Who has memories past their expiry.
SELECT DISTINCT user_id FROM memories WHERE expires_at <= %(now)s ORDER BY user_id

-- expired_memories --
-- The memories of one user that are past their expiry.
SELECT id FROM memories WHERE user_id = %(user_id)s AND expires_at <= %(now)s

-- memories_of_session --
-- What was stored in a session, of any validity.
SELECT id FROM memories WHERE user_id = %(user_id)s AND session_id = %(session)s ORDER BY id

-- memories_of_source --
-- What came from a source, of any validity.
SELECT id FROM memories WHERE user_id = %(user_id)s AND source = %(source)s ORDER BY id

-- get_conversation --
-- One conversation.
SELECT {conversation} FROM conversations WHERE user_id = %(user_id)s AND id = %(id)s

-- save_conversation --
-- A conversation begins, goes on, or is being compacted.
INSERT INTO conversations (
    user_id, id, private, last_sequence, compacting_until, metadata, created_at, updated_at)
VALUES (
    %(user_id)s, %(id)s, %(private)s, %(last_sequence)s, %(compacting_until)s, %(metadata)s, %(created_at)s, %(updated_at)s)
    ON CONFLICT (user_id, id) DO UPDATE
   SET private = excluded.private, last_sequence = excluded.last_sequence,
       compacting_until = excluded.compacting_until, metadata = excluded.metadata, updated_at = excluded.updated_at

-- list_conversations --
-- Conversations with their figures, the latest first.
SELECT c.id, c.private,
       (SELECT count(*) FROM messages m
         WHERE m.user_id = c.user_id AND m.conversation_id = c.id AND m.role <> 'summary') AS messages,
       (SELECT count(*) FROM messages m
         WHERE m.user_id = c.user_id AND m.conversation_id = c.id AND m.role <> 'summary' AND m.status = 'active')
         AS active_messages,
       (SELECT coalesce(sum(m.tokens), 0) FROM messages m
         WHERE m.user_id = c.user_id AND m.conversation_id = c.id AND m.role <> 'summary') AS tokens,
       (SELECT coalesce(sum(m.tokens), 0) FROM messages m
         WHERE m.user_id = c.user_id AND m.conversation_id = c.id AND m.status = 'active') AS active_tokens,
       c.metadata, c.created_at, c.updated_at
  FROM conversations c
 WHERE c.user_id = %(user_id)s AND c.id = coalesce(%(id)s::text, c.id)
   AND (%(before)s::timestamptz IS NULL OR c.updated_at < %(before)s
        OR (c.updated_at = %(before)s AND c.id > %(before_id)s))
 ORDER BY c.updated_at DESC, c.id
 LIMIT %(limit)s

-- conversation_ids --
-- All of a user's conversations.
SELECT id FROM conversations WHERE user_id = %(user_id)s ORDER BY id

-- delete_conversation --
-- Its messages are gone already.
DELETE FROM conversations WHERE user_id = %(user_id)s AND id = %(id)s

-- idle_conversations --
-- Where something active lies, but nobody has spoken for long.
SELECT c.user_id, c.id
  FROM conversations c
 WHERE c.updated_at < %(before)s
   AND EXISTS (SELECT 1 FROM messages m
                WHERE m.user_id = c.user_id AND m.conversation_id = c.id AND m.status = 'active'
                  AND m.role NOT IN ('summary', 'system'))
 ORDER BY c.updated_at, c.user_id, c.id

-- active_messages --
-- What a window may show: the newest turns, and whatever always belongs into it.
SELECT {message}
  FROM messages
 WHERE user_id = %(user_id)s AND conversation_id = %(conversation_id)s AND status = 'active'
   AND (role IN ('system', 'summary')
        OR sequence >= coalesce((SELECT n.sequence FROM messages n
                                  WHERE n.user_id = %(user_id)s AND n.conversation_id = %(conversation_id)s
                                    AND n.status = 'active'
                                  ORDER BY n.sequence DESC, n.said_at DESC, n.id DESC
                                  LIMIT 1 OFFSET %(limit)s), 0))
 ORDER BY sequence, said_at, id

-- active_size --
-- How much there is that could be folded.
SELECT count(*) AS messages, coalesce(sum(tokens), 0) AS tokens
  FROM messages
 WHERE user_id = %(user_id)s AND conversation_id = %(conversation_id)s AND status = 'active'
   AND role <> 'system'

-- last_messages --
-- What was said last, latest first.
SELECT {message}
  FROM messages
 WHERE user_id = %(user_id)s AND conversation_id = %(conversation_id)s AND sequence < %(before)s AND role <> 'summary'
 ORDER BY sequence DESC, said_at DESC, id DESC
 LIMIT %(limit)s

-- around_messages --
-- Messages and what was said before and after each of them.
SELECT id, conversation_id, sequence, role, speaker, tokens, trust, said_at,
       right(rtrim(content), 1) IN ('?', '？', '؟') AS asks,
       lat, lng, address, place_label
  FROM messages
  JOIN (SELECT conversation_id AS seed_conversation, sequence AS seed_sequence
          FROM messages
         WHERE user_id = %(user_id)s AND id = ANY(%(ids)s::uuid[])) AS seeds
    ON conversation_id = seed_conversation
   AND sequence BETWEEN seed_sequence - %(reach)s AND seed_sequence + %(reach)s
 WHERE user_id = %(user_id)s AND {filters}

-- said_between --
-- What was said, the newest first.
SELECT {message}
  FROM messages
 WHERE user_id = %(user_id)s AND {filters}
 ORDER BY said_at DESC, sequence DESC, id DESC
 LIMIT %(limit)s

-- message_ids --
-- All of a conversation.
SELECT id FROM messages WHERE user_id = %(user_id)s AND conversation_id = %(conversation_id)s ORDER BY id

-- set_feedback --
-- What the user thought of an answer.
UPDATE messages SET feedback = %(feedback)s WHERE user_id = %(user_id)s AND id = %(id)s

-- unlearned_messages --
-- Which of these nobody has learned from yet.
SELECT id FROM messages WHERE user_id = %(user_id)s AND NOT learned AND id = ANY(%(ids)s::uuid[])

-- mark_learned --
-- What these teach has been kept.
UPDATE messages SET learned = true WHERE user_id = %(user_id)s AND id = ANY(%(ids)s::uuid[])

-- name_message --
-- Its host has told its own id for it.
UPDATE messages SET external_id = %(external_id)s WHERE user_id = %(user_id)s AND id = %(id)s AND external_id = ''

-- insert_derivation --
-- One thing was made from another.
INSERT INTO derivations (user_id, made_kind, made_id, source_kind, source_id, created_at)
VALUES (%(user_id)s, %(made_kind)s, %(made_id)s, %(source_kind)s, %(source_id)s, %(now)s)
    ON CONFLICT DO NOTHING

-- add_spending --
-- A model was paid.
INSERT INTO spending (user_id, day, purpose, model, calls, input_tokens, output_tokens)
VALUES (%(user_id)s, %(day)s, %(purpose)s, %(model)s, 1, %(input_tokens)s, %(output_tokens)s)
    ON CONFLICT (user_id, day, purpose, model) DO UPDATE
   SET calls = spending.calls + 1, input_tokens = spending.input_tokens + excluded.input_tokens,
       output_tokens = spending.output_tokens + excluded.output_tokens

-- spent_by_all --
-- What everybody together spent on language models on a day.
SELECT coalesce(sum(input_tokens), 0) AS input_tokens, coalesce(sum(output_tokens), 0) AS output_tokens
  FROM spending
 WHERE day = %(day)s AND purpose <> 'embedding'

-- get_messages --
-- Messages by id.
SELECT {message}
  FROM messages
 WHERE user_id = %(user_id)s AND id = ANY(%(ids)s::uuid[])

-- delivered_messages --
-- Messages by the ids that their host has for them.
SELECT {message}
  FROM messages
 WHERE user_id = %(user_id)s AND conversation_id = %(conversation_id)s AND external_id = ANY(%(ids)s::text[])
   AND external_id <> ''

-- set_status --
-- Messages that were folded into a summary, put away, or taken out again.
UPDATE messages SET status = %(status)s WHERE user_id = %(user_id)s AND id = ANY(%(ids)s::uuid[])

-- delete_messages --
-- The rows themselves; terms, vectors and jobs go in the same transaction.
DELETE FROM messages WHERE user_id = %(user_id)s AND id = ANY(%(ids)s::uuid[])

-- sources_of --
-- What these were made from.
SELECT made_kind, made_id, source_kind, source_id
  FROM derivations
 WHERE user_id = %(user_id)s AND made_id = ANY(%(ids)s::uuid[])
 ORDER BY made_id, source_id

-- made_from --
-- What was made from these.
SELECT made_kind, made_id, source_kind, source_id
  FROM derivations
 WHERE user_id = %(user_id)s AND source_id = ANY(%(ids)s::uuid[])
 ORDER BY made_id, source_id

-- delete_derivations --
-- Every note about these.
DELETE FROM derivations
 WHERE user_id = %(user_id)s
   AND (made_id = ANY(%(ids)s::uuid[]) OR source_id = ANY(%(ids)s::uuid[]))

-- insert_tombstone --
-- This was forgotten.
INSERT INTO tombstones (user_id, fingerprint, forgotten_at)
VALUES (%(user_id)s, %(fingerprint)s, %(now)s)
    ON CONFLICT DO NOTHING

-- tombstones --
-- Which of these were forgotten, and when.
SELECT fingerprint, forgotten_at
  FROM tombstones
 WHERE user_id = %(user_id)s AND fingerprint = ANY(%(fingerprints)s::text[])

-- lift_tombstones --
-- It was said again, after it was forgotten.
DELETE FROM tombstones
 WHERE user_id = %(user_id)s AND fingerprint = ANY(%(fingerprints)s::text[])

-- delete_tombstones --
-- Whoever forgets everything leaves no trace.
DELETE FROM tombstones WHERE user_id = %(user_id)s

-- indexed_memories --
-- Rows with the terms they are found by, in the order of their ids.
SELECT {record}, terms
  FROM memories
 WHERE user_id = %(user_id)s AND id > %(after)s
 ORDER BY id
 LIMIT %(limit)s

-- indexed_messages --
-- The same for messages.
SELECT {message}, terms
  FROM messages
 WHERE user_id = %(user_id)s AND id > %(after)s
 ORDER BY id
 LIMIT %(limit)s

-- update_terms --
-- The analyser reads a text in another way than before.
UPDATE {rows} SET terms = %(terms)s WHERE user_id = %(user_id)s AND id = %(id)s

-- users_with_rows --
-- Who has anything at all.
SELECT user_id FROM users WHERE memories > 0 OR messages > 0 OR chunks > 0 ORDER BY user_id

-- get_mark --
-- What is true of the store as a whole.
SELECT value FROM store_marks WHERE name = %(name)s

-- make_mark --
-- Says what is true of the store from now on, unless somebody has said it already.
INSERT INTO store_marks (name, value) VALUES (%(name)s, %(value)s) ON CONFLICT (name) DO NOTHING

-- set_mark --
-- It is so from now on.
INSERT INTO store_marks (name, value)
VALUES (%(name)s, %(value)s)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- embedded_by_all --
-- How many tokens of everybody's texts each model embedded on a day.
SELECT model, sum(input_tokens) AS tokens
  FROM spending
 WHERE day = %(day)s AND purpose = 'embedding'
 GROUP BY model
 ORDER BY model
