-- The program that asked, by the name it gives itself, and the ids of what it was shown first.
ALTER TABLE search_log ADD COLUMN user_agent TEXT NOT NULL DEFAULT '';
ALTER TABLE search_log ADD COLUMN found TEXT NOT NULL DEFAULT '';
