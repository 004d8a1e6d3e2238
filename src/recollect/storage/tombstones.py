"""Keyed hashes of what was forgotten: without the secret of the store no text can be tried against them."""

import hmac
from typing import Final

from recollect.storage.session import StoreSession

KEYED: Final = "keyed_tombstones"  # the migration after which tombstones are keyed
_BYTES = 16


def tombstone_secret(session: StoreSession) -> bytes:
    """Read the secret, in a transaction that works for the store as a whole."""
    return bytes(session.row("get_secret", {"name": "tombstones"})[0])


def keyed(secret: bytes, fingerprint: str) -> str:
    """Give the tombstone of a fingerprint."""
    return hmac.digest(secret, fingerprint.encode("utf-8", "surrogatepass"), "sha256")[:_BYTES].hex()


def names_key(secret: bytes) -> bytes:
    """Give the key that hides the names of originals in an encrypted backup: they tell what a document says."""
    return hmac.digest(secret, b"names of originals in backups", "sha256")
