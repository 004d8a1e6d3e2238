-- What is asked of Citus in a store that is distributed. A server without it knows none of these functions.

-- workers --
-- The workers, and whether each of them answers.
SELECT nodename || ':' || nodeport AS worker, success FROM run_command_on_workers('SELECT 1') ORDER BY 1

-- reached_users --
-- The users whose rows are on workers that answer, in lists.
SELECT r.result AS users
  FROM (SELECT array_agg(p.nodename ORDER BY p.shardid) AS names, array_agg(p.nodeport::integer ORDER BY p.shardid) AS ports,
               array_agg(format($$SELECT CASE recollect_set('recollect.reach', 'store') WHEN 'store'
                                  THEN (SELECT coalesce(json_agg(user_id), '[]') FROM %s) END$$,
                                shard_name(s.logicalrelid, s.shardid)) ORDER BY p.shardid) AS commands
          FROM pg_dist_shard s JOIN pg_dist_shard_placement p ON p.shardid = s.shardid
         WHERE s.logicalrelid = 'users'::regclass AND p.nodename || ':' || p.nodeport <> ALL(:away::text[])) c,
       master_run_on_worker(c.names, c.ports, c.commands, true) r
 WHERE r.success

-- unreached_placements --
-- How many placements of a table are on workers that are away.
SELECT count(*) AS amount
  FROM pg_dist_shard s JOIN pg_dist_shard_placement p ON p.shardid = s.shardid
 WHERE s.logicalrelid = :name::text::regclass AND p.nodename || ':' || p.nodeport = ANY(:away::text[])

-- run_on_placements --
-- Runs a command for one placement of a table after the other, except on workers that are away.
SELECT r.node_name || ':' || r.node_port AS worker, r.success, r.result
  FROM (SELECT array_agg(p.nodename ORDER BY p.shardid) AS names, array_agg(p.nodeport::integer ORDER BY p.shardid) AS ports,
               array_agg(format(:command, shard_name(s.logicalrelid, s.shardid)) ORDER BY p.shardid) AS commands
          FROM pg_dist_shard s JOIN pg_dist_shard_placement p ON p.shardid = s.shardid
         WHERE s.logicalrelid = :name::text::regclass AND p.nodename || ':' || p.nodeport <> ALL(:away::text[])) c,
       master_run_on_worker(c.names, c.ports, c.commands, false) r

-- The statements of the same names, for the users who are reached while a worker is away.

-- owe_jobs --
-- No space is put away meanwhile, which takes all workers; to ask would be a task for each of them.
INSERT INTO jobs (user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, reason, created_at)
SELECT m.user_id, 'embed', :item_kind, m.id, {space}, 0, :now, NULL, '', :now
  FROM {rows} m
  LEFT JOIN (SELECT user_id, item_id, bool_or(part = 0) AS whole, max(part) <> count(*) FILTER (WHERE part > 0) AS gaps
               FROM vectors_{space} WHERE user_id = ANY(:reached::text[]) GROUP BY user_id, item_id) v ON v.user_id = m.user_id AND v.item_id = m.id
 WHERE (v.whole IS NOT TRUE OR v.gaps)
   AND NOT EXISTS (SELECT 1 FROM jobs j
                    WHERE j.user_id = m.user_id AND j.item_id = m.id AND j.space = {space} AND j.user_id = ANY(:reached::text[]))
   AND m.user_id = ANY(:reached::text[])
    ON CONFLICT DO NOTHING

-- owe_geocoding --
-- Everything that has coordinates and lacks both an address and the work to get one is owed it.
INSERT INTO jobs (user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, reason, created_at)
SELECT m.user_id, 'geocode', :item_kind, m.id, 0, 0, :now, NULL, '', :now
  FROM {rows} m
 WHERE m.lat IS NOT NULL AND m.address = ''
   AND m.user_id = ANY(:reached::text[])
    ON CONFLICT DO NOTHING

-- revive_jobs --
-- Lets parked work be tried again.
UPDATE jobs SET due_at = :now, attempts = 0 WHERE due_at IS NULL
   AND user_id = ANY(:reached::text[])

-- recall_jobs_ahead --
-- The clock went back; what it had put off is due now.
UPDATE jobs SET due_at = :now, lease_until = NULL WHERE (due_at > :horizon OR lease_until > :horizon)
   AND user_id = ANY(:reached::text[])

-- delete_old_answers --
-- No client repeats a request after so long.
DELETE FROM answers WHERE kept_at <= :before
   AND user_id = ANY(:reached::text[])

-- delete_old_changes --
-- No listener was away for so long.
DELETE FROM changes WHERE changed_at <= :before
   AND user_id = ANY(:reached::text[])

-- delete_old_searches --
-- Figures that are too old to say anything.
DELETE FROM search_log WHERE asked_at <= :before
   AND user_id = ANY(:reached::text[])
