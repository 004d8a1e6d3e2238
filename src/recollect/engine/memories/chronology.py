"""When memories were told: a message that is read late, or delivered late with its date, is as old as its words.

The invariant: what was told before the current value of a slot was told last never replaces it, unless it is trusted
more. It becomes a part of the history, from when it was told until the next change that is known.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from recollect.model.memories import MemoryRecord
from recollect.model.messages import Message
from recollect.model.readings import CAPTURED_BY
from recollect.storage.base import StoreWriter, UserRows

_CLOCKS_DIFFER: Final = timedelta(minutes=5)  # that of a host may be slow


def told_at(message: Message) -> datetime:
    """Give when a message was told: when it was said, or when it was kept if that is about the same or earlier."""
    return message.said_at if message.created_at - message.said_at > _CLOCKS_DIFFER else message.created_at


def first_told(record: MemoryRecord) -> datetime:
    """Give when a memory was told first; a captured one holds from then on."""
    return min(record.valid_from, record.created_at) if CAPTURED_BY in record.metadata else record.created_at


def is_older(rows: UserRows, moment: datetime, holder: MemoryRecord) -> bool:
    """Tell whether a moment is before the one at which the holder of a slot was told last, or was corrected."""
    if moment >= holder.updated_at:
        return False
    sources = [source.source_id for source in rows.sources([holder.id]) if source.source_kind == "message"]
    said = [told_at(message) for message in rows.get_messages(sources)] if sources else []
    return moment < (max(*said, min(holder.valid_from, holder.updated_at)) if said else holder.updated_at)


def make_room(writer: StoreWriter, moment: datetime, holder: MemoryRecord) -> datetime:
    """End the version that held when something else was told; gives when the next version began to hold."""
    held = [one for one in writer.chain(holder.id) if _has_held(one)]
    for version in held:
        if version.superseded_by and version.valid_until and version.valid_from < moment < version.valid_until:
            writer.retire(version.id, moment, version.superseded_by)
    return min((one.valid_from for one in held if one.valid_from > moment), default=moment)


def has_held_otherwise(versions: Sequence[MemoryRecord]) -> bool:
    """Tell whether another version of a memory held once."""
    return any(one.superseded_by is not None and _has_held(one) for one in versions)


def _has_held(record: MemoryRecord) -> bool:
    return record.valid_until is None or record.valid_until > record.valid_from
