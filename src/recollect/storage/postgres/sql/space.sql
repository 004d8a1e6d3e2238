-- The vectors of one embedding space, apart from the rows they belong to: changing a row never touches them.
-- Within one user the search is exact, by way of the primary key; only giants get an index of their own.

CREATE TABLE vectors_{space} (
    user_id   text NOT NULL,
    item_id   uuid NOT NULL,
    embedding {type} NOT NULL,
    PRIMARY KEY (user_id, item_id)
);
