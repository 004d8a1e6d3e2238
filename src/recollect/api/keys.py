"""`memory.keys`: API keys, one-time links to the page, and sessions. The store has only a hash of each secret.

A key reads `rk_<id>_<secret>`, a link `rl_…`, a session `rs_…`. The id finds its row, tells its kind and names it in
logs; the secret is long and random, so a plain hash of it is as good as a slow one. Hashes are compared in constant
time.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from recollect.authorization import KIND_LETTERS, LOCAL, Key, KeyKind, NewKey, Principal
from recollect.engine.base.audit import AuditedAction, note
from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import scope_of
from recollect.errors import InvalidInput, NotFound, StoreError, UnknownKey
from recollect.model.literals import PERMISSIONS, Permission
from recollect.storage.base import STORE, StoreWriter
from recollect.text.clean import clean
from recollect.verbs import Verbs

USUAL_SCOPES: Final[tuple[Permission, ...]] = ("read", "write", "forget")

LINK_LIFE: Final = timedelta(minutes=10)
SESSION_LIFE: Final = timedelta(hours=12)

_FORMS: Final[dict[KeyKind, re.Pattern[str]]] = {
    "key": re.compile(r"rk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})"),
    "link": re.compile(r"rl_(l[0-9a-f]{15})_([A-Za-z0-9_-]{43})"),
    "session": re.compile(r"rs_(s[0-9a-f]{15})_([A-Za-z0-9_-]{43})"),
}
_NO_SUCH_KEY: Final = "There is no such key, or it was revoked, or its time is over."
_NO_SUCH_LINK: Final = (
    "This link was used, or its time is over: it is good for one login. `recollect open` makes another."
)
_NO_HASH: Final = hashlib.sha256(b"").hexdigest()
_RECORD_USE_EVERY: Final = timedelta(minutes=1)
_NOTE_LOOK_EVERY: Final = timedelta(hours=1)
_MAX_NAME: Final = 100
_MAX_RECORDED_USES: Final = 10_000


class Keys(Verbs):
    """The API keys of a store."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._expired: set[str] = set()  # keys that this process has found to be expired
        self._last_uses: dict[str, datetime] = {}  # when the use of a key was last recorded, or could not be
        self._looks: dict[tuple[str, str], datetime] = {}  # when a session was last noted to look at a user's memory

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
        return self._create(Key(_new_id("key"), name, user, tuple(scopes), now, expires_at), actor)

    def create_link(
        self, *, user: str = "", scopes: Sequence[Permission] = USUAL_SCOPES, actor: str = LOCAL.id
    ) -> NewKey:
        """Create a one-time link to the page: its secret opens one session, within ten minutes.

        The session is for a user, or with the scope `admin` for all of them.
        """
        now = self._engine.clock.now()
        return self._create(Key(_new_id("link"), "link to the page", user, tuple(scopes), now, now + LINK_LIFE), actor)

    def open_session(self, secret: str) -> NewKey:
        """Open the session of a browser with a one-time link or a key, which a link does once. Raises UnknownKey.

        The session may do what the link or the key may, for twelve hours at most and no longer than the key; it ends
        when the key is revoked.
        """
        kind: KeyKind = "link" if secret.startswith("rl_") else "key"
        opener, now = self._authenticated(secret, kind), self._engine.clock.now()
        end = now + SESSION_LIFE
        if kind == "key" and opener.expires_at is not None:
            end = min(end, opener.expires_at)
        session = Key(_new_id("session"), _session_name(opener.id), opener.user_id, opener.scopes, now, end)
        made = secrets.token_urlsafe(32)

        def work(writer: StoreWriter) -> None:
            if kind == "link" and not writer.revoke_key(opener.id, now):
                raise UnknownKey(_NO_SUCH_LINK)
            writer.add_key(session, _hash(made))
            note(writer, STORE, AuditedAction(opener.id, "sessions.open"), [session.id], now)

        self._engine.store.write(STORE, work)
        return NewKey(session, _presented(session, made))

    def _create(self, key: Key, actor: str) -> NewKey:
        scopes = _checked_scopes(key.scopes, key.user_id)
        if key.user_id:
            scope_of(key.user_id)
        if clean(key.name) != key.name or len(key.name) > _MAX_NAME:
            raise InvalidInput(f"A key's name has at most {_MAX_NAME} characters, and no control characters.")
        end = key.expires_at
        if end is not None and (end.tzinfo is None or end <= key.created_at):
            raise InvalidInput(f"The key would expire at {end}, which is over, or is a time without a zone.")
        made, secret = replace(key, scopes=scopes), secrets.token_urlsafe(32)

        def work(writer: StoreWriter) -> None:
            writer.add_key(made, _hash(secret))
            note(writer, STORE, AuditedAction(actor, f"{made.kind}s.create"), [made.id], made.created_at)

        self._engine.store.write(STORE, work)
        return NewKey(made, _presented(made, secret))

    def list(self) -> tuple[Key, ...]:
        """List all keys, oldest first, revoked ones too; links to the page and sessions of browsers while they last."""
        now, stored = self._engine.clock.now(), self._engine.store.keys()
        return tuple(key for key in stored if key.kind == "key" or key.is_live(now))

    def open_sessions(self) -> tuple[Key, ...]:
        """List the sessions of browsers that are valid now, oldest first."""
        return tuple(key for key in self.list() if key.kind == "session")

    def revoke(self, key_id: str, *, actor: str = LOCAL.id) -> Key:
        """Revoke a key and its sessions from this moment on. Raises NotFound; revoking twice is fine."""
        key = self._find(key_id)
        if key is None:
            raise NotFound(f"No key {key_id}. See which there are with `recollect keys list`.")
        now = self._engine.clock.now()

        opened = [other.id for other in self.list() if other.name == _session_name(key_id) and other.kind == "session"]

        def work(writer: StoreWriter) -> None:
            for revoked in (key_id, *opened):
                writer.revoke_key(revoked, now)
            note(writer, STORE, AuditedAction(actor, f"{key.kind}s.revoke"), [key_id, *opened], now)

        if key.revoked_at is None:
            self._engine.store.write(STORE, work)
        return self._find(key_id) or key

    def _find(self, key_id: str) -> Key | None:
        row = self._engine.store.key(key_id)
        return row[0] if row else None

    def identify(self, presented: str) -> Principal:
        """Authenticate a caller by a key. Raises UnknownKey, which does not tell what is wrong with the key."""
        return _principal(self._authenticated(presented, "key"))

    def identify_session(self, presented: str) -> Principal:
        """Authenticate a browser by its session. Raises UnknownKey."""
        return _principal(self._authenticated(presented, "session"))

    def note_view(self, session: Principal, user: str) -> None:
        """Note in the audit log of a user that an admin's session looks at their memory, once an hour and process."""
        now, look = self._engine.clock.now(), (session.id, user)
        last = self._looks.get(look)
        if last is not None and abs(now - last) < _NOTE_LOOK_EVERY:
            return
        scope = scope_of(user)

        def work(writer: StoreWriter) -> None:
            note(writer, scope, AuditedAction(session.id, "page.view"), [], now)

        self._engine.store.write(scope, work)
        if len(self._looks) >= _MAX_RECORDED_USES:
            self._looks.clear()
        self._looks[look] = now

    def _authenticated(self, presented: str, kind: KeyKind) -> Key:
        form = _FORMS[kind].fullmatch(presented)
        row = self._engine.store.key(form[1]) if form else None
        key, expected = row or (None, _NO_HASH)
        fits = hmac.compare_digest(_hash(form[2] if form else ""), expected)
        now = self._engine.clock.now()
        if form is None or key is None or not fits or not self._still_live(key, now):
            raise UnknownKey(_NO_SUCH_LINK if kind == "link" else _NO_SUCH_KEY)
        self._record_use(key, now)
        return key

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
        return any("admin" in key.scopes and key.kind == "key" for key in self.list())


def _principal(key: Key) -> Principal:
    return Principal(key.id, key.user_id, frozenset(key.scopes))


def _new_id(kind: KeyKind) -> str:
    letter = next((letter for letter, meant in KIND_LETTERS.items() if meant == kind), "")
    return letter + secrets.token_hex(8)[len(letter) :]


def _session_name(opener_id: str) -> str:
    return f"page, opened with {opener_id}"


def _presented(key: Key, secret: str) -> str:
    return f"r{key.kind[0]}_{key.id}_{secret}"


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
