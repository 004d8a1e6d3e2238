"""`memory.keys`: API keys. The store has only a hash of each secret.

A key reads `rk_<id>_<secret>`. The id finds its row and names it in logs; the secret is long and random, so a plain
hash of it is as good as a slow one. Hashes are compared in constant time.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from recollect.authorization import LOCAL, Key, NewKey, Principal
from recollect.engine.audit.audit_log import AuditedAction, note
from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import scope_of
from recollect.errors import InvalidInput, NotFound, StoreError, UnknownKey
from recollect.model.literals import PERMISSIONS, Permission
from recollect.ports import STORE, StoreWriter
from recollect.text.clean import clean

USUAL_SCOPES: Final[tuple[Permission, ...]] = ("read", "write", "forget")

_FORM: Final = re.compile(r"rk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
_NO_HASH: Final = hashlib.sha256(b"").hexdigest()
_RECORD_USE_EVERY: Final = timedelta(minutes=1)
_MAX_NAME: Final = 100
_MAX_RECORDED_USES: Final = 10_000


class Keys:
    """The API keys of a store."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._expired: set[str] = set()  # keys that this process has found to be expired
        self._last_uses: dict[str, datetime] = {}  # when the use of a key was last recorded, or could not be

    def create(
        self,
        name: str = "",
        *,
        user: str = "",
        scopes: Sequence[Permission] = USUAL_SCOPES,
        expires_at: datetime | None = None,
        actor: str = LOCAL.id,
    ) -> NewKey:
        """Create a key. Its secret is in the answer and nowhere else.

        It belongs to one user, unless its scope is `admin`: that one may do everything, for every user. `actor` is for
        the audit log.
        """
        now = self._engine.clock.now()
        key_scopes = _checked_scopes(scopes, user)
        if user:
            scope_of(user)
        if clean(name) != name or len(name) > _MAX_NAME:
            raise InvalidInput(f"A key's name has at most {_MAX_NAME} characters, and no control characters.")
        if expires_at is not None and (expires_at.tzinfo is None or expires_at <= now):
            raise InvalidInput(f"The key would expire at {expires_at}, which is over, or is a time without a zone.")
        key = Key(secrets.token_hex(8), name, user, key_scopes, now, expires_at)
        secret = secrets.token_urlsafe(32)

        def work(writer: StoreWriter) -> None:
            writer.add_key(key, _hash(secret))
            note(writer, STORE, AuditedAction(actor, "keys.create"), [key.id], now)

        self._engine.store.write(STORE, work)
        return NewKey(key, f"rk_{key.id}_{secret}")

    def list(self) -> tuple[Key, ...]:
        """List all keys, oldest first, revoked ones too."""
        return tuple(self._engine.store.keys())

    def revoke(self, key_id: str, *, actor: str = LOCAL.id) -> Key:
        """Revoke a key from this moment on. Raises NotFound; revoking twice is fine."""
        key = self._find(key_id)
        if key is None:
            raise NotFound(f"No key {key_id}. See which there are with `recollect keys list`.")
        now = self._engine.clock.now()

        def work(writer: StoreWriter) -> None:
            writer.revoke_key(key_id, now)
            note(writer, STORE, AuditedAction(actor, "keys.revoke"), [key_id], now)

        if key.revoked_at is None:
            self._engine.store.write(STORE, work)
        return self._find(key_id) or key

    def _find(self, key_id: str) -> Key | None:
        row = self._engine.store.key(key_id)
        return row[0] if row else None

    def identify(self, presented: str) -> Principal:
        """Authenticate a caller by a key. Raises UnknownKey, which does not tell what is wrong with the key."""
        form = _FORM.fullmatch(presented)
        row = self._engine.store.key(form[1]) if form else None
        key, expected = row or (None, _NO_HASH)
        fits = hmac.compare_digest(_hash(form[2] if form else ""), expected)
        now = self._engine.clock.now()
        if form is None or key is None or not fits or not self._still_live(key, now):
            raise UnknownKey("There is no such key, or it was revoked, or its time is over.")
        self._record_use(key, now)
        return Principal(key.id, key.user_id, frozenset(key.scopes))

    def _still_live(self, key: Key, now: datetime) -> bool:
        """Tell whether a key is valid. One that is found to have expired is closed for good, whatever a clock says."""
        if key.is_over(now):
            if len(self._expired) < _MAX_RECORDED_USES:
                self._expired.add(key.id)
            with suppress(StoreError):  # it cannot be written now: this process knows, and the next one finds out
                self._engine.store.close_expired_keys(now)
        return key.is_live(now) and key.id not in self._expired

    def _record_use(self, key: Key, now: datetime) -> None:
        """Record the use of a key, at most once a minute, and only if no request waits for it."""
        last = max(filter(None, (key.last_used_at, self._last_uses.get(key.id))), default=None)
        if last is not None and now - last < _RECORD_USE_EVERY:
            return
        if len(self._last_uses) >= _MAX_RECORDED_USES:
            self._last_uses.clear()
        self._last_uses[key.id] = now
        with suppress(StoreError):  # not worth a request
            self._engine.store.touch_key(key.id, now)

    def is_live(self, key_id: str) -> bool:
        """Tell whether a key is still valid: neither revoked nor expired."""
        key = self._find(key_id)
        return key_id == LOCAL.id or (key is not None and self._still_live(key, self._engine.clock.now()))

    def had_admin(self) -> bool:
        """Tell whether there ever was an admin key, revoked and expired ones included."""
        return any("admin" in key.scopes for key in self.list())


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _checked_scopes(scopes: Sequence[Permission], user: str) -> tuple[Permission, ...]:
    unknown = [scope for scope in scopes if scope not in PERMISSIONS]
    if unknown or not scopes:
        problem = f"Unknown scope: {unknown[0]}." if unknown else "A key without a scope opens nothing."
        raise InvalidInput(f"{problem} Scopes are: {', '.join(PERMISSIONS)}.")
    if ("admin" in scopes) == bool(user):
        raise InvalidInput(
            "An admin's key is for every user: leave out the user, or the scope `admin`."
            if user
            else "A key belongs to a user. Name one with --user; only a key with the scope `admin` has none."
        )
    return tuple(scope for scope in PERMISSIONS if scope in scopes)
