"""Whose memory a request of Slack means: one user for each person of each team.

Ids of Slack are unique within a team only, so the team is part of the name. A channel that is configured as a shared
scope is refused until there are shared scopes: nothing of one person is ever shown to another.
"""

from collections.abc import Collection

from recollect.api.memory import Memory
from recollect.api.user import UserMemory
from recollect.errors import InvalidInput


def user_name(team: str, person: str) -> str:
    """Give the name of the memory user of a person. Raises InvalidInput for what is no id of Slack."""
    for word in (team, person):
        if not word.isalnum() or not word.isascii():
            raise InvalidInput(f"{word!r} is no id of a team or person of Slack.")
    return f"slack:{team}:{person}"


class People:
    """The memories of the people of Slack."""

    def __init__(self, memory: Memory, shared_channels: Collection[str] = ()) -> None:
        if shared_channels:
            raise InvalidInput(
                f"The channels {', '.join(sorted(shared_channels))} are configured as shared scopes, which this "
                "version does not have. Leave them out: each person has a memory of their own."
            )
        self._memory = memory

    def memory_of(self, team: str, person: str) -> UserMemory:
        """Give the memory of a person."""
        return self._memory.user(user_name(team, person))
