"""Keyed hashes of what was forgotten: without the secret of the store no text can be tried against them.

A tombstone that came from another store is keyed with that store's secret, whose name stands before it.
"""

import hmac
from collections.abc import Mapping
from hashlib import blake2b
from typing import NamedTuple

from recollect.storage.session import StoreSession

_BYTES = 16
_OWN = "tombstones"
_FOREIGN = f"{_OWN}:"


class TombstoneSecrets(NamedTuple):
    """The secret of a store, and those of the stores from which tombstones were brought, by their names."""

    own: bytes
    foreign: Mapping[str, bytes]

    def mark(self, fingerprint: str) -> str:
        """Give the tombstone of a fingerprint."""
        return keyed(self.own, fingerprint)

    def marks(self, fingerprint: str) -> tuple[str, ...]:
        """Give all tombstones that a fingerprint may have."""
        foreign = (f"{name}:{keyed(secret, fingerprint)}" for name, secret in self.foreign.items())
        return self.mark(fingerprint), *foreign

    def named(self, tombstone: str) -> str:
        """Give a stored tombstone with the name of its secret."""
        return tombstone if ":" in tombstone else f"{secret_name(self.own)}:{tombstone}"

    def stored(self, tombstone: str) -> str:
        """Give a tombstone with the name of its secret as it is stored."""
        return tombstone.removeprefix(f"{secret_name(self.own)}:")

    def by_name(self) -> dict[str, bytes]:
        """Give all secrets."""
        return {secret_name(self.own): self.own, **self.foreign}


def tombstone_secret(session: StoreSession) -> bytes:
    """Read the store's own secret, in a transaction that works for the store as a whole."""
    return bytes(session.row("get_secret", {"name": _OWN})[0])


def tombstone_secrets(session: StoreSession) -> TombstoneSecrets:
    """Read all secrets, in such a transaction."""
    rows = {name: bytes(value) for name, value in session.rows("list_secrets")}
    foreign = {name.removeprefix(_FOREIGN): rows[name] for name in sorted(rows) if name.startswith(_FOREIGN)}
    return TombstoneSecrets(rows[_OWN], foreign)


def add_foreign(session: StoreSession, name: str, secret: bytes) -> None:
    """Keep the secret of another store, in such a transaction."""
    session.execute("add_secret", {"name": f"{_FOREIGN}{name}", "value": secret})


def secret_name(secret: bytes) -> str:
    """Name a secret by its hash."""
    return blake2b(secret, digest_size=8).hexdigest()


def keyed(secret: bytes, fingerprint: str) -> str:
    """Give the tombstone of a fingerprint."""
    return hmac.digest(secret, fingerprint.encode("utf-8", "surrogatepass"), "sha256")[:_BYTES].hex()


def names_key(secret: bytes) -> bytes:
    """Give the key that hides the names of originals in an encrypted backup: they tell what a document says."""
    return hmac.digest(secret, b"names of originals in backups", "sha256")
