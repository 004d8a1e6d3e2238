-- The wall of 0011_walls.sql around what places have brought.

SELECT recollect_wall(name) FROM unnest(ARRAY['places', 'named_places', 'geocodes']) AS name;
