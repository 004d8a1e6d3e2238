"""Items of any kind, fetched together."""

from collections.abc import Iterable, Sequence

from recollect.model.literals import ITEM_KINDS, ItemKind, VectorKind
from recollect.model.memories import Embeddable, Item
from recollect.ports import StoreReader, StoreWriter


def fetch(rows: StoreReader | StoreWriter, keys: Iterable[tuple[ItemKind, str]]) -> list[Item]:
    """Fetch items by kind and id, in any order; those that are gone are left out."""
    ids: dict[ItemKind, list[str]] = {kind: [] for kind in ITEM_KINDS}
    for kind, item_id in keys:
        ids[kind].append(item_id)
    memories = rows.get(ids["memory"]) if ids["memory"] else ()
    messages = rows.get_messages(ids["message"]) if ids["message"] else ()
    chunks = rows.get_chunks(ids["chunk"]) if ids["chunk"] else ()
    return [*memories, *messages, *chunks]


def fetch_embeddable(rows: StoreReader | StoreWriter, keys: Sequence[tuple[VectorKind, str]]) -> list[Embeddable]:
    """Fetch everything that has a vector: items, and the names of places."""
    place_ids = [item_id for kind, item_id in keys if kind == "place"]
    places = rows.get_places(place_ids) if place_ids else ()
    return [*fetch(rows, [(kind, item_id) for kind, item_id in keys if kind != "place"]), *places]
