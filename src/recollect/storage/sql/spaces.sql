-- Embedding spaces, the queue of jobs in them, batches of a provider, and the cache of vectors.

-- list_spaces --
-- The embedding spaces that have tables.
SELECT number, kind, provider, model, revision, prefix_scheme, dimensions, normalised, state, created_at,
       unrelated
  FROM embedding_spaces ORDER BY number

-- insert_space --
-- Registers a space; its tables are made in the same transaction.
INSERT INTO embedding_spaces (
    number, kind, provider, model, revision, prefix_scheme, dimensions, normalised, state, created_at)
VALUES (:number, :kind, :provider, :model, :revision, :prefix_scheme, :dimensions, :normalised, :state, :now)

-- set_space_state --
-- What a space is used for.
UPDATE embedding_spaces SET state = :state WHERE number = :number

-- set_unrelated --
-- What a cosine is worth in a space.
UPDATE embedding_spaces SET unrelated = :unrelated WHERE number = :number

-- delete_space --
-- Forgets a space, whose tables are gone.
DELETE FROM embedding_spaces WHERE number = :number

-- insert_job --
-- An item is owed a vector in a space.
INSERT INTO jobs (user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, reason, created_at)
VALUES (:user_id, 'embed', :item_kind, :item_id, :space, 0, :now, NULL, '', :now)
    ON CONFLICT DO NOTHING

-- delete_jobs --
-- Work whose item is gone.
DELETE FROM jobs WHERE user_id = :user_id AND item_id = ANY(:ids::uuid[])

-- finish_jobs --
-- Work that is done; says of which items.
DELETE FROM jobs WHERE user_id = :user_id AND space = :space AND item_id = ANY(:ids::uuid[])
RETURNING item_id AS id

-- postpone_jobs --
-- Work that failed: again later, or never without a person.
UPDATE jobs
   SET due_at = :due_at, lease_until = NULL, bulk = '', reason = :reason, attempts = attempts + :failures
 WHERE user_id = :user_id AND space = :space AND item_id = ANY(:ids::uuid[])

-- rename_jobs --
-- The job follows the text it was made for.
UPDATE jobs SET item_id = :version_id WHERE user_id = :user_id AND item_id = :id

-- parked_jobs --
-- Parked jobs, which no worker tries again by itself.
SELECT user_id, item_kind, item_id, space, attempts, reason
  FROM jobs WHERE due_at IS NULL AND kind = 'embed' ORDER BY created_at, item_id LIMIT :limit

-- revive_jobs --
-- Lets parked work be tried again.
UPDATE jobs SET due_at = :now, attempts = 0 WHERE due_at IS NULL

-- jobs_of_space --
-- How much work a space is owed, and since when.
SELECT count(*) FILTER (WHERE due_at IS NOT NULL) AS waiting, count(*) FILTER (WHERE due_at IS NULL) AS parked,
       min(created_at) FILTER (WHERE due_at IS NOT NULL) AS oldest
  FROM jobs WHERE space = :space

-- delete_jobs_of_space --
-- No item needs a vector in this space any more.
DELETE FROM jobs WHERE space = :space

-- jobs_of_bulk --
-- The work that is part of a batch.
SELECT user_id, item_id, item_kind, attempts FROM jobs WHERE bulk = :bulk AND space = :space

-- release_bulk --
-- The batch is over; what it did not do is due again.
UPDATE jobs SET bulk = '', lease_until = NULL, due_at = :now, reason = :reason WHERE bulk = :bulk AND due_at IS NOT NULL

-- jobs_ahead --
-- How many jobs are due, or leased, later than any could be: the clock was ahead when they were written.
SELECT count(*) AS ahead FROM jobs WHERE due_at > :horizon OR lease_until > :horizon

-- recall_jobs_ahead --
-- The clock went back; what it had put off is due now.
UPDATE jobs SET due_at = :now, lease_until = NULL WHERE (due_at > :horizon OR lease_until > :horizon)

-- save_bulk --
-- Notes a batch, new or changed.
INSERT INTO bulk_batches (id, space, provider_id, state, texts, done, tokens, reason, submitted_at, checked_at)
VALUES (:id, :space, :provider_id, :state, :texts, :done, :tokens, :reason, :submitted_at, :checked_at)
    ON CONFLICT (id) DO UPDATE SET provider_id = excluded.provider_id, state = excluded.state, texts = excluded.texts, done = excluded.done,
       tokens = excluded.tokens, reason = excluded.reason, checked_at = excluded.checked_at

-- delete_bulk --
-- A batch that came to nothing.
DELETE FROM bulk_batches WHERE id = :id

-- list_bulks --
-- The batches, the newest first.
SELECT id, space, provider_id, state, texts, done, tokens, reason, submitted_at, checked_at
  FROM bulk_batches ORDER BY submitted_at DESC, id LIMIT :limit

-- open_bulks --
-- The batches of a space that are not over, however many, the oldest first.
SELECT id, space, provider_id, state, texts, done, tokens, reason, submitted_at, checked_at
  FROM bulk_batches WHERE space = :space AND state IN ('submitting', 'running', 'collecting') ORDER BY submitted_at, id

-- failed_bulks --
-- The batches of a space that failed of late.
SELECT id, space, provider_id, state, texts, done, tokens, reason, submitted_at, checked_at
  FROM bulk_batches WHERE space = :space AND state = 'failed' AND checked_at > :since ORDER BY submitted_at, id

-- change_bulk --
-- Notes how a batch has changed, unless another process has changed it meanwhile.
UPDATE bulk_batches
   SET provider_id = :provider_id, state = :state, texts = :texts, done = :done, tokens = :tokens,
       reason = :reason, checked_at = :checked_at
 WHERE id = :id AND state = :was_state AND checked_at = :was_checked_at

-- forget_bulks --
-- Batches that have been over for long.
DELETE FROM bulk_batches WHERE state IN ('collected', 'failed', 'cancelled') AND checked_at < :before

-- delete_bulks_of_space --
-- The batches of this space are no longer needed.
DELETE FROM bulk_batches WHERE space = :space

-- cached_vectors --
-- What was paid for already.
SELECT key, vector FROM embedding_cache
 WHERE user_id = :user_id AND space = :space AND role = :role AND key = ANY(:keys)

-- insert_cached --
-- Keeps what was paid for.
INSERT INTO embedding_cache (user_id, key, space, role, item_id, vector, kept_at)
VALUES (:user_id, :key, :space, :role, :item_id, :vector, :now)
    ON CONFLICT DO NOTHING

-- user_resets --
-- Whether anything was forgotten meanwhile.
SELECT resets FROM users WHERE user_id = :user_id

-- forget_cached_items --
-- With an item goes what was made of its text.
DELETE FROM embedding_cache WHERE user_id = :user_id AND item_id = ANY(:ids)

-- forget_cached_questions --
-- And what a user has asked, which may have been about it.
DELETE FROM embedding_cache WHERE user_id = :user_id AND role = 'query'

-- forget_cached_all --
-- With a user goes everything.
DELETE FROM embedding_cache WHERE user_id = :user_id

-- forget_cache_uses --
-- Also how often it was of use.
DELETE FROM embedding_cache_uses WHERE user_id = :user_id

-- forget_cached_space --
-- Entries of a space that is gone.
DELETE FROM embedding_cache WHERE space = :space

-- cache_size --
-- What the cache occupies, of one user or of all of them.
SELECT count(*) AS entries, coalesce(sum(length(vector)), 0) AS bytes
  FROM embedding_cache WHERE :only_user = '' OR user_id = :only_user

-- trim_cache --
-- Makes room: the oldest go first.
DELETE FROM embedding_cache WHERE (user_id, key, space, role) IN (
       SELECT user_id, key, space, role FROM embedding_cache ORDER BY kept_at, key LIMIT :amount)

-- count_cache_uses --
-- How often the cache knew, and how often it did not.
INSERT INTO embedding_cache_uses (user_id, hits, misses) VALUES (:user_id, :hits, :misses)
    ON CONFLICT (user_id) DO UPDATE SET hits = embedding_cache_uses.hits + excluded.hits,
       misses = embedding_cache_uses.misses + excluded.misses

-- cache_uses --
-- The same of one user, or of all of them.
SELECT coalesce(sum(hits), 0) AS hits, coalesce(sum(misses), 0) AS misses
  FROM embedding_cache_uses WHERE :only_user = '' OR user_id = :only_user

-- job_counts --
-- What a user is owed in the space that is searched.
SELECT count(*) FILTER (WHERE j.due_at IS NOT NULL) AS pending, count(*) FILTER (WHERE j.due_at IS NULL) AS parked
  FROM jobs j JOIN embedding_spaces s ON s.number = j.space AND s.state = 'active'
 WHERE j.user_id = :user_id

-- characters --
-- How much text there is to embed.
SELECT (SELECT coalesce(sum(length(content)), 0) FROM memories) + (SELECT coalesce(sum(length(content)), 0) FROM messages)
       + (SELECT coalesce(sum(length(content)), 0) FROM chunks) AS characters
