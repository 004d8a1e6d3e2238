"""The embedding server: one loaded model behind HTTP for several programs.

    limits           limits of a request, and of how many may wait
    models           a loaded model; which names mean the bundled encoder
    sentence_models  models of sentence-transformers, with the prefixes of E5
    bodies           requests and answers
    request_queue    one thread computes; requests queue for it
    app, server      the three routes; the life of the server

The middleware is that of every server: see `web`. The invariant: a text is embedded and dropped. It is written to no
log and no disk, and stands in no error.
"""

from recollect_connect.e5.limits import DEFAULT_HOST, DEFAULT_MODEL, DEFAULT_PORT, EmbeddingServerLimits

__all__ = ["DEFAULT_HOST", "DEFAULT_MODEL", "DEFAULT_PORT", "EmbeddingServerLimits"]
