"""The timeline: how much there is about each hour, day, month or year of a time zone.

The store counts by quarters of an hour, on which every zone's hours begin; which of them make up a day depends on the
zone and its summer time.
"""

from datetime import UTC, datetime, timedelta, tzinfo

from recollect.engine.base.context import Engine
from recollect.errors import InvalidInput
from recollect.model.memories import Scope
from recollect.model.stats import TimelineBucket, TimelineUnit
from recollect.settings.kinds import zone_named

_UNITS = ("hour", "day", "month", "year")
_MOST_BUCKETS = 5_000
_MONTHS = 12
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_ZONE_DIFFERENCE = timedelta(days=2)  # no zone is that far from UTC


def timeline(
    engine: Engine, scope: Scope, unit: TimelineUnit, zone: str, *, since: datetime | None, until: datetime | None
) -> tuple[TimelineBucket, ...]:
    """Give the buckets in which there is something, in order."""
    if unit not in _UNITS:
        raise InvalidInput(f"Unknown unit {unit!r}. The units are: {', '.join(_UNITS)}.")
    local = _zone(zone or engine.settings.timezone)
    now = engine.clock.now()

    counts: dict[datetime, dict[str, int]] = {}
    for moment, kind, amount in engine.store.read(scope, lambda reader: reader.moments(since, until, now)):
        known = min(max(moment, _FIRST + _ZONE_DIFFERENCE), _LAST - _ZONE_DIFFERENCE)
        bucket = counts.setdefault(_start(known.astimezone(local), unit), {})
        bucket[kind] = bucket.get(kind, 0) + amount
    if len(counts) > _MOST_BUCKETS:
        raise InvalidInput(f"There are {len(counts):,} {unit}s to show. Take a longer unit, or less time at once.")
    return tuple(
        TimelineBucket(_utc(start), _end(start, unit), **amounts)
        for start, amounts in sorted(counts.items(), key=lambda bucket: _utc(bucket[0]))
    )


def _zone(name: str) -> tzinfo:
    try:
        return zone_named(name)
    except (KeyError, ValueError, OSError) as error:
        raise InvalidInput(f"Unknown time zone {name!r}. Give one such as Europe/Prague.") from error


def _start(local: datetime, unit: TimelineUnit) -> datetime:
    start = local.replace(minute=0, second=0, microsecond=0)
    if unit == "hour":
        return start  # the hour that comes twice in autumn keeps its `fold`
    start = start.replace(hour=0, fold=0)
    if unit == "day":
        return start
    return start.replace(day=1) if unit == "month" else start.replace(month=1, day=1)


def _utc(start: datetime) -> datetime:
    try:
        return start.astimezone(UTC)
    except OverflowError:  # the year 1 begins earlier in the east
        return _FIRST


def _end(start: datetime, unit: TimelineUnit) -> datetime:
    try:
        return _next(start, unit).astimezone(UTC)
    except (OverflowError, ValueError):  # there is no year 10000
        return _LAST


def _next(start: datetime, unit: TimelineUnit) -> datetime:
    if unit == "hour":
        return (start.astimezone(UTC) + timedelta(hours=1)).astimezone(start.tzinfo)
    if unit == "day":
        return start + timedelta(days=1)  # by the clock on the wall
    if unit == "year" or start.month == _MONTHS:
        return start.replace(year=start.year + 1, month=1)
    return start.replace(month=start.month + 1)
