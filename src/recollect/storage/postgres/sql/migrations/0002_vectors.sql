-- Embedding spaces. Each has a table of its own, made from space.sql when it is registered.

CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE embedding_spaces (
    number        integer     NOT NULL PRIMARY KEY,
    provider      text        NOT NULL,
    model         text        NOT NULL,
    revision      text        NOT NULL,
    prefix_scheme text        NOT NULL,
    dimensions    integer     NOT NULL CHECK (dimensions > 0),
    normalised    boolean     NOT NULL,
    created_at    timestamptz NOT NULL,
    UNIQUE (provider, model, revision, prefix_scheme, dimensions, normalised)
);
