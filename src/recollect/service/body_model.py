"""Strict reading of bodies and queries; the descriptions and examples of openapi.json."""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final
from unicodedata import normalize

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, WithJsonSchema

from recollect.model.literals import TYPE_ALIASES, MemoryType

_DOCUMENT: Final = json.loads(Path(__file__).with_name("openapi.json").read_text(encoding="utf-8"))
DESCRIPTIONS: Final[dict[str, str]] = _DOCUMENT["descriptions"]  # of response bodies
EXAMPLES: Final[dict[str, dict[str, Any]]] = _DOCUMENT["examples"]  # of request bodies

VISIBLE: Final = r"[^\s\x00-\x1f\x7f-\x9f]"  # at least one visible character
_NUMBER: Final = re.compile(r"[+-]?[0-9.eE+-]+", re.ASCII)


class StrictBody(BaseModel):
    """A body, read strictly: no other fields, no text for a number."""

    model_config = ConfigDict(extra="forbid", strict=True)

    def sent(self, *besides: str) -> dict[str, Any]:
        """Give the fields that were sent and are not null, as arguments of a verb, besides those that are named."""
        fields = self.model_dump(exclude_unset=True, exclude={*besides})
        return {name: value for name, value in fields.items() if value is not None}

    @property
    def texts(self) -> int:
        """How many texts it brings to store, which is what it costs."""
        return 0


def _plain(value: object) -> object:
    """Refuse a number in a query that has blanks or anything else around it."""
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        raise ValueError("a number is written in digits")
    return value


PLAIN_NUMBER: Final = BeforeValidator(_plain)  # behind the limits, or the documentation would not know of them
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


_MOMENT: Final[TypeAdapter[datetime]] = TypeAdapter(datetime)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]", re.ASCII)


def _timestamp(value: object) -> datetime:
    """Read a timestamp. A number could mean seconds or milliseconds, so it is refused."""
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or not _DAY.match(value):
        raise ValueError("a moment is a text such as 2026-03-01T12:00:00Z")
    moment = _MOMENT.validate_python(value)
    if moment.tzinfo is None:
        raise ValueError("a moment needs its time zone, such as Z or +01:00")
    return moment


Timestamp = Annotated[
    datetime,
    BeforeValidator(_timestamp),
    WithJsonSchema({"type": "string", "format": "date-time"}),
    Field(strict=False),
]


# A moment, or words for one on the user's clock. What it is, is read with the user's time zone, by the verb.
TimeText = Annotated[str, Field(min_length=1, max_length=200, json_schema_extra={"format": "moment"})]


def whole(value: object) -> object:
    """Read 7.0 as 7, as JSON does."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# Two characters are spaces to some readers of patterns and not to others, so they are named.
TRIMMED: Final = (  # no control characters or outer spaces
    r"^[^\s\x00-\x1f\x85\ufeff]([^\x00-\x08\x0b-\x1f]*[^\s\x00-\x1f\x85\ufeff])?$"
)


COMPOSED: Final = AfterValidator(lambda name: normalize("NFC", name))  # keyboards and file systems differ in that
WHOLE_NUMBER: Final = BeforeValidator(whole)  # behind the limits, or the documentation would not know of them
GivenType = Annotated[
    MemoryType, BeforeValidator(lambda name: TYPE_ALIASES.get(name, name) if isinstance(name, str) else name)
]
