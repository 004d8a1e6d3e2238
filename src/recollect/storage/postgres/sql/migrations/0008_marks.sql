-- What is true of the store as a whole. The terms of stores that exist were made by the first version of the analyser;
-- a store that is new says otherwise as soon as it is made.

CREATE TABLE store_marks (
    name  text    NOT NULL PRIMARY KEY,
    value integer NOT NULL
);

INSERT INTO store_marks (name, value) VALUES ('analyser', 1);
