-- Messages wait to be read in the queue of jobs, where no space has the number -1.
ALTER TABLE jobs DROP CONSTRAINT jobs_kind_check;
ALTER TABLE jobs ADD CONSTRAINT jobs_kind_check CHECK (kind = 'embed' OR kind = 'geocode' OR kind = 'read');
