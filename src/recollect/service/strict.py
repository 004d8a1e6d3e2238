"""What bodies and queries have in common: they are read strictly."""

import re
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

VISIBLE: Final = r"[^\s\x00-\x1f\x7f-\x9f]"  # something is left when what cannot be seen is taken away
_NUMBER: Final = re.compile(r"[+-]?[0-9.eE+-]+", re.ASCII)


class Body(BaseModel):
    """A body, read strictly: no other fields, no text for a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _bare(value: object) -> object:
    """Take a number of an address as it is written, without blanks or anything else around it."""
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        raise ValueError("a number is written in digits")
    return value


BARE: Final = BeforeValidator(_bare)  # behind the limits, or the documentation would not know of them
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
