-- The tables that people expect to find when they open the database with psql: what is live.
-- They run with the rights of whoever asks, so that they never show more than the tables would.

CREATE VIEW entity_facts WITH (security_invoker = true) AS
SELECT user_id, id, subject AS entity_id, key AS fact_type, content, value, source, confidence,
       created_at, updated_at, valid_until
  FROM memories
 WHERE type = 'fact' AND subject <> '' AND superseded_by IS NULL;

CREATE VIEW preferences WITH (security_invoker = true) AS
SELECT user_id, id, subject AS category, key, value, context, content, confidence, source AS learned_from,
       created_at, updated_at
  FROM memories
 WHERE type = 'preference' AND superseded_by IS NULL;

CREATE VIEW events WITH (security_invoker = true) AS
SELECT user_id, id, key AS event_type, subject AS entity_id, content AS summary, value AS details, importance,
       coalesce(occurred_at, created_at) AS timestamp
  FROM memories
 WHERE type = 'event' AND superseded_by IS NULL;

CREATE VIEW lessons WITH (security_invoker = true) AS
SELECT user_id, id, content AS lesson, context, confidence, source, created_at
  FROM memories
 WHERE type = 'lesson' AND superseded_by IS NULL;
