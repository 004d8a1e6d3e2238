"""Strict reading of bodies and queries; the descriptions and examples of openapi.json."""

import json
import re
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

_DOCUMENT: Final = json.loads(Path(__file__).with_name("openapi.json").read_text(encoding="utf-8"))
DESCRIPTIONS: Final[dict[str, str]] = _DOCUMENT["descriptions"]  # of response bodies
EXAMPLES: Final[dict[str, dict[str, Any]]] = _DOCUMENT["examples"]  # of request bodies

VISIBLE: Final = r"[^\s\x00-\x1f\x7f-\x9f]"  # at least one visible character
_NUMBER: Final = re.compile(r"[+-]?[0-9.eE+-]+", re.ASCII)


class StrictBody(BaseModel):
    """A body, read strictly: no other fields, no text for a number."""

    model_config = ConfigDict(extra="forbid", strict=True)

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
