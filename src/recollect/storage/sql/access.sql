-- API keys, stored answers for idempotency, the order of changes, the audit log and the search log.

-- find_key --
-- A key by what is public of it.
SELECT id, name, user_id, scopes, created_at, expires_at, revoked_at, last_used_at, secret_hash FROM api_keys WHERE id = :id

-- list_keys --
-- All keys, oldest first.
SELECT id, name, user_id, scopes, created_at, expires_at, revoked_at, last_used_at FROM api_keys ORDER BY created_at, id

-- insert_key --
-- A new key.
INSERT INTO api_keys (id, name, user_id, scopes, secret_hash, created_at, expires_at)
VALUES (:id, :name, :user_id, :scopes, :secret_hash, :created_at, :expires_at)

-- revoke_key --
-- A key that opens nothing any more.
UPDATE api_keys SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL

-- close_expired_keys --
-- Keys whose time is over open nothing any more, also when the clock goes back.
UPDATE api_keys SET revoked_at = :now WHERE expires_at <= :now AND revoked_at IS NULL

-- delete_old_sessions --
-- One-time links and sessions of browsers that open nothing any more; of all keys only their ids begin with these letters.
DELETE FROM api_keys WHERE substr(id, 1, 1) IN ('l', 's') AND (expires_at <= :before OR revoked_at <= :before)

-- touch_key --
-- When a key was last used.
UPDATE api_keys SET last_used_at = :now WHERE id = :id

-- get_answer --
-- What a request was answered, if it came before.
SELECT request_hash, body FROM answers WHERE user_id = :user_id AND key = :key AND kept_at > :since

-- keep_answer --
-- The answer to a request, in the transaction that carries it out.
INSERT INTO answers (user_id, key, request_hash, body, private, kept_at)
VALUES (:user_id, :key, :request_hash, :body, :private, :now)
    ON CONFLICT (user_id, key) DO UPDATE
   SET request_hash = excluded.request_hash, body = excluded.body, private = excluded.private, kept_at = excluded.kept_at

-- blank_answers --
-- Answers that hold a user's words go when something is forgotten; that they were given stays.
UPDATE answers SET body = NULL WHERE user_id = :user_id AND private

-- delete_old_answers --
-- No client repeats a request after so long.
DELETE FROM answers WHERE kept_at <= :before

-- next_changes --
-- Reserves numbers of changes and gives the last of them; the lock on the user keeps other writers out meanwhile.
UPDATE users SET changes = changes + :amount WHERE user_id = :user_id RETURNING changes AS last

-- last_change --
-- The number of the newest change.
SELECT changes AS last FROM users WHERE user_id = :user_id

-- first_change --
-- The number of the oldest change that is still known.
SELECT min(number) AS first FROM changes WHERE user_id = :user_id

-- changes_after --
-- What is new, in order.
SELECT number, what, item_kind, item_id AS id, changed_at FROM changes
 WHERE user_id = :user_id AND number > :after
 ORDER BY number
 LIMIT :limit

-- delete_changes --
-- A user who leaves leaves no trace.
DELETE FROM changes WHERE user_id = :user_id

-- delete_old_changes --
-- No listener was away for so long.
DELETE FROM changes WHERE changed_at <= :before

-- last_audit --
-- The newest line about a user.
SELECT number, done_at, actor, action, items, amount, hash FROM audit_log
 WHERE user_id = :user_id
 ORDER BY number DESC
 LIMIT 1

-- insert_audit --
-- One more line.
INSERT INTO audit_log (user_id, number, done_at, actor, action, items, amount, hash)
VALUES (:user_id, :number, :done_at, :actor, :action, :items, :amount, :hash)

-- audit_after --
-- The lines about a user, in order.
SELECT number, done_at, actor, action, items, amount, hash FROM audit_log
 WHERE user_id = :user_id AND number > :after
 ORDER BY number
 LIMIT :limit

-- audited_users --
-- About whom there are lines.
SELECT DISTINCT user_id FROM audit_log ORDER BY user_id

-- log_search --
-- Figures about a search.
INSERT INTO search_log (user_id, id, asked_at, verb, hits, took_ms, answerable, degraded, query, user_agent, found)
VALUES (:user_id, :id, :asked_at, :verb, :hits, :took_ms, :answerable, :degraded, :query, :user_agent, :found)
    ON CONFLICT DO NOTHING

-- last_forgotten --
-- When something was forgotten last.
SELECT max(forgotten_at) AS moment FROM tombstones WHERE user_id = :user_id

-- trim_searches --
-- All but the newest searches of a user.
DELETE FROM search_log
 WHERE user_id = :user_id
   AND id < (SELECT id FROM search_log WHERE user_id = :user_id ORDER BY id DESC LIMIT 1 OFFSET :keep)

-- list_searches --
-- The searches of a user, the newest first.
SELECT id, asked_at, verb, hits, took_ms, answerable, degraded, query, user_agent, found FROM search_log
 WHERE user_id = :user_id AND asked_at > :since
 ORDER BY id DESC
 LIMIT :limit

-- search_figures --
-- What a user's searches were like.
SELECT verb, count(*) AS searches, sum(CASE WHEN hits = 0 THEN 1 ELSE 0 END) AS empty,
       sum(CASE WHEN degraded <> '' THEN 1 ELSE 0 END) AS degraded, avg(took_ms) AS mean_ms, max(took_ms) AS most_ms
  FROM search_log
 WHERE user_id = :user_id AND asked_at > :since
 GROUP BY verb
 ORDER BY verb

-- blank_searches --
-- What was searched for goes when something is forgotten; the figures stay.
UPDATE search_log SET query = '' WHERE user_id = :user_id AND query <> ''

-- searches_that_found --
-- The ids that searches found.
SELECT id, found FROM search_log WHERE user_id = :user_id AND found <> ''

-- set_found --
-- What a search found that is still there.
UPDATE search_log SET found = :found WHERE user_id = :user_id AND id = :id

-- delete_searches --
-- All of it, for a user who leaves.
DELETE FROM search_log WHERE user_id = :user_id

-- delete_old_searches --
-- Figures that are too old to say anything.
DELETE FROM search_log WHERE asked_at <= :before
