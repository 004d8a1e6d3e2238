-- Every query has a twin of the same name in the other dialect, with the same parameters and the same result columns.
-- Terms arrive as an array.

-- lock_user --
-- Starts a write: from here on nobody else writes for this user.
INSERT INTO users (user_id, generation, resets, memories)
VALUES (%(user_id)s, 1, 0, 0)
    ON CONFLICT (user_id) DO UPDATE SET generation = users.generation + 1

-- count_user --
-- Keeps the user's figures true, in the transaction that changes them.
UPDATE users
   SET memories = memories + %(added)s, resets = resets + %(resets)s
 WHERE user_id = %(user_id)s

-- user_figures --
-- Tells whether what is kept in memory about a user is still true.
SELECT generation, resets, memories FROM users WHERE user_id = %(user_id)s

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
 ORDER BY id DESC
 LIMIT 1

-- retire_memory --
-- Ends a row's validity in favour of another.
UPDATE memories
   SET valid_until = %(valid_until)s, superseded_by = %(superseded_by)s
 WHERE user_id = %(user_id)s AND id = %(id)s

-- confirm_memory --
-- The same was said by a better source.
UPDATE memories
   SET trust = %(trust)s, source = %(source)s, updated_at = %(now)s
 WHERE user_id = %(user_id)s AND id = %(id)s AND trust < %(trust)s

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
  FROM memories
 WHERE user_id = %(user_id)s AND terms && %(terms)s AND {filters}
 LIMIT %(limit)s

-- term_frequency --
-- How many of the user's rows hold a term.
SELECT count(*) AS frequency FROM memories WHERE user_id = %(user_id)s AND terms && %(terms)s

-- insert_job --
-- A row is owed a vector.
INSERT INTO jobs (user_id, id, kind, item_id, attempts, due_at, lease_until, reason, created_at)
VALUES (%(user_id)s, %(id)s, %(kind)s, %(item_id)s, 0, %(now)s, NULL, '', %(now)s)
    ON CONFLICT DO NOTHING

-- claim_jobs --
-- Takes jobs that are due and that nobody holds.
UPDATE jobs
   SET lease_until = %(lease_until)s, attempts = attempts + 1
 WHERE user_id = %(user_id)s AND id IN (
       SELECT id FROM jobs
        WHERE user_id = %(user_id)s AND due_at <= %(now)s AND (lease_until IS NULL OR lease_until <= %(now)s)
        ORDER BY id
        LIMIT %(limit)s
          FOR UPDATE SKIP LOCKED)
RETURNING id, item_id, attempts

-- delete_jobs --
-- Work that is done, or whose row is gone.
DELETE FROM jobs WHERE user_id = %(user_id)s AND item_id = ANY(%(ids)s::uuid[])

-- postpone_job --
-- Work that failed: again later, or never without a person.
UPDATE jobs SET due_at = %(due_at)s, lease_until = NULL, reason = %(reason)s WHERE user_id = %(user_id)s AND id = %(id)s

-- rename_jobs --
-- The job follows the text it was made for.
UPDATE jobs SET item_id = %(version_id)s WHERE user_id = %(user_id)s AND item_id = %(id)s

-- due_users --
-- Who has work waiting.
SELECT DISTINCT user_id FROM jobs WHERE due_at <= %(now)s AND (lease_until IS NULL OR lease_until <= %(now)s)
 ORDER BY user_id

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

-- job_counts --
-- What a user is owed.
SELECT count(*) FILTER (WHERE due_at IS NOT NULL) AS pending, count(*) FILTER (WHERE due_at IS NULL) AS parked
  FROM jobs
 WHERE user_id = %(user_id)s

-- store_counts --
-- The size of the whole store, in numbers that belong to nobody.
SELECT (SELECT count(*) FROM users WHERE memories > 0) AS users,
       (SELECT coalesce(sum(memories), 0) FROM users) AS memories,
       (SELECT count(*) FROM jobs WHERE due_at IS NOT NULL) AS pending,
       (SELECT count(*) FROM jobs WHERE due_at IS NULL) AS parked

-- list_spaces --
-- The embedding spaces that have tables.
SELECT number, provider, model, revision, prefix_scheme, dimensions, normalised FROM embedding_spaces ORDER BY number

-- insert_space --
-- Registers a space; its tables are made in the same transaction.
INSERT INTO embedding_spaces (number, provider, model, revision, prefix_scheme, dimensions, normalised, created_at)
VALUES (%(number)s, %(provider)s, %(model)s, %(revision)s, %(prefix_scheme)s, %(dimensions)s, %(normalised)s, %(now)s)
