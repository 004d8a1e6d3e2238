"""Whose memories: the names that users and shared scopes may have."""

import re
from typing import Final

from recollect.errors import InvalidInput
from recollect.model.memories import Scope
from recollect.model.scopes import is_reserved
from recollect.text.clean import clean

_MAX_USER_ID: Final = 128
_SCOPE_NAME: Final = re.compile(r"\w[\w.-]{0,63}")
_RESERVED: Final = frozenset({"all", "none"})


def scope_of(user_id: str) -> Scope:
    """Give the scope of a user, or say why there can be no such user."""
    scope = owner_of(user_id)
    if is_reserved(user_id):
        raise InvalidInput(
            f"The user id {user_id!r} cannot be used: names with `scope:` are those of shared scopes, which members "
            "open by the name of the scope."
        )
    return scope


def owner_of(user_id: str) -> Scope:
    """Give the scope of those who have rows: of a user, or of a shared scope."""
    if not isinstance(user_id, str) or not user_id or clean(user_id) != user_id or len(user_id) > _MAX_USER_ID:
        raise InvalidInput(
            f"The user id {user_id!r} cannot be used: it must be a text of 1 to {_MAX_USER_ID} characters without "
            "control characters or outer spaces, with its accents composed (NFC)."
        )
    return Scope(user_id)


def scope_name(name: str) -> str:
    """Check the name of a shared scope, or say why there can be no such scope."""
    if not isinstance(name, str) or not _SCOPE_NAME.fullmatch(name) or clean(name) != name or name in _RESERVED:
        raise InvalidInput(
            f"A shared scope cannot be called {name!r}: the name has 1 to 64 letters, digits, dots, hyphens or "
            "underscores, begins with a letter or digit, and is neither `all` nor `none`."
        )
    return name
