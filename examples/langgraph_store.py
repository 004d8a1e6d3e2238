"""The long-term memory of a LangGraph agent: `graph.compile(store=store)` hands the same store to each node.

It prints:

    drink: Prefers green tea in the morning
    bert knows nothing of it
"""

from langgraph.store.base import BaseStore

from recollect import Memory
from recollect.integrations.langgraph import RecollectStore


def learn(store: BaseStore, user: str) -> None:
    """Store what a node of the graph has learned."""
    store.put((user, "preferences"), "drink", {"text": "Prefers green tea in the morning"})
    store.put((user, "preferences"), "food", {"text": "Is allergic to peanuts"})


with Memory.open() as memory:
    store = RecollectStore(memory, user_label=0)  # the first label of a namespace names the user
    learn(store, "anna")
    (best,) = store.search(("anna",), query="which hot beverage does she like?", limit=1)
    print(f"{best.key}: {best.value['text']}")
    if not store.search(("bert",), query="tea"):
        print("bert knows nothing of it")
