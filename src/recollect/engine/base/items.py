"""Items of any kind, fetched together."""

from collections.abc import Iterable, Sequence

from recollect.model.literals import ITEM_KINDS, ItemKind, VectorKind
from recollect.model.memories import Embeddable, Item
from recollect.ports import StoreReader, StoreWriter


def fetch(rows: StoreReader | StoreWriter, wanted: Iterable[tuple[ItemKind, str]]) -> list[Item]:
    """Give the items of these kinds and ids, in any order; what is gone is left out."""
    ids: dict[ItemKind, list[str]] = {kind: [] for kind in ITEM_KINDS}
    for kind, item_id in wanted:
        ids[kind].append(item_id)
    memories = rows.get(ids["memory"]) if ids["memory"] else ()
    messages = rows.get_messages(ids["message"]) if ids["message"] else ()
    chunks = rows.get_chunks(ids["chunk"]) if ids["chunk"] else ()
    return [*memories, *messages, *chunks]


def fetch_embeddable(rows: StoreReader | StoreWriter, wanted: Sequence[tuple[VectorKind, str]]) -> list[Embeddable]:
    """Do so for whatever has a vector: the names of places are among it."""
    named = [item_id for kind, item_id in wanted if kind == "place"]
    places = rows.get_places(named) if named else ()
    return [*fetch(rows, [(kind, item_id) for kind, item_id in wanted if kind != "place"]), *places]
