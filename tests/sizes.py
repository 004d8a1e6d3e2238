"""How much a test does: a part in every `make test`, all of it in `make test-all`, which sets `TESTS=all`."""

import os
from typing import Final

ALL: Final = os.environ.get("TESTS") == "all"


def sized(fast: int, slow: int) -> int:
    """Choose an amount of work by the size of this run."""
    return slow if ALL else fast
