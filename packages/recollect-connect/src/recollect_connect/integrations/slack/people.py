"""Whose memory a request of Slack means: one user for each person of each team, or a channel that is a shared scope.

Ids of Slack are unique within a team only, so the team is part of the name of a person. In a channel that is configured
as a shared scope, the channel is the member of the scope, and who may write there is up to Slack. Nothing else of one
person is ever shown to another.
"""

from collections.abc import Mapping

from recollect.api.memory import Memory
from recollect.api.user import UserMemory
from recollect.errors import InvalidInput

_ACTOR = "slack"


def user_name(team: str, person: str) -> str:
    """Give the name of the memory user of a person. Raises InvalidInput for what is no id of Slack."""
    return f"slack:{_checked(team)}:{_checked(person)}"


def channel_name(channel: str) -> str:
    """Give the name of the memory user that stands for a channel. Raises InvalidInput for what is no id of Slack."""
    return f"slack:{_checked(channel)}"


def _checked(word: str) -> str:
    if not word.isalnum() or not word.isascii():
        raise InvalidInput(f"{word!r} is no id of a team, person or channel of Slack.")
    return word


class People:
    """The memories of the people of Slack, and the shared scopes of channels, by the ids of the channels."""

    def __init__(self, memory: Memory, shared_channels: Mapping[str, str] | None = None) -> None:
        self._memory = memory
        self._scopes = {channel_name(channel): scope for channel, scope in (shared_channels or {}).items()}

    def admit_channels(self) -> None:
        """Make the channels members of their scopes."""
        for member, scope in self._scopes.items():
            if all((own.scope, own.role) != (scope, "writer") for own in self._memory.user(member).scopes()):
                self._memory.scopes.add(scope, member, role="writer", actor=_ACTOR)

    def is_shared(self, channel: str) -> bool:
        """Tell whether a channel is a shared scope."""
        return f"slack:{channel}" in self._scopes

    def name_of(self, team: str, person: str, channel: str) -> str:
        """Give the name of the memory that a request of a person in a channel is about."""
        return channel_name(channel) if self.is_shared(channel) else user_name(team, person)

    def named(self, name: str) -> UserMemory:
        """Give a memory by that name."""
        me, scope = self._memory.user(name), self._scopes.get(name)
        return me if scope is None else me.scope(scope)
