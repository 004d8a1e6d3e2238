"""Steps of a transaction that are put off until its end, where they run without the caller's attention."""

from collections.abc import Callable


class DeferredSteps:
    """What a writer still has to do before its transaction may be committed."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], None]] = []

    def add(self, step: Callable[[], None]) -> None:
        """Put a step off."""
        self._steps.append(step)

    def run(self) -> None:
        """Take the steps now: at the end, or earlier when something must see what they do."""
        steps, self._steps = self._steps, []
        for step in steps:
            step()
