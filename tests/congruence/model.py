"""What a store should hold, in as little Python as can say it: a list of rows, and rules that a person can check."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

HAPPENINGS = {"event", "experience", "session_summary"}
FIELDS = ("type", "subject", "key", "context", "value", "occurred_at")  # what a memory is about, the weightiest first

# Fields that the model does not vary.
_CONSTANT: dict[str, Any] = {
    "confidence": 1.0,
    "session": "",
    "lat": None,
    "lng": None,
    "address": "",
    "place_label": "",
    "media": [],
}


class Refused(Exception):
    """The change would have to be turned down."""


class Answer(NamedTuple):
    """What became of an offer."""

    action: str
    number: int
    existing: int | None = None
    taken_over: tuple[str, ...] = ()


# In the order in which an answer names what was taken over.
_TAKEN = (
    "type",
    "subject",
    "key",
    "value",
    "context",
    "importance",
    "occurred_at",
    "valid_from",
    "valid_until",
    "expires_at",
)
_LIGHT = ("trust", "source", "expires_at", "updated_at")
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
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        return self.content.casefold().rstrip(".")

    @property
    def said(self) -> tuple[object, ...]:
        """What it says, whatever the spelling."""
        return self.words, self.value.casefold(), self.occurred_at

    @property
    def about(self) -> tuple[str, str, str]:
        return self.subject, self.key, self.context

    @property
    def has_slot(self) -> bool:
        return bool(self.key) and self.type not in HAPPENINGS

    @property
    def slot(self) -> tuple[object, ...] | None:
        return (*self.about, self.type == "preference") if self.has_slot else None

    @property
    def end(self) -> datetime:
        return min(end for end in (self.expires_at, self.valid_until) if end is not None)

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

    def remember(self, fields: Mapping[str, Any], now: datetime) -> Answer:
        """Offer a memory; give the action, its number, that of what was there before, and what was taken over."""
        (answer,) = self.remember_many([fields], now)
        return answer

    def remember_many(self, offered: Sequence[Mapping[str, Any]], now: datetime) -> list[Answer]:
        """Offer memories one after the other; the versions that repetitions make are numbered after all of them."""
        start, self._versions = self.made, self.made + len(offered)
        answers = []
        for number, fields in enumerate(offered, start):
            new = Row(**{"number": number, "created_at": now, "updated_at": now, "valid_from": now, **fields})
            new.trust = min(new.trust, _TIERS[new.source])
            answers.append(self._offer(new, now))
        made = sorted(number for number in self.rows if number >= start)
        names = dict(zip(made, range(start, start + len(made)), strict=True))
        for row in self.rows.values():
            row.number = names.get(row.number, row.number)
            if row.superseded_by is not None:
                row.superseded_by = names.get(row.superseded_by, row.superseded_by)
        self.rows = {row.number: row for row in sorted(self.rows.values(), key=lambda row: row.number)}
        self.made = start + len(made)
        return [
            answer._replace(
                number=names.get(answer.number, answer.number),
                existing=None if answer.existing is None else names.get(answer.existing, answer.existing),
            )
            for answer in answers
        ]

    def _offer(self, new: Row, now: datetime) -> Answer:
        holder = next((row for row in self._unsuperseded() if new.has_slot and row.slot == new.slot), None)
        repeated = [row for row in self._unsuperseded() if _repeats(row, new)]
        twin = _nearest((row for row in repeated if not row.lapsed(now)), new)
        if holder is not None and not holder.lapsed(now):
            return self._meet_holder(new, holder, twin, now)
        if holder is None and twin is None and not new.has_slot:
            holder = _nearest(repeated, new)
        if holder is not None:
            _retire(holder, holder.end, new if twin is None else twin)
        if twin is not None:
            return self._confirm(twin, new, now)
        self.rows[new.number] = new
        return Answer("created", new.number)

    def _meet_holder(self, new: Row, holder: Row, twin: Row | None, now: datetime) -> Answer:
        values = (holder.value.casefold(), new.value.casefold())
        if values[0] == values[1] if all(values) else holder.words == new.words:
            return self._confirm(holder, new, now)
        beaten = new.lapsed(now) or new.trust < holder.trust
        until = new.valid_from if new.valid_from > holder.valid_from else now
        if twin is not None and not twin.key:
            if beaten:
                return self._confirm(twin, new, now, fields=False)
            _retire(holder, max(until, holder.valid_from), twin)
            return self._confirm(twin, new, now)._replace(action="superseded", existing=holder.number)
        if beaten:
            return self._outranked(new, holder, max(new.end, new.valid_from) if new.lapsed(now) else new.valid_from)
        _retire(holder, max(until, holder.valid_from), new)
        self.rows[new.number] = new
        return Answer("superseded", new.number, holder.number)

    def _confirm(self, old: Row, new: Row, now: datetime, *, fields: bool = True) -> Answer:
        """Let a memory take over what its repetition adds; what changed more than its trust or expiry is a version."""
        after = _merged(old, new) if fields else replace(old, occurred_at=old.occurred_at or new.occurred_at)
        after = replace(
            after,
            expires_at=new.expires_at,
            valid_until=new.valid_until,
            importance=max(old.importance, new.importance),
        )
        if new.valid_from != now or (new.valid_until is not None and new.valid_until <= old.valid_from):
            after.valid_from = new.valid_from
        names = tuple(name for name in _TAKEN if getattr(after, name) != getattr(old, name))
        if new.source != old.source:
            other = old.source if new.trust > old.trust else new.source
            after.metadata = {"also_from": [*dict.fromkeys((*old.metadata.get("also_from", ()), other))]}
        if new.trust > old.trust:
            after.trust, after.source = new.trust, new.source
        if after != old:
            after.updated_at = now
            if replace(after, **{name: getattr(old, name) for name in _LIGHT}) != old:
                self._revise(old, after, now)
            self.rows[old.number] = after
        return Answer("duplicate", old.number, old.number, names)

    def _revise(self, old: Row, after: Row, now: datetime) -> None:
        if after.valid_from == old.valid_from:
            after.valid_from = max(now, old.valid_from)
        for row in self._unsuperseded():
            if row.number != old.number and _alike(row, after):
                _retire(row, row.end, after)
        end = after.valid_from if old.valid_until is None else min(after.valid_from, old.valid_until)
        version = replace(old, number=self._versions, superseded_by=old.number, valid_until=max(end, old.valid_from))
        self.rows[version.number] = version
        self._versions += 1

    def _outranked(self, new: Row, old: Row, until: datetime) -> Answer:
        for version in self.history(old.number):
            if version.trust <= new.trust and version.said == new.said and version.number != old.number:
                return Answer("outranked", version.number, old.number)
        new.valid_until, new.superseded_by = until, old.number
        self.rows[new.number] = new
        return Answer("outranked", new.number, old.number)

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
        if changes.keys() == {"expires_at"}:
            row.expires_at, row.updated_at = new.expires_at, now
            return row
        twins = [other for other in self._unsuperseded() if other.number != number and _meets(other, new)]
        if any(not twin.lapsed(now) for twin in twins):
            raise Refused
        for twin in twins:
            _retire(twin, twin.end, new)
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
    return old.slot == new.slot if new.has_slot else _alike(old, new)


def _alike(old: Row, new: Row) -> bool:
    return (old.type, old.about, old.said) == (new.type, new.about, new.said)


def _repeats(old: Row, new: Row) -> bool:
    """The same words are one memory, unless what both say of them differs.

    Of what only one says, a sentence must name the subject; a word alone says too little to be about the same. And
    what holds a slot keeps it.
    """
    sentence = len(new.words.split()) > 2
    after = _merged(old, new)
    return (
        old.words == new.words
        and (old.type == new.type or "other" in (old.type, new.type))
        and (not (old.value and new.value) or old.value.casefold() == new.value.casefold())
        and (old.subject == new.subject or (sentence and "" in (old.subject, new.subject)))
        and (old.key == new.key or (sentence and "" in (old.key, new.key)))
        and old.context == new.context  # which no sentence of the machine names
        and (old.occurred_at == new.occurred_at or None in (old.occurred_at, new.occurred_at))
        and (after.slot == (new.slot or old.slot) or (after.has_slot and after.slot == old.slot))
    )


def _nearest(rows: Iterable[Row], new: Row) -> Row | None:
    return min(
        rows,
        key=lambda row: (*(getattr(row, name) != getattr(new, name) for name in FIELDS), row.number),
        default=None,
    )


def _merged(old: Row, new: Row) -> Row:
    """Fill in what only the repetition says."""
    after = replace(old, **{name: getattr(old, name) or getattr(new, name) for name in FIELDS})
    if old.type == "other" or (new.type != "other" and new.key and not old.key):
        after.type = new.type
    return after


def _retire(row: Row, until: datetime, successor: Row) -> None:
    row.valid_until, row.superseded_by = until, successor.number
