"""Makes facts of relations, as graphs of other systems have them."""

from collections.abc import Mapping
from typing import Any

from recollect.model.memories import NewMemory
from recollect_connect.importing.parse_values import metadata_of


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
