"""Time zones: the one that the setting `timezone` names, or the machine's."""

from datetime import UTC, datetime, timedelta, tzinfo


class MachineZone(tzinfo):
    """The time zone of the machine, with its summer time, which the zone of a local `datetime` does not have."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        """Give the offset that is in force at a moment."""
        return moment.replace(tzinfo=None).astimezone().utcoffset() if moment else None

    def dst(self, moment: datetime | None) -> timedelta | None:  # noqa: ARG002 - the machine does not tell
        """Give nothing: how much of the offset is summer time is unknown."""
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        """Give the zone's name at a moment."""
        return moment.replace(tzinfo=None).astimezone().tzname() if moment else None

    def fromutc(self, moment: datetime) -> datetime:
        """Give a moment in UTC as the machine's clock shows it."""
        return moment.replace(tzinfo=UTC).astimezone().replace(tzinfo=self)


def zone_named(name: str) -> tzinfo:
    """Give the time zone of a name; the machine's for none."""
    if not name:
        return MachineZone()
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - only who names a zone pays for it

    return ZoneInfo(name)
