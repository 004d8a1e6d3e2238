-- The program that asked, by the name it gives itself, and the ids of what it was shown first.
ALTER TABLE search_log ADD COLUMN user_agent text NOT NULL DEFAULT '';
ALTER TABLE search_log ADD COLUMN found text NOT NULL DEFAULT '';

SELECT recollect_sample_nothing('search_log');
