"""A door of its own: an embedding model behind HTTP, so that several programs share one that is loaded once.

    limits     how much one request may ask for, and how many may wait
    models     a model that is ready to be asked; which names mean the bundled encoder
    sentences  models of sentence-transformers, and what E5 wants to be told before a text
    wire       what requests and answers look like
    line       one thread computes; requests wait in line for it
    app        the three routes
    server     the life of the server: a port, a model, requests, an orderly end

The gate before the routes, problem documents, the journal and the port are those of every server: see `web`.

The invariant: a text is embedded and forgotten. It is written to no log and no disk, and stands in no error.
"""

from recollect.e5.limits import DEFAULT_HOST, DEFAULT_MODEL, DEFAULT_PORT, EmbeddingServerLimits

__all__ = ["DEFAULT_HOST", "DEFAULT_MODEL", "DEFAULT_PORT", "EmbeddingServerLimits"]
