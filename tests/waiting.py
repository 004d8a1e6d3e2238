"""Waiting without a race: until something holds, and never for a fixed while. Only what does not come at all fails."""

from collections.abc import Callable
from time import monotonic, sleep
from typing import Final

# Decides only how long a broken build takes to fail: a machine under any load is faster.
PATIENCE_S: Final = 300.0
_FIRST_PAUSE_S: Final = 0.002
_LONGEST_PAUSE_S: Final = 0.1  # who asks too often keeps a busy machine from doing what is waited for


def until(holds: Callable[[], object], what: str = "what was waited for") -> None:
    """Poll until a condition holds; fail when it never does."""
    assert eventually(holds), f"{what} did not come within {PATIENCE_S:g} s"


def eventually(holds: Callable[[], object]) -> bool:
    """Poll until a condition holds, and say whether it ever did."""
    last_try_s = monotonic() + PATIENCE_S
    pause_s = _FIRST_PAUSE_S
    while not holds():
        if monotonic() > last_try_s:
            return False
        sleep(pause_s)
        pause_s = min(pause_s * 1.5, _LONGEST_PAUSE_S)
    return True
