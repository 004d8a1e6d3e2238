"""Reads front matter: what a note says about itself between two lines of dashes (YAML) or pluses (TOML) at its top.

The invariant: what comes out can be written as JSON and is small, whatever stood there; what cannot be read is text.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, Final, NamedTuple

from recollect_files.chunks.layout import SourceLines

_MOST_BYTES: Final = 16_384
_MOST_DEPTH: Final = 8
_MOST_ITEMS: Final = 200
_MOST_VALUES: Final = 1_000
_MOST_CHARACTERS: Final = 2_000
_LONGEST_NAME: Final = 100
_LARGEST: Final = 1 << 63
_ENDS: Final = {"---": ("---", "..."), "+++": ("+++",)}
_DATES: Final = ("date", "created", "created_at", "day", "published")


class FrontMatter(NamedTuple):
    """What front matter says, and how many lines of the text it takes."""

    lines: int
    values: Mapping[str, Any]
    dated_at: datetime | None
    broken: bool = False


NO_FRONT_MATTER: Final = FrontMatter(0, {}, None)


def read_front_matter(text: SourceLines) -> FrontMatter:
    """Read the front matter of a text, if it has any."""
    mark = text.lines[0].removeprefix("\ufeff").rstrip()
    ends = _ENDS.get(mark)
    if ends is None:
        return NO_FRONT_MATTER
    last = _last_line(text, ends)
    if not last:
        return NO_FRONT_MATTER
    import tomllib  # noqa: PLC0415 - the parsers are imported for notes that have front matter

    import yaml  # noqa: PLC0415 - as above

    block = "\n".join(text.lines[1:last])
    try:
        found = tomllib.loads(block) if mark == "+++" else _yaml(block)
        values = _Plain().of(found, 0)
    except (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        # The readers raise all of these for some text or other.
        return FrontMatter(0, {}, None, broken=True)
    if not isinstance(values, dict):
        return NO_FRONT_MATTER
    return FrontMatter(last + 1, values, _dated(found))


def _last_line(text: SourceLines, ends: Sequence[str]) -> int:
    for number in range(1, len(text.lines)):
        if text.places[number] > _MOST_BYTES:
            return 0
        if text.lines[number].rstrip() in ends:
            return number
    return 0


def _yaml(block: str) -> Any:  # noqa: ANN401 -- whatever the note says
    """Read YAML that neither refers to itself nor is nested without end."""
    import yaml  # noqa: PLC0415 - as above

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    depth = 0
    for event in yaml.parse(block, Loader=loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MOST_DEPTH or isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError("Found an alias or very deep nesting in front matter. Write it flat and in full.")
    return yaml.load(block, Loader=loader)  # noqa: S506 -- the loader is the safe one


class _Plain:
    """Makes values that can be written as JSON, and counts them."""

    def __init__(self) -> None:
        self._left = _MOST_VALUES

    def of(self, value: Any, depth: int) -> Any:  # noqa: ANN401 -- whatever the note says
        """Give a value as JSON has it; what is too deep or too much becomes None."""
        self._left -= 1
        if not isinstance(value, Mapping | list | tuple | set | frozenset):
            return _scalar(value)
        if depth >= _MOST_DEPTH or self._left < 0:
            return None
        if isinstance(value, Mapping):
            return {_name(key): self.of(inner, depth + 1) for key, inner in [*value.items()][:_MOST_ITEMS]}
        return [self.of(inner, depth + 1) for inner in [*value][:_MOST_ITEMS]]


def _scalar(value: object) -> str | float | bool | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value[:_MOST_CHARACTERS]
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, int | float) and math.isfinite(value) and abs(value) < _LARGEST:
        return value
    return None


def _name(key: object) -> str:
    return str(key.isoformat() if isinstance(key, date) else key)[:_LONGEST_NAME]


def _dated(values: Mapping[str, Any]) -> datetime | None:
    """Give the day that a note says it is about."""
    by_name = {str(name).lower(): value for name, value in values.items()}
    return next((moment for name in _DATES if (moment := moment_of(by_name.get(name)))), None)


def moment_of(value: object) -> datetime | None:
    """Understand a moment or a day, as a date or as ISO 8601; without a zone it is taken for UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if not isinstance(value, datetime):
        return None
    try:
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
    except (OverflowError, ValueError):
        return None
