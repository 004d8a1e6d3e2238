"""Quotas: how much each user may have, and add in a minute."""

from collections.abc import Mapping

from recollect.errors import SettingsError
from recollect.model.stats import UserLimits
from recollect.settings import LimitSettings

_NAMES = UserLimits._fields


class Quotas:
    """The limits of the settings, with their exceptions for single users. Raises SettingsError for a wrong one."""

    def __init__(self, settings: LimitSettings) -> None:
        self._usual = UserLimits(settings.memories, settings.storage_mb, settings.texts_per_minute)
        self._exceptions: Mapping[str, UserLimits] = dict(map(self._read, settings.users))

    def of(self, user_id: str) -> UserLimits:
        """Give the limits of a user."""
        return self._exceptions.get(user_id, self._usual)

    def _read(self, line: str) -> tuple[str, UserLimits]:
        user, colon, words = line.rpartition(":")
        given = dict(word.partition("=")[::2] for word in words.split())
        if not (colon and user.strip() and given and given.keys() <= {*_NAMES}) or not all(
            number.isdecimal() for number in given.values()
        ):
            raise SettingsError(
                f"limits.users: {line!r} does not name a user and limits. Write a user id, a colon, and some of "
                f"{', '.join(f'{name}=N' for name in _NAMES)}; 0 is without limit."
            )
        return user.strip(), self._usual._replace(**{name: int(number) for name, number in given.items()})
