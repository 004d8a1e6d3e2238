-- The tables that people expect to find when they open the file with sqlite3: what is live, with readable times.

CREATE VIEW entity_facts AS
SELECT user_id, id, subject AS entity_id, key AS fact_type, content, value, source, confidence,
       strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1e6, 'unixepoch') AS created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1e6, 'unixepoch') AS updated_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', valid_until / 1e6, 'unixepoch') AS valid_until
  FROM memories
 WHERE type = 'fact' AND subject <> '' AND superseded_by IS NULL;

CREATE VIEW preferences AS
SELECT user_id, id, subject AS category, key, value, context, content, confidence, source AS learned_from,
       strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1e6, 'unixepoch') AS created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1e6, 'unixepoch') AS updated_at
  FROM memories
 WHERE type = 'preference' AND superseded_by IS NULL;

CREATE VIEW events AS
SELECT user_id, id, key AS event_type, subject AS entity_id, content AS summary, value AS details, importance,
       strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(occurred_at, created_at) / 1e6, 'unixepoch') AS timestamp
  FROM memories
 WHERE type = 'event' AND superseded_by IS NULL;

CREATE VIEW lessons AS
SELECT user_id, id, content AS lesson, context, confidence, source,
       strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1e6, 'unixepoch') AS created_at
  FROM memories
 WHERE type = 'lesson' AND superseded_by IS NULL;
