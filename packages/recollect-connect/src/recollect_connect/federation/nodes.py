"""The nodes of the settings, and for which users each may be asked.

A node is enabled only for the users who are named in its line: a query is private, and must not leave the machine
because another user has a node.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from recollect.errors import InvalidInput, NotPermitted, SettingsError
from recollect.http_client import ApiKey, checked_url
from recollect_connect.federation.node_answers import LOCAL_NODE

ALL_USERS: Final = "*"

_RESERVED: Final = (LOCAL_NODE, "all", "none")  # the last two mean something to `search --nodes`
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class FederationNode:
    """Another Recollect service: its address, our key for it, and the users whose searches may be sent there."""

    name: str
    address: str
    key: ApiKey
    users: frozenset[str]

    def is_for(self, user_id: str) -> bool:
        """Tell whether the searches of a user may be sent there."""
        return user_id in self.users or ALL_USERS in self.users


def parse_nodes(lines: Iterable[str]) -> tuple[FederationNode, ...]:
    """Parse the lines of `federation.nodes`, whose form the settings have checked. Raises SettingsError."""
    nodes = tuple(map(_parse, lines))
    names = [node.name for node in nodes]
    duplicate = next((name for name in names if names.count(name) > 1), None)
    if duplicate is not None:
        raise SettingsError(f"federation.nodes has two nodes that are called {duplicate}. Give each a name of its own.")
    return nodes


def choose_nodes(
    nodes: Sequence[FederationNode], user_id: str, names: Sequence[str] | None
) -> tuple[FederationNode, ...]:
    """Choose the nodes to ask for a user: those that are named, or all that are enabled.

    `local` may be named; it is always searched. Raises InvalidInput for a node that is unknown, and NotPermitted for
    one that is not enabled for this user, before anything is sent.
    """
    enabled = sorted((node for node in nodes if node.is_for(user_id)), key=lambda node: node.name)
    if names is None:
        return tuple(enabled)
    if isinstance(names, str):
        raise InvalidInput(f"nodes is the text {names!r}; give several, for example ({names!r},).")
    known_names = {node.name for node in nodes}
    for name in names:
        if not isinstance(name, str) or name not in {LOCAL_NODE, *known_names}:
            ours = ", ".join(node.name for node in enabled) or "none; federation.nodes in the settings lists them"
            raise InvalidInput(f"Unknown node {name!r}. Nodes for this user: {ours}.")
    allowed = {LOCAL_NODE, *(node.name for node in enabled)}
    for name in names:
        if name not in allowed:
            raise NotPermitted(
                f"The node {name} is not enabled for the user {user_id!r}, so nothing was sent. "
                "`users=` in its line of federation.nodes says for whom it is."
            )
    return tuple(node for node in enabled if node.name in names)


def _parse(line: str) -> FederationNode:
    name, *parts = line.split()
    if not _NAME.fullmatch(name):
        raise SettingsError(
            "The name of a node in federation.nodes may hold up to 64 letters, digits, dots, dashes and underscores, "
            "and begins with a letter or digit."
        )
    if name in _RESERVED:
        raise SettingsError(f"A node in federation.nodes cannot be called {name}, which has a meaning of its own.")
    fields = dict(part.partition("=")[::2] for part in parts)
    users = frozenset(filter(None, fields.get("users", "").split(",")))
    address = checked_url(fields.get("url", ""), f"the node {name}", "https://memory.example")
    try:
        key = ApiKey(fields.get("key", ""))
    except SettingsError as error:
        raise SettingsError(f"The node {name} in federation.nodes: {error}") from None
    return FederationNode(name, address, key, users)
