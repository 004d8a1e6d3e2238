"""Rerankers behind a network: Cohere, Jina, Text Embeddings Inference, and servers that speak like one of them.

    protocols   how each is asked, and where the scores stand in its answer
    provider    one careful exchange within a time budget
    factory     the reranker that the settings name

The bundled reranker is in `recollect.models`.
"""

from recollect.reranking.factory import create_reranker

__all__ = ["create_reranker"]
