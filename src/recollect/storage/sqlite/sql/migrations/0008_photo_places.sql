-- Where a photo was taken, as far as it says so. Those that were stored before have it in their metadata.
ALTER TABLE files ADD COLUMN lat REAL;
ALTER TABLE files ADD COLUMN lng REAL;

UPDATE files SET lat = metadata ->> 'latitude', lng = metadata ->> 'longitude'
 WHERE kind = 'image'
   AND json_type(metadata, '$.latitude') IN ('integer', 'real') AND json_type(metadata, '$.longitude') IN ('integer', 'real')
   AND metadata ->> 'latitude' BETWEEN -90 AND 90 AND metadata ->> 'longitude' BETWEEN -180 AND 180;

CREATE INDEX files_where ON files (user_id, lat, lng) WHERE lat IS NOT NULL;
