"""Somebody who could not be asked is left alone for a while, by everybody in this process."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(slots=True)
class Cooldown:
    """Until when somebody is left alone."""

    _until: datetime | None = None

    def rest(self, now: datetime, pause_s: float) -> None:
        """Leave them alone for so long; not at all for 0."""
        self._until = now + timedelta(seconds=pause_s) if pause_s else None

    def left_s(self, now: datetime) -> float:
        """Say for how long they are still left alone."""
        return max(0.0, (self._until - now).total_seconds()) if self._until else 0.0
