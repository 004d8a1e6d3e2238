"""How much the long tests do: enough for every `make test`, or much more when `TESTS=nightly` is set."""

import os
from typing import Final

NIGHTLY: Final = os.environ.get("TESTS") == "nightly"


def by_night(usual: int, nightly: int) -> int:
    """Give the amount for this run."""
    return nightly if NIGHTLY else usual
