-- Places: where memories and messages are, what such places are called, and what was learned by asking.

ALTER TABLE memories ADD COLUMN place uuid;
ALTER TABLE memories ADD CHECK (length(address) <= 500), ADD CHECK (length(place_label) <= 200);
ALTER TABLE messages ADD COLUMN lat double precision CHECK (lat BETWEEN -90 AND 90);
ALTER TABLE messages ADD COLUMN lng double precision CHECK (lng BETWEEN -180 AND 180);
ALTER TABLE messages ADD COLUMN address text NOT NULL DEFAULT '' CHECK (length(address) <= 500);
ALTER TABLE messages ADD COLUMN place_label text NOT NULL DEFAULT '' CHECK (length(place_label) <= 200);
ALTER TABLE messages ADD COLUMN place uuid;
ALTER TABLE messages ADD CHECK ((lat IS NULL) = (lng IS NULL));

CREATE INDEX memories_where ON memories (user_id, lat, lng) WHERE lat IS NOT NULL;
CREATE INDEX memories_place ON memories (user_id, place) WHERE place IS NOT NULL;
CREATE INDEX messages_where ON messages (user_id, lat, lng) WHERE lat IS NOT NULL;
CREATE INDEX messages_place ON messages (user_id, place) WHERE place IS NOT NULL;

-- The names of the places at which something is, as they are embedded. Their ids are hashes of what they are called.
CREATE TABLE places (
    user_id     text        NOT NULL,
    id          uuid        NOT NULL,
    address     text        NOT NULL,
    place_label text        NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (user_id, id)
);

-- Places that a user has given a name to; each name once, whatever its letter case.
CREATE TABLE named_places (
    user_id    text             NOT NULL,
    folded     text             NOT NULL,
    name       text             NOT NULL CHECK (length(name) <= 200),
    lat        double precision NOT NULL CHECK (lat BETWEEN -90 AND 90),
    lng        double precision NOT NULL CHECK (lng BETWEEN -180 AND 180),
    address    text             NOT NULL CHECK (length(address) <= 500),
    updated_at timestamptz      NOT NULL,
    PRIMARY KEY (user_id, folded)
);

-- What geocoders said about cells of about a hundred metres.
CREATE TABLE geocodes (
    user_id    text        NOT NULL,
    geocoder   text        NOT NULL,
    cell       text        NOT NULL,
    answer     text        NOT NULL,  -- JSON; null where nothing has a name
    good_until timestamptz,           -- NULL: for good
    used_at    timestamptz NOT NULL,
    PRIMARY KEY (user_id, geocoder, cell)
);

CREATE INDEX geocodes_used ON geocodes (user_id, used_at);

-- The names of places have vectors too, and an address is one more thing that may be owed.

ALTER TABLE embedding_spaces DROP CONSTRAINT embedding_spaces_kind_check;
ALTER TABLE embedding_spaces
  ADD CONSTRAINT embedding_spaces_kind_check CHECK (kind IN ('memory', 'message', 'chunk', 'place'));
ALTER TABLE jobs DROP CONSTRAINT jobs_item_kind_check;
ALTER TABLE jobs ADD CONSTRAINT jobs_item_kind_check CHECK (item_kind IN ('memory', 'message', 'chunk', 'place'));
ALTER TABLE jobs DROP CONSTRAINT jobs_kind_check;
ALTER TABLE jobs ADD CONSTRAINT jobs_kind_check CHECK (kind IN ('embed', 'geocode'));
