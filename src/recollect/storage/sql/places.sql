-- Places: their names, what users call them, and the cached answers of geocoders.

-- get_places --
-- The names of places by id.
SELECT id, address, place_label, created_at FROM places WHERE user_id = :user_id AND id = ANY(:ids::uuid[])

-- list_places --
-- What the places of a user are called.
SELECT id, address, place_label, created_at FROM places WHERE user_id = :user_id ORDER BY id

-- delete_places --
-- The rows themselves; vectors and jobs go in the same transaction.
DELETE FROM places WHERE user_id = :user_id AND id = ANY(:ids::uuid[])

-- places_of --
-- At which places these are, as far as they are called something.
SELECT DISTINCT place FROM {rows}
 WHERE user_id = :user_id AND place IS NOT NULL AND id = ANY(:ids::uuid[])

-- are_located --
-- Whether any of these has coordinates.
SELECT EXISTS (SELECT 1 FROM {rows}
                WHERE user_id = :user_id AND lat IS NOT NULL AND id = ANY(:ids::uuid[])) AS located

-- count_places --
-- How many names of places there are.
SELECT count(*) AS places FROM places

-- unused_places --
-- Places at which nothing is any more.
SELECT p.id
  FROM places p
 WHERE p.user_id = :user_id AND p.id = ANY(:ids::uuid[])
   AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = :user_id AND m.place = p.id)
   AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.user_id = :user_id AND m.place = p.id)

-- sightings --
-- Where memories are, and where messages were sent from.
SELECT lat, lng, address, place_label, 'memory' AS kind, coalesce(occurred_at, created_at) AS moment
  FROM memories
 WHERE user_id = :user_id AND lat IS NOT NULL AND {filters}
 UNION ALL
SELECT s.lat, s.lng, s.address, s.place_label, 'message' AS kind, s.said_at AS moment
  FROM messages s
 WHERE s.user_id = :user_id AND s.lat IS NOT NULL
 ORDER BY moment, kind, lat, lng, address, place_label

-- set_address --
-- The geocoder has answered; what was moved or named meanwhile stays as it is.
UPDATE {rows} SET address = :address, place = :place
 WHERE user_id = :user_id AND id = :id AND address = '' AND lat = :lat AND lng = :lng
RETURNING place_label

-- set_place --
-- Notes what the place of a row is called, unless it is called otherwise by now.
UPDATE {rows} SET place = :place
 WHERE user_id = :user_id AND id = :id AND address = :address AND place_label = :place_label
RETURNING place_label

-- unnamed_places --
-- Rows that were written before the names of places were noted.
SELECT user_id, id, address, place_label FROM {rows}
 WHERE place IS NULL AND (address <> '' OR place_label <> '')
 ORDER BY user_id, id
 LIMIT :limit

-- insert_geocoding --
-- An item is owed an address.
INSERT INTO jobs (user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, reason, created_at)
VALUES (:user_id, 'geocode', :item_kind, :item_id, 0, 0, :now, NULL, '', :now)
    ON CONFLICT DO NOTHING

-- owe_geocoding --
-- Everything that has coordinates and lacks both an address and the work to get one is owed it.
INSERT INTO jobs (user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, reason, created_at)
SELECT m.user_id, 'geocode', :item_kind, m.id, 0, 0, :now, NULL, '', :now
  FROM {rows} m
 WHERE m.lat IS NOT NULL AND m.address = ''
    ON CONFLICT DO NOTHING

-- geocoding_counts --
-- How much waits for an address, and how much was given up on.
SELECT count(*) FILTER (WHERE due_at IS NOT NULL) AS waiting, count(*) FILTER (WHERE due_at IS NULL) AS parked
  FROM jobs WHERE space = 0

-- list_named_places --
-- What a user calls their places.
SELECT name, lat, lng, address, updated_at FROM named_places WHERE user_id = :user_id ORDER BY folded

-- save_named_place --
-- A place is given a name, or is somewhere else by now.
INSERT INTO named_places (user_id, folded, name, lat, lng, address, updated_at)
VALUES (:user_id, :folded, :name, :lat, :lng, :address, :updated_at)
    ON CONFLICT (user_id, folded) DO UPDATE
   SET name = excluded.name, lat = excluded.lat, lng = excluded.lng, address = excluded.address,
       updated_at = excluded.updated_at

-- delete_named_place --
-- The user no longer calls it that.
DELETE FROM named_places WHERE user_id = :user_id AND folded = :folded RETURNING name

-- delete_named_places --
-- With a user go the names.
DELETE FROM named_places WHERE user_id = :user_id

-- geocoded --
-- What is known of a cell.
SELECT answer, good_until FROM geocodes WHERE user_id = :user_id AND geocoder = :geocoder AND cell = :cell

-- keep_geocoded --
-- The geocoder has answered.
INSERT INTO geocodes (user_id, geocoder, cell, answer, good_until, used_at)
VALUES (:user_id, :geocoder, :cell, :answer, :good_until, :now)
    ON CONFLICT (user_id, geocoder, cell) DO UPDATE
   SET answer = excluded.answer, good_until = excluded.good_until, used_at = excluded.used_at

-- touch_geocoded --
-- What is known of a cell was of use.
UPDATE geocodes SET used_at = :now
 WHERE user_id = :user_id AND geocoder = :geocoder AND cell = :cell AND used_at < :now

-- trim_geocoded --
-- Makes room: what was used longest ago goes first.
DELETE FROM geocodes WHERE user_id = :user_id AND (geocoder, cell) IN (
       SELECT geocoder, cell FROM geocodes WHERE user_id = :user_id
        ORDER BY used_at DESC, geocoder, cell LIMIT 1000000 OFFSET :most)

-- forget_geocoded --
-- With something that was somewhere goes what was asked about places.
DELETE FROM geocodes WHERE user_id = :user_id
