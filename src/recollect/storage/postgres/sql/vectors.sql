-- Embedding spaces, the work that is owed in them, and what was paid for. Like queries.sql, a twin of the other dialect's.

-- list_spaces --
-- The embedding spaces that have tables.
SELECT number, kind, provider, model, revision, prefix_scheme, dimensions, normalised, state, created_at,
       unrelated
  FROM embedding_spaces ORDER BY number

-- insert_space --
-- Registers a space; its tables are made in the same transaction.
INSERT INTO embedding_spaces (
    number, kind, provider, model, revision, prefix_scheme, dimensions, normalised, state, created_at)
VALUES (%(number)s, %(kind)s, %(provider)s, %(model)s, %(revision)s, %(prefix_scheme)s, %(dimensions)s, %(normalised)s, %(state)s, %(now)s)

-- set_space_state --
-- What a space is used for.
UPDATE embedding_spaces SET state = %(state)s WHERE number = %(number)s

-- set_unrelated --
-- What a cosine is worth in a space.
UPDATE embedding_spaces SET unrelated = %(unrelated)s WHERE number = %(number)s

-- delete_space --
-- Forgets a space, whose tables are gone.
DELETE FROM embedding_spaces WHERE number = %(number)s

-- insert_job --
-- An item is owed a vector in a space.
INSERT INTO jobs (user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, reason, created_at)
VALUES (%(user_id)s, 'embed', %(item_kind)s, %(item_id)s, %(space)s, 0, %(now)s, NULL, '', %(now)s)
    ON CONFLICT DO NOTHING

-- claim_jobs --
-- Takes jobs of a space that are due and that nobody holds, those of one user or of anybody, for this or for a batch.
UPDATE jobs
   SET lease_until = %(lease_until)s, bulk = %(bulk)s
 WHERE (user_id, item_id, space, kind) IN (
       SELECT user_id, item_id, space, kind FROM jobs
        WHERE space = %(space)s AND due_at <= %(now)s AND (lease_until IS NULL OR lease_until <= %(now)s) AND bulk = ''
          AND (%(only_user)s = '' OR user_id = %(only_user)s)
        ORDER BY due_at, item_id
        LIMIT %(limit)s
          FOR UPDATE SKIP LOCKED)
RETURNING user_id, item_id, item_kind, attempts

-- delete_jobs --
-- Work whose item is gone.
DELETE FROM jobs WHERE user_id = %(user_id)s AND item_id = ANY(%(ids)s::uuid[])

-- finish_jobs --
-- Work that is done; says of which items.
DELETE FROM jobs WHERE user_id = %(user_id)s AND space = %(space)s AND item_id = ANY(%(ids)s::uuid[])
RETURNING item_id AS id

-- postpone_jobs --
-- Work that failed: again later, or never without a person.
UPDATE jobs
   SET due_at = %(due_at)s, lease_until = NULL, bulk = '', reason = %(reason)s, attempts = attempts + %(failures)s
 WHERE user_id = %(user_id)s AND space = %(space)s AND item_id = ANY(%(ids)s::uuid[])

-- rename_jobs --
-- The job follows the text it was made for.
UPDATE jobs SET item_id = %(version_id)s WHERE user_id = %(user_id)s AND item_id = %(id)s

-- parked_jobs --
-- What nobody will try again by itself.
SELECT user_id, item_kind, item_id, space, attempts, reason
  FROM jobs WHERE due_at IS NULL AND kind = 'embed' ORDER BY created_at, item_id LIMIT %(limit)s

-- revive_jobs --
-- Lets parked work be tried again.
UPDATE jobs SET due_at = %(now)s, attempts = 0 WHERE due_at IS NULL

-- jobs_of_space --
-- How much work a space is owed, and since when.
SELECT count(*) FILTER (WHERE due_at IS NOT NULL) AS waiting, count(*) FILTER (WHERE due_at IS NULL) AS parked,
       min(created_at) FILTER (WHERE due_at IS NOT NULL) AS oldest
  FROM jobs WHERE space = %(space)s

-- delete_jobs_of_space --
-- Nobody needs vectors in this space any more.
DELETE FROM jobs WHERE space = %(space)s

-- jobs_of_bulk --
-- The work that is part of a batch.
SELECT user_id, item_id, item_kind, attempts FROM jobs WHERE bulk = %(bulk)s AND space = %(space)s

-- release_bulk --
-- The batch is over; what it did not do is due again.
UPDATE jobs SET bulk = '', lease_until = NULL, due_at = %(now)s, reason = %(reason)s WHERE bulk = %(bulk)s AND due_at IS NOT NULL

-- save_bulk --
-- Notes a batch, new or changed.
INSERT INTO bulk_batches (id, space, provider_id, state, texts, done, tokens, reason, submitted_at, checked_at)
VALUES (%(id)s, %(space)s, %(provider_id)s, %(state)s, %(texts)s, %(done)s, %(tokens)s, %(reason)s, %(submitted_at)s, %(checked_at)s)
    ON CONFLICT (id) DO UPDATE SET provider_id = excluded.provider_id, state = excluded.state, texts = excluded.texts, done = excluded.done,
       tokens = excluded.tokens, reason = excluded.reason, checked_at = excluded.checked_at

-- delete_bulk --
-- A batch that came to nothing.
DELETE FROM bulk_batches WHERE id = %(id)s

-- list_bulks --
-- The batches, the newest first.
SELECT id, space, provider_id, state, texts, done, tokens, reason, submitted_at, checked_at
  FROM bulk_batches ORDER BY submitted_at DESC, id LIMIT %(limit)s

-- open_bulks --
-- The batches of a space that are not over, however many, the oldest first.
SELECT id, space, provider_id, state, texts, done, tokens, reason, submitted_at, checked_at
  FROM bulk_batches WHERE space = %(space)s AND state IN ('submitting', 'running', 'collecting') ORDER BY submitted_at, id

-- failed_bulks --
-- The batches of a space that failed of late.
SELECT id, space, provider_id, state, texts, done, tokens, reason, submitted_at, checked_at
  FROM bulk_batches WHERE space = %(space)s AND state = 'failed' AND checked_at > %(since)s ORDER BY submitted_at, id

-- change_bulk --
-- Notes how a batch has changed, unless somebody else has changed it meanwhile.
UPDATE bulk_batches
   SET provider_id = %(provider_id)s, state = %(state)s, texts = %(texts)s, done = %(done)s, tokens = %(tokens)s,
       reason = %(reason)s, checked_at = %(checked_at)s
 WHERE id = %(id)s AND state = %(was_state)s AND checked_at = %(was_checked_at)s

-- forget_bulks --
-- Batches that have been over for long.
DELETE FROM bulk_batches WHERE state IN ('collected', 'failed', 'cancelled') AND checked_at < %(before)s

-- delete_bulks_of_space --
-- Nobody needs the batches of this space any more.
DELETE FROM bulk_batches WHERE space = %(space)s

-- cached_vectors --
-- What was paid for already.
SELECT key, vector FROM embedding_cache
 WHERE user_id = %(user_id)s AND space = %(space)s AND role = %(role)s AND key = ANY(%(keys)s)

-- insert_cached --
-- Keeps what was paid for.
INSERT INTO embedding_cache (user_id, key, space, role, item_id, vector, kept_at)
VALUES (%(user_id)s, %(key)s, %(space)s, %(role)s, %(item_id)s, %(vector)s, %(now)s)
    ON CONFLICT DO NOTHING

-- user_resets --
-- Whether anything was forgotten meanwhile.
SELECT resets FROM users WHERE user_id = %(user_id)s

-- forget_cached_items --
-- With an item goes what was made of its text.
DELETE FROM embedding_cache WHERE user_id = %(user_id)s AND item_id = ANY(%(ids)s)

-- forget_cached_questions --
-- And what a user has asked, which may have been about it.
DELETE FROM embedding_cache WHERE user_id = %(user_id)s AND role = 'query'

-- forget_cached_all --
-- With a user goes everything.
DELETE FROM embedding_cache WHERE user_id = %(user_id)s

-- forget_cache_uses --
-- Also how often it was of use.
DELETE FROM embedding_cache_uses WHERE user_id = %(user_id)s

-- forget_cached_space --
-- What nobody will ask for again.
DELETE FROM embedding_cache WHERE space = %(space)s

-- cache_size --
-- What the cache occupies, of one user or of all of them.
SELECT count(*) AS entries, coalesce(sum(length(vector)), 0) AS bytes
  FROM embedding_cache WHERE %(only_user)s = '' OR user_id = %(only_user)s

-- trim_cache --
-- Makes room: the oldest go first.
DELETE FROM embedding_cache WHERE (user_id, key, space, role) IN (
       SELECT user_id, key, space, role FROM embedding_cache ORDER BY kept_at, key LIMIT %(amount)s)

-- count_cache_uses --
-- How often the cache knew, and how often it did not.
INSERT INTO embedding_cache_uses (user_id, hits, misses) VALUES (%(user_id)s, %(hits)s, %(misses)s)
    ON CONFLICT (user_id) DO UPDATE SET hits = embedding_cache_uses.hits + excluded.hits,
       misses = embedding_cache_uses.misses + excluded.misses

-- cache_uses --
-- The same of one user, or of all of them.
SELECT coalesce(sum(hits), 0) AS hits, coalesce(sum(misses), 0) AS misses
  FROM embedding_cache_uses WHERE %(only_user)s = '' OR user_id = %(only_user)s

-- job_counts --
-- What a user is owed in the space that is searched.
SELECT count(*) FILTER (WHERE j.due_at IS NOT NULL) AS pending, count(*) FILTER (WHERE j.due_at IS NULL) AS parked
  FROM jobs j JOIN embedding_spaces s ON s.number = j.space AND s.state = 'active'
 WHERE j.user_id = %(user_id)s

-- characters --
-- How much text there is to embed.
SELECT (SELECT coalesce(sum(length(content)), 0) FROM memories) + (SELECT coalesce(sum(length(content)), 0) FROM messages)
       + (SELECT coalesce(sum(length(content)), 0) FROM chunks) AS characters
