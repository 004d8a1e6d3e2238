-- Where a photo was taken, as far as it says so. Those that were stored before have it in their metadata.
ALTER TABLE files ADD COLUMN lat double precision;
ALTER TABLE files ADD COLUMN lng double precision;

UPDATE files SET lat = (metadata ->> 'latitude')::double precision, lng = (metadata ->> 'longitude')::double precision
 WHERE kind = 'image'
   AND CASE WHEN jsonb_typeof(metadata -> 'latitude') = 'number' AND jsonb_typeof(metadata -> 'longitude') = 'number'
            THEN (metadata ->> 'latitude')::numeric BETWEEN -90 AND 90
             AND (metadata ->> 'longitude')::numeric BETWEEN -180 AND 180 END;

CREATE INDEX files_where ON files (user_id, lat, lng) WHERE lat IS NOT NULL;
