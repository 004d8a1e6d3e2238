"""What a store should hold, in as little Python as can say it: a list of rows, and rules that a person can check."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

HAPPENINGS = {"event", "experience", "session_summary"}

# Fields that the model does not vary.
_CONSTANT: dict[str, Any] = {
    "confidence": 1.0,
    "session": "",
    "lat": None,
    "lng": None,
    "address": "",
    "place_label": "",
    "metadata": {},
    "media": [],
}


class Refused(Exception):
    """The change would have to be turned down."""


_TIERS = {"user_stated": 3, "web": 0}


@dataclass
class Row:
    """A memory, known by its number."""

    number: int
    created_at: datetime
    updated_at: datetime
    valid_from: datetime
    content: str
    type: str = "other"
    subject: str = ""
    key: str = ""
    value: str = ""
    context: str = ""
    importance: float = 0.7
    source: str = "user_stated"
    trust: int = 3
    occurred_at: datetime | None = None
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    superseded_by: int | None = None

    @property
    def said(self) -> tuple[object, ...]:
        """What it says, whatever the spelling."""
        when = self.occurred_at if self.type in HAPPENINGS else None
        return self.content.casefold().rstrip("."), self.value.casefold(), when

    @property
    def about(self) -> tuple[str, str, str]:
        return self.subject, self.key, self.context

    @property
    def has_slot(self) -> bool:
        return bool(self.key) and self.type not in HAPPENINGS

    def lapsed(self, now: datetime) -> bool:
        return any(end is not None and end <= now for end in (self.expires_at, self.valid_until))

    def plain(self) -> dict[str, Any]:
        """Give the row as the twins show it."""
        shown = asdict(self)
        number, successor = shown.pop("number"), shown.pop("superseded_by")
        named = {"id": f"#{number}", "superseded_by": None if successor is None else f"#{successor}"}
        return {**shown, **named, **_CONSTANT}


class Model:
    """One user's memories."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}
        self.made = 0

    def remember(self, fields: Mapping[str, Any], now: datetime) -> tuple[str, int, int | None]:
        """Offer a memory; give the action, its number and the number of what was there before."""
        new = Row(**{"number": self.made, "created_at": now, "updated_at": now, "valid_from": now, **fields})
        new.trust = min(new.trust, _TIERS[new.source])
        old = next((row for row in self._unsuperseded() if _meets(row, new)), None)
        if old is None or old.lapsed(now):
            if old is not None:
                _retire(old, min(end for end in (old.expires_at, old.valid_until) if end is not None), new)
            self._add(new)
            return "created", new.number, None
        if not new.has_slot or old.said == new.said or (new.value and old.value.casefold() == new.value.casefold()):
            if new.trust > old.trust:
                old.trust, old.source, old.updated_at = new.trust, new.source, now
            return "duplicate", old.number, old.number
        if new.lapsed(now):
            end = min(end for end in (new.expires_at, new.valid_until) if end is not None)
            return self._outranked(new, old, max(end, new.valid_from))
        if new.trust < old.trust:
            return self._outranked(new, old, new.valid_from)
        until = new.valid_from if new.valid_from > old.valid_from else now
        _retire(old, max(until, old.valid_from), new)
        self._add(new)
        return "superseded", new.number, old.number

    def _outranked(self, new: Row, old: Row, until: datetime) -> tuple[str, int, int | None]:
        for version in self.history(old.number):
            if version.trust <= new.trust and version.said == new.said and version.number != old.number:
                return "outranked", version.number, old.number
        new.valid_until, new.superseded_by = until, old.number
        self._add(new)
        return "outranked", new.number, old.number

    def update(self, number: int, changes: Mapping[str, Any], now: datetime) -> Row:
        """Change a memory; what it was stays as a version."""
        row = self.rows[number]
        if row.superseded_by is not None:
            raise Refused
        until = changes.get("valid_until", row.valid_until)
        start = row.valid_from if until is not None and until <= now else max(now, row.valid_from)
        trust = 3 if "source" in changes else row.trust
        new = replace(row, **{"valid_from": start, "trust": trust, **changes})
        new.trust = min(new.trust, _TIERS[new.source])
        if new.trust < row.trust and new.said != row.said:
            raise Refused
        if new.valid_until is not None and new.valid_until <= new.valid_from:
            raise Refused
        if replace(new, valid_from=new.valid_from if "valid_from" in changes else row.valid_from) == row:
            return row
        twins = [other for other in self._unsuperseded() if other.number != number and _meets(other, new)]
        if any(not twin.lapsed(now) for twin in twins):
            raise Refused
        for twin in twins:
            _retire(twin, min(end for end in (twin.expires_at, twin.valid_until) if end is not None), new)
        end = new.valid_from if row.valid_until is None else min(new.valid_from, row.valid_until)
        self._add(replace(row, number=self.made, superseded_by=number, valid_until=max(end, row.valid_from)))
        self.rows[number] = replace(new, updated_at=now)
        return self.rows[number]

    def forget(self, number: int) -> set[int]:
        """Delete a memory with its history, or one old version; give the numbers that are gone."""
        if number not in self.rows:
            return set()
        row = self.rows[number]
        gone = {number}
        if row.superseded_by is None:
            gone = {version.number for version in self.history(number)}
        for other in self.rows.values():
            if other.superseded_by == number:
                other.superseded_by = row.superseded_by
        for doomed in gone:
            del self.rows[doomed]
        return gone

    def live(self, now: datetime) -> list[Row]:
        """Give what is listed, newest first."""
        return sorted((row for row in self._unsuperseded() if not row.lapsed(now)), key=lambda row: -row.number)

    def held(self, moment: datetime, now: datetime) -> list[Row]:
        """Give what was held true at a moment and has not expired since, newest first."""
        rows = (
            row
            for row in self.rows.values()
            if row.valid_from <= moment
            and (row.valid_until is None or row.valid_until > moment)
            and (row.expires_at is None or row.expires_at > now)
        )
        return sorted(rows, key=lambda row: -row.number)

    def history(self, number: int) -> list[Row]:
        """Give all versions that belong together, oldest first."""
        family = [row for row in self.rows.values() if self._root(row) == self._root(self.rows[number])]
        return sorted(family, key=lambda row: (row.superseded_by is None, row.valid_from, row.number))

    def _root(self, row: Row) -> int:
        while row.superseded_by is not None:
            row = self.rows[row.superseded_by]
        return row.number

    def _unsuperseded(self) -> Iterable[Row]:
        return (row for row in self.rows.values() if row.superseded_by is None)

    def _add(self, row: Row) -> None:
        self.rows[row.number] = row
        self.made += 1


def _meets(old: Row, new: Row) -> bool:
    """A slot has one holder; what has no slot can only meet its like."""
    if new.has_slot:
        return old.has_slot and old.about == new.about and (old.type == "preference") == (new.type == "preference")
    return (old.type, old.about, old.said) == (new.type, new.about, new.said)


def _retire(row: Row, until: datetime, successor: Row) -> None:
    row.valid_until, row.superseded_by = until, successor.number
