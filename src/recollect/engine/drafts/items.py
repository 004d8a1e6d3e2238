"""Items of any kind: fetched together, the texts that are embedded, and the terms that are indexed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from recollect.engine.drafts import memory_drafts
from recollect.errors import NotFound
from recollect.model.files import Chunk
from recollect.model.literals import ITEM_KINDS, SOURCE_OF, ItemKind, Source, VectorKind
from recollect.model.memories import Embeddable, Item, MemoryRecord, Space
from recollect.model.messages import Message
from recollect.model.places import PlaceRow, place_name
from recollect.model.readings import USER
from recollect.storage.base import UserRows
from recollect.text.chunks import chunk_terms
from recollect.text.passages import cut_passages
from recollect.text.terms import MAX_TERMS, index_terms

T = TypeVar("T")

_SPEAKING_ROLES = frozenset({"user", "assistant"})
_SPEAKER = "I"  # who speaks when users are not called by name: the encoder knows turns as "Speaker: text"


def batched(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Part many items, so that not all of a user's rows are in memory or in one question at once."""
    return (items[start : start + size] for start in range(0, len(items), size))


def memory(rows: UserRows, memory_id: str) -> MemoryRecord:
    """Fetch a memory. Raises NotFound."""
    for record in rows.get([memory_id]):
        return record
    raise NotFound(f"No memory {memory_id}. See what there is with `list`.")


def message(rows: UserRows, message_id: str) -> Message:
    """Fetch a message. Raises NotFound."""
    for found in rows.get_messages([message_id]):
        return found
    raise NotFound(f"No message {message_id}. See what was said with `messages`.")


def fetch(rows: UserRows, keys: Iterable[tuple[ItemKind, str]]) -> list[Item]:
    """Fetch items by kind and id, in any order; those that are gone are left out."""
    ids: dict[ItemKind, list[str]] = {kind: [] for kind in ITEM_KINDS}
    for kind, item_id in keys:
        ids[kind].append(item_id)
    memories = rows.get(ids["memory"]) if ids["memory"] else ()
    messages = rows.get_messages(ids["message"]) if ids["message"] else ()
    chunks = rows.get_chunks(ids["chunk"]) if ids["chunk"] else ()
    return [*memories, *messages, *chunks]


def fetch_embeddable(rows: UserRows, keys: Sequence[tuple[VectorKind, str]]) -> list[Embeddable]:
    """Fetch everything that has a vector: items, and the names of places."""
    place_ids = [item_id for kind, item_id in keys if kind == "place"]
    places = rows.get_places(place_ids) if place_ids else ()
    return [*fetch(rows, [(kind, item_id) for kind, item_id in keys if kind != "place"]), *places]


def source_of(item: Item) -> Source:
    """Say what kind of thing an item is to those who search."""
    if isinstance(item, Chunk):
        return "file"
    return SOURCE_OF[item.role] if isinstance(item, Message) else "memory"


def embedded_texts(item: Embeddable, space: Space | None = None) -> tuple[str, ...]:
    """Give the texts of an item that are embedded in a space: all of it first, then the passages of a long one.

    Each gets a vector, and the best of them counts. The texts of a chunk have its headings, those of a message its
    speaker, those of a memory what it is about.

    The bundled encoder places a turn by its speaker: after `I` near questions about what a user told, after `user` near
    requests that it is a wish for. A short message of a user gets both vectors, and so does a short preference.
    """
    bundled = space is not None and space.is_bundled
    if isinstance(item, PlaceRow):
        return (place_name(item.address, item.place_label),)
    if isinstance(item, Chunk):
        return _with_passages(item.content, lambda text: f"{item.heading}\n{text}" if item.heading else text)
    if isinstance(item, Message):
        text, name = message_passage(item), _speaker(item)
        unnamed = item.role == "user" and not name
        texts = _with_passages(text, lambda words: _spoken(_SPEAKER if unnamed else name, words))
        return _as_wish(texts, item.role, text) if bundled and unnamed and text else texts
    texts = _with_passages(_told(item), lambda text: memory_drafts.passage(item, text))
    return _as_wish(texts, USER, item.content) if bundled and item.type == "preference" else texts


def whole_text(item: Item) -> str:
    """Give all of an item's text as it is embedded, without cutting its passages."""
    if isinstance(item, Chunk):
        return f"{item.heading}\n{item.content}" if item.heading else item.content
    if isinstance(item, Message):
        return _spoken(_speaker(item), message_passage(item))
    return memory_drafts.passage(item, _told(item))


def _told(record: MemoryRecord) -> str:
    return memory_drafts.with_media(record.content, record.media)


def _as_wish(texts: tuple[str, ...], speaker: str, text: str) -> tuple[str, ...]:
    """Add a short text as the wish of a speaker."""
    return (*texts, _spoken(speaker, text)) if len(texts) == 1 else texts


def _with_passages(text: str, framed: Callable[[str], str]) -> tuple[str, ...]:
    passages = cut_passages(text)
    return (framed(text), *map(framed, passages)) if len(passages) > 1 else (framed(text),)


def message_passage(message: Message) -> str:
    """Give the words of a message, and those of its media; of one that only calls tools, its calls."""
    calls = " ".join(f"{call.name} {call.arguments}" for call in message.tool_calls)
    return memory_drafts.with_media(message.content or calls, message.media)


def _spoken(speaker: str, text: str) -> str:
    """Give words of a message after the name of the speaker, which is part of what they mean."""
    return f"{speaker}: {text}" if text and speaker else text


def terms_of(item: Item) -> tuple[str, ...]:
    """Give the terms of an item."""
    if isinstance(item, Chunk):
        return chunk_terms(item.heading, item.content)
    return message_terms(item) if isinstance(item, Message) else memory_drafts.memory_terms(item)


def message_terms(message: Message) -> tuple[str, ...]:
    """Give the terms of a message: those of the speaker's name, then those of the words."""
    terms, speaker = index_terms(message_passage(message)), _speaker(message)
    return (*index_terms(speaker), *terms)[:MAX_TERMS] if speaker else terms


def _speaker(message: Message) -> str:
    """Give the speaker's name; tools, thoughts and prompts are not found by one."""
    return message.speaker if message.role in _SPEAKING_ROLES else ""
