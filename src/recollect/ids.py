"""Ids are UUIDs of version 7: made here, in the order of time, without asking any database.

Within one process every id sorts after all that were made before it, even when the clock stands still or goes back.
"""

import os
from datetime import UTC, datetime, timedelta
from uuid import UUID

from recollect.forking import module_lock

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TICKS_PER_MILLISECOND = 4096  # RFC 9562, method 3: the 12 bits after the milliseconds are their fraction

_lock = module_lock()
_last_tick = 0


def new(now: datetime) -> str:
    """Make one id."""
    return new_many(now, 1)[0]


def new_many(now: datetime, amount: int) -> list[str]:
    """Make ids that sort in the order in which they are given out."""
    global _last_tick  # noqa: PLW0603 - the order of ids is a property of the process
    with _lock:
        first = max((now - _EPOCH) // _MICROSECOND * _TICKS_PER_MILLISECOND // 1000, _last_tick + 1)
        _last_tick = first + amount - 1
    random = os.urandom(8 * amount).hex()
    made = []
    for number in range(amount):
        tick, place = f"{first + number:015x}", 16 * number
        made.append(
            f"{tick[:8]}-{tick[8:12]}-7{tick[12:]}-8{random[place : place + 3]}-{random[place + 3 : place + 15]}"
        )
    return made


def canonical(text: str) -> str | None:
    """Give an id the way we write it, or None for what is no UUID and therefore no id."""
    try:
        return str(UUID(text.strip()))
    except (ValueError, AttributeError, TypeError):
        return None
