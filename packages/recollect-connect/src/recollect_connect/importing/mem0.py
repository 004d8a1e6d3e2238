"""Reads memories as mem0 gives them: answers of `get_all`, exports of its platform, and backups of OpenMemory."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from recollect.model.memories import NewMemory
from recollect_connect.importing.export_entries import ExportEntry
from recollect_connect.importing.parse_values import (
    id_of,
    list_of,
    mapping_of,
    metadata_of,
    moment_of,
    name_of,
    text_of,
    type_of,
)

FORMAT: Final = "mem0"
LISTS: Final = ("", "results", "memories")
DELETED: Final = "deleted there"
EMPTY: Final = "nothing in it"
_TEXTS: Final = ("memory", "content", "text", "data")
_KEPT: Final = ("user_id", "agent_id", "app_id", "run_id", "actor_id", "app", "state", "updated_at")


def fact(
    subject: str, verb: str, target: str, *, format: str, trust: int, about: Mapping[str, Any] | None = None
) -> NewMemory:
    """Make a fact of a relation. The target is its context too, so that one thing may relate to many."""
    return NewMemory(
        f"{subject} {verb.replace('_', ' ')} {target}",
        type="fact",
        subject=subject,
        key=verb,
        value=target,
        context=target,
        source=f"import:{format}",
        trust=trust,
        metadata=metadata_of({"imported_from": format, **(about or {})}),
    )


def is_memory(value: object) -> bool:
    """Tell whether a value is a memory of mem0."""
    given = mapping_of(value)
    return "id" in given and any(isinstance(given.get(name), str) for name in _TEXTS[:2])


def user_of(value: object) -> str:
    """Give whose memory it is, as mem0 names users; empty when it does not say."""
    user = mapping_of(value).get("user_id")
    return user if isinstance(user, str) else ""


def read(entry: ExportEntry, trust: int, categories: Mapping[str, str]) -> NewMemory | str:
    """Read a memory, or say why it is none. `categories` are the names of those that are given by their ids."""
    given = mapping_of(entry.value)
    text = next((text for name in _TEXTS if (text := text_of(given.get(name)).strip())), "")
    if not given:
        return "not a memory in mem0's format"
    if given.get("state") == "deleted" or given.get("deleted_at"):
        return DELETED
    if not text:
        return EMPTY
    own = mapping_of(given.get("metadata"))
    named = [categories.get(str(one), str(one)) for one in list_of(given.get("category_ids"))]
    filed = list_of(given.get("categories")) or named
    kind = own.get("type") or own.get("category") or next(iter(filed), "")
    kept: dict[str, Any] = {"imported_from": FORMAT, "original_id": id_of(given.get("id"), text), "categories": filed}
    kept |= {name: given.get(name) for name in _KEPT}
    told_at = moment_of(given.get("created_at"))
    return NewMemory(
        text,
        type=type_of(kind, "other"),
        source=f"import:{FORMAT}",
        trust=trust,
        occurred_at=told_at,
        valid_from=told_at,
        expires_at=moment_of(given.get("expiration_date")),
        metadata=metadata_of({**kept, **own, **kept}),  # ours first, and as we have them
    )


def relation_of(value: object, trust: int) -> NewMemory | None:
    """Read an edge of mem0's graph as a fact; None when it is none."""
    given = mapping_of(value)
    subject = name_of(given.get("source"))
    verb = name_of(given.get("relationship") or given.get("relation"))
    target = name_of(given.get("target") or given.get("destination"))
    return fact(subject, verb, target, format=FORMAT, trust=trust) if subject and verb and target else None


def category_names(entry: ExportEntry) -> Iterator[tuple[str, str]]:
    """Give the ids and names of categories that a backup lists."""
    given = mapping_of(entry.value)
    if entry.key == "categories" and given.get("id"):
        yield str(given["id"]), name_of(given.get("name"))
