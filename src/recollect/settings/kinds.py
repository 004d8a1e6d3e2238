"""What a value may be: one `ValueKind` per sort of setting, which reads a raw value and says in words what it accepts.

Numbers and switches may be written as text, because that is all an environment variable or a `${VAR}` can give. The
invariant: reading what was read changes nothing, so a value may pass through here any number of times.
"""

import math
import unicodedata
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")
N = TypeVar("N", int, float)
Word = TypeVar("Word", bound=str)

HIDDEN = "***"
LONGEST_SHOWN = 80


class Unfit(ValueError):
    """A value is not of its kind. The text says what was expected, and is never the value itself."""


def plain(value: object) -> str:
    """Show a value in the words of a configuration file."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    shown = str(value)
    return shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}…"


def hidden(value: object) -> str:
    """Show that there is a secret, and nothing of it."""
    return "" if value == "" else HIDDEN


class ValueKind(NamedTuple, Generic[T]):
    """A sort of value.

    `parse` raises Unfit. `show` never reveals a secret. `noun` is set for a choice among words, such as `embedding
    provider`, and puts the refusal into the terms of that choice.
    """

    expected: str
    parse: Callable[[object], T]
    show: Callable[[object], str] = plain
    noun: str = ""


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Unfit
    try:
        if isinstance(value, float) and not value.is_integer():
            raise Unfit
        return int(value)
    except (ValueError, OverflowError):
        raise Unfit from None


def _real(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Unfit
    try:
        read = float(value)
    except (ValueError, OverflowError):
        raise Unfit from None
    if not math.isfinite(read):
        raise Unfit
    return read


def _bounded(read: Callable[[object], N], fits: Callable[[N], bool], expected: str) -> ValueKind[N]:
    def parse(value: object) -> N:
        found = read(value)
        if not fits(found):
            raise Unfit
        return found

    return ValueKind(expected, parse)


def whole(least: int, most: int) -> ValueKind[int]:
    """Accept a whole number between two bounds, both included."""
    return _bounded(_integer, lambda found: least <= found <= most, f"a whole number from {least} to {most}")


def number(least: float, most: float) -> ValueKind[float]:
    """Accept a number between two bounds, both included."""
    return _bounded(_real, lambda found: least <= found <= most, f"a number from {least:g} to {most:g}")


def number_above(bound: float, most: float) -> ValueKind[float]:
    """Accept a number above a bound that is itself excluded."""
    return _bounded(_real, lambda found: bound < found <= most, f"a number above {bound:g} and up to {most:g}")


def duration() -> ValueKind[float]:
    """Accept a span of time, such as `30m`, `1h` or `2d`, or a number of seconds; it becomes seconds."""
    units = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}

    def parse(value: object) -> float:
        unit = units.get(value.strip()[-1:].lower(), 0.0) if isinstance(value, str) else 0.0
        seconds = _real(value.strip()[:-1]) * unit if isinstance(value, str) and unit else _real(value)
        if not 1 <= seconds <= 366 * units["d"]:
            raise Unfit
        return seconds

    def show(value: object) -> str:
        if not isinstance(value, int | float) or isinstance(value, bool):
            return plain(value)
        unit = next((name for name, seconds in units.items() if value and value % seconds == 0), "")
        return f"{value / units[unit]:g}{unit}" if unit else plain(value)

    return ValueKind("a span of time such as 30m, 1h or 2d", parse, show)


def switch() -> ValueKind[bool]:
    """Accept true or false."""
    words = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}

    def parse(value: object) -> bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in words:
            return words[value.lower()]
        raise Unfit

    return ValueKind("true or false", parse)


def text(*, empty: bool = False, secret: bool = False) -> ValueKind[str]:
    """Accept text; secret text is never shown."""

    def parse(value: object) -> str:
        if not isinstance(value, str) or not (empty or value.strip()):
            raise Unfit
        return clean(value)

    return ValueKind("a text" if empty else "a text that is not empty", parse, hidden if secret else plain)


def clean(value: str) -> str:
    """Refuse what no database and no terminal can take: control characters and halves of surrogate pairs."""
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in value):
        raise Unfit("a text without control characters, in valid Unicode")
    return value


def choice(
    noun: str, words: tuple[Word, ...], other_names: Mapping[str, str] = MappingProxyType({})
) -> ValueKind[Word]:
    """Accept one of a few words. The noun names what they are: `embedding provider`; some may have other names."""

    def parse(value: object) -> Word:
        meant = other_names.get(value, value) if isinstance(value, str) else value
        for word in words:
            if meant == word:
                return word
        raise Unfit

    return ValueKind(", ".join(words), parse, noun=noun)


def _listed_texts(value: object, split: Callable[[str], list[str]]) -> list[str]:
    """Read a list of texts, or one text that is split; `none` is an empty list."""
    parts = [] if value == "none" else split(value) if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise Unfit
    return list(parts)


def _by_words(value: str) -> list[str]:
    return value.replace(",", " ").split()


def several(words: tuple[Word, ...]) -> ValueKind[tuple[Word, ...]]:
    """Accept some of a few words, as a list or in one text with commas between them; `none` is an empty list."""

    def parse(value: object) -> tuple[Word, ...]:
        parts = _listed_texts(value, _by_words)
        if not all(part in words for part in parts):
            raise Unfit
        return tuple(word for word in words if word in parts)

    return ValueKind(f"some of {', '.join(words)}, or none", parse, _listed)


def timezone() -> ValueKind[str]:
    """Accept the name of a time zone, or nothing."""

    def parse(value: object) -> str:
        if not isinstance(value, str):
            raise Unfit
        if value:
            from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - only who names a zone pays for it

            try:
                ZoneInfo(value)
            except (ZoneInfoNotFoundError, ValueError, OSError) as error:
                raise Unfit from error
        return value

    return ValueKind("the name of a time zone such as Europe/Prague, or nothing", parse)


def zones() -> ValueKind[tuple[str, ...]]:
    """Accept texts that each name a user and, after the last colon, a time zone, as a list or one to a line."""
    zone = timezone()

    def parse(value: object) -> tuple[str, ...]:
        lines = [line.strip() for line in _listed_texts(value, str.splitlines) if line.strip()]
        for user, _, name in (line.rpartition(":") for line in lines):
            if not user.strip() or not zone.parse(name.strip()):
                raise Unfit
        return tuple(map(clean, lines))

    return ValueKind("a list of texts such as `anna: Europe/Prague`, or none", parse, _listed)


def labelled(label: str, words: tuple[str, ...], *, commas: bool = False) -> ValueKind[tuple[str, ...]]:
    """Accept texts that each begin with one of a few words and a colon, as a list or one to a line.

    With `commas` these part them as well, where no text can hold one.
    """

    def parse(value: object) -> tuple[str, ...]:
        lines = _listed_texts(value, lambda given: (given.replace(",", "\n") if commas else given).splitlines())
        kept = tuple(clean(line.strip()) for line in lines if line.strip())
        if any(line.partition(":")[0].strip() not in words or not line.partition(":")[2].strip() for line in kept):
            raise Unfit
        return kept

    return ValueKind(
        f"a list of texts such as `{words[0]}: …`, with a {label} before the colon, or none", parse, _listed
    )


def words() -> ValueKind[tuple[str, ...]]:
    """Accept a list of words without spaces, as a list or in one text with commas between them."""

    def parse(value: object) -> tuple[str, ...]:
        kept = tuple(clean(part.strip()) for part in _listed_texts(value, _by_words))
        if any(len(part.split()) != 1 for part in kept):
            raise Unfit
        return kept

    return ValueKind("a list of words, or none", parse, _listed)


def texts() -> ValueKind[tuple[str, ...]]:
    """Accept a list of texts that may have spaces in them, as a list or in one text, by lines or with commas."""

    def parse(value: object) -> tuple[str, ...]:
        parts = _listed_texts(value, lambda given: given.replace("\n", ",").split(","))
        return tuple(clean(part.strip()) for part in parts if part.strip())

    return ValueKind("a list of texts, or none", parse, _listed)


def nodes() -> ValueKind[tuple[str, ...]]:
    """Accept lines that each describe a node: a name, then `url=`, `key=` and `users=`. Keys are never shown."""

    def parse(value: object) -> tuple[str, ...]:
        kept = tuple(" ".join(clean(line).split()) for line in _listed_texts(value, str.splitlines) if line.strip())
        for number, line in enumerate(kept, start=1):
            if _node(line) is None:
                raise Unfit(f"as node {number} a name, then `url=…` and `key=…` and perhaps `users=…`, each once")
        if len({line.split()[0] for line in kept}) < len(kept):
            raise Unfit("a list in which each node has a name of its own")
        return kept

    def show(value: object) -> str:
        try:
            return _listed([_shown_node(line) for line in parse(value)])
        except Unfit:  # who knows which of it is the key
            return HIDDEN

    return ValueKind("a list of texts such as `office url=https://… key=… users=anna,ben`, or none", parse, show)


def _node(line: str) -> dict[str, str] | None:
    """Take a node apart; None is for what is none."""
    name, *given = line.split()
    fields = dict(part.partition("=")[::2] for part in given)
    known = {"url", "key"} <= fields.keys() <= {"url", "key", "users"} and len(fields) == len(given)
    return {"name": name, **fields} if known and all(fields.values()) and "=" not in name else None


def _shown_node(line: str) -> str:
    """Show a node without its key; and without an address that holds more than one, which may be a password."""
    fields = _node(line) or {}
    url = HIDDEN if set("@?#") & set(fields["url"]) else fields["url"]
    users = f" users={fields['users']}" if "users" in fields else ""
    return f"{fields['name']} url={url} key={HIDDEN}{users}"


def _listed(value: object) -> str:
    return plain(", ".join(map(str, value))) if isinstance(value, list | tuple) and value else "none"


def optional(kind: ValueKind[T], word: str, *, or_false: bool = False) -> ValueKind[T | None]:
    """Accept nothing as well, which is spelled `null`, the given word, or, where that reads well, `false`.

    TOML has no null and an environment variable is always text, so a word is needed to say "nothing" everywhere.
    """
    spellings = {word, "null", "false"} if or_false else {word, "null"}

    def parse(value: object) -> T | None:
        if value is None or (or_false and value is False):
            return None
        if isinstance(value, str) and value.lower() in spellings:
            return None
        return kind.parse(value)

    def show(value: object) -> str:
        return word if value is None else kind.show(value)

    return ValueKind(f"{kind.expected}, or {word}", parse, show, kind.noun)


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
