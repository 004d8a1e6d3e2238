"""Long-term memory for LangGraph: a `BaseStore` whose items are memories of Recollect.

items         which memory an item is, and what of it is searched
conditions    namespaces and values that an operation asks for
vectors       scores by embeddings of the program's own
store, aio    the store itself, and one that batches what a running event loop asks for
"""

try:
    import langgraph.store.base  # noqa: F401 - says below what is missing
except ImportError as error:
    raise ImportError(
        "recollect.integrations.langgraph needs a package that is not there: pip install 'recollect[langgraph]'."
    ) from error

from recollect_connect.integrations.langgraph.store import AsyncRecollectStore, RecollectStore

__all__ = ["AsyncRecollectStore", "RecollectStore"]
