"""Which moments a filter means: a time as programs give it, or words on the user's clock."""

from datetime import datetime, tzinfo

from recollect.engine.base.context import Engine
from recollect.engine.drafts import memory_drafts
from recollect.engine.search.prepared_query import local_time
from recollect.errors import InvalidInput
from recollect.settings.kinds import zone_named
from recollect.text import moments


def bounds(
    engine: Engine, since: datetime | str | None, until: datetime | str | None, when: str | None = None
) -> tuple[datetime | None, datetime | None]:
    """Give from when to when; `when` says both. Raises InvalidInput."""
    if when is None:
        return past(engine, since, "since"), past(engine, until, "until")
    if since is not None or until is not None:
        raise InvalidInput("when already says from when to when; leave out since and until.")
    return moments.period(when, "when", local_time(engine, engine.clock.now()))


def past(engine: Engine, given: datetime | str | None, name: str) -> datetime | None:
    """Give one moment; that of words is their beginning. Raises InvalidInput."""
    if not isinstance(given, str):
        return memory_drafts.moment(given, name)
    return moments.past_moment(given, name, local_time(engine, engine.clock.now()))


def checked_zone(name: str) -> tzinfo:
    """Give the time zone of a name. Raises InvalidInput."""
    try:
        return zone_named(name)
    except (KeyError, ValueError, OSError) as error:
        raise InvalidInput(f"Unknown time zone {name!r}. Give one such as Europe/Prague.") from error
