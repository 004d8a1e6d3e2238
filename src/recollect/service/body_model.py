"""Strict reading of bodies and queries."""

import re
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

VISIBLE: Final = r"[^\s\x00-\x1f\x7f-\x9f]"  # at least one visible character
_NUMBER: Final = re.compile(r"[+-]?[0-9.eE+-]+", re.ASCII)


class StrictBody(BaseModel):
    """A body, read strictly: no other fields, no text for a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _plain(value: object) -> object:
    """Refuse a number in a query that has blanks or anything else around it."""
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        raise ValueError("a number is written in digits")
    return value


PLAIN_NUMBER: Final = BeforeValidator(_plain)  # behind the limits, or the documentation would not know of them
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
