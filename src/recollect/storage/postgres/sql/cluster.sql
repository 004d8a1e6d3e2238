-- What is asked of Citus in a store that is distributed. A server without it knows none of these functions.

-- workers --
-- The workers, and whether each of them answers.
SELECT nodename || ':' || nodeport AS worker, success FROM run_command_on_workers('SELECT 1') ORDER BY 1

-- reachable_users --
-- The users whose rows are on workers that answer, in lists.
SELECT result AS users
  FROM run_command_on_shards('users', $$SELECT CASE recollect_set('recollect.reach', 'store') WHEN 'store'
       THEN (SELECT coalesce(json_agg(user_id), '[]') FROM %s) END$$)
 WHERE success
