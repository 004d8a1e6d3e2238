"""Whose memories: the names that users may have."""

from recollect.errors import InvalidInput
from recollect.model.memories import Scope
from recollect.text.clean import clean

_MAX_USER_ID = 128


def scope_of(user_id: str) -> Scope:
    """Give the scope of a user, or say why there can be no such user."""
    if not isinstance(user_id, str) or not user_id or clean(user_id) != user_id or len(user_id) > _MAX_USER_ID:
        raise InvalidInput(
            f"The user id {user_id!r} cannot be used: it must be a text of 1 to {_MAX_USER_ID} characters without "
            "control characters or outer spaces, with its accents composed (NFC)."
        )
    return Scope(user_id)
