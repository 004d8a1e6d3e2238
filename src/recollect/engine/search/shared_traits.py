"""Questions about what several people have in common: the memories about each are gathered, and compared."""

from collections.abc import Mapping, Sequence

from recollect.engine.search.channels import SearchRun
from recollect.model.memories import MemoryRecord
from recollect.ranking import in_common
from recollect.storage.base import StoreReader

_MOST_READ = 1_000  # characters of a memory that tell whom it is about


def shares(
    search: SearchRun, reader: StoreReader, records: Sequence[MemoryRecord], relevance: Mapping[str, float]
) -> Mapping[str, float]:
    """Say what each memory about one person shares with those about the others; nothing where that cannot be told."""
    parties, space = search.query.query.parties, search.query.space
    if space is None or not search.plan.vector:
        return {}
    texts = {record.id: _whose(record) for record in records}
    each = (frozenset(row_id for row_id, text in texts.items() if party.is_subject_of(text)) for party in parties)
    about = [row_ids for row_ids in each if row_ids]
    if len(about) < 2:  # noqa: PLR2004 - no one to compare with
        return {}
    vectors = reader.stored_vectors(space, sorted(frozenset().union(*about)))
    return in_common.shares(vectors, about, relevance)


def _whose(record: MemoryRecord) -> str:
    """Give the text that tells whom a memory is about."""
    content = record.content[:_MOST_READ]
    return f"{record.subject.title()}: {content}" if record.subject else content
