-- Embedding spaces. Each has two tables of its own, made from space.sql when it is registered.

CREATE TABLE embedding_spaces (
    number        INTEGER NOT NULL PRIMARY KEY,
    provider      TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    revision      TEXT    NOT NULL,
    prefix_scheme TEXT    NOT NULL,
    dimensions    INTEGER NOT NULL CHECK (dimensions > 0),
    normalised    INTEGER NOT NULL CHECK (normalised IN (0, 1)),
    created_at    INTEGER NOT NULL,
    UNIQUE (provider, model, revision, prefix_scheme, dimensions, normalised)
) STRICT;
