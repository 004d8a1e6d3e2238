"""What the commands for keys and for the log do."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias, cast

from recollect.api.keys import USUAL_SCOPES
from recollect.authorization import ApiKey
from recollect.cli.edge import FAILED
from recollect.cli.errand import Answer, Errand, VerbFunction
from recollect.cli.values import coming_moment
from recollect.errors import InvalidInput, NotFound
from recollect.model.literals import Permission
from recollect.model.stats import AuditLine, Problem

KeyState: TypeAlias = Literal["live", "expired", "revoked"]

_ID: Final = re.compile(r"[0-9a-f]{1,16}")
_MOST_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A key, and whether it opens anything."""

    key: ApiKey
    state: KeyState


@dataclass(frozen=True, slots=True)
class MadeKey:
    """A key that was just made, and what its owner must keep."""

    known: KnownKey
    secret: str


@dataclass(frozen=True, slots=True)
class RevokedKey:
    """A key that opens nothing any more."""

    known: KnownKey


@dataclass(frozen=True, slots=True)
class KeyRing:
    """All keys, oldest first."""

    keys: tuple[KnownKey, ...]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A line of the log, with the name of the key that it was done with, if it has one."""

    line: AuditLine
    name: str


@dataclass(frozen=True, slots=True)
class Log:
    """What was done for a user, or with keys if `user` is None; oldest first."""

    user: str | None
    lines: tuple[LogEntry, ...]


@dataclass(frozen=True, slots=True)
class Verified:
    """What is wrong with the logs of all users and of the keys."""

    problems: tuple[Problem, ...]


def create_key(errand: Errand) -> Answer:
    """Make a key."""
    asked = errand.asked
    scopes = _scopes(asked["scope"])
    owner = errand.named if asked["owner"] is None else asked["owner"]
    if asked["owner"] is None and not owner and "admin" not in scopes:
        owner = errand.settings.user
    expires_at = None if asked["expires"] is None else coming_moment(asked["expires"], "expires", errand.now)
    made = errand.memory.keys.create(
        asked["name"] or "", user=owner, scopes=scopes, expires_at=expires_at, actor=errand.actor
    )
    return Answer(MadeKey(_known(made.key, errand.now), made.secret))


def _scopes(typed: Sequence[str] | None) -> tuple[Permission, ...]:
    """Read scopes, one or several to a word; the façade knows which there are."""
    if not typed:
        return USUAL_SCOPES
    words = [word.strip() for text in typed for word in text.split(",")]
    return tuple(cast("Permission", word) for word in words if word)


def list_keys(errand: Errand) -> Answer:
    """List all keys."""
    return Answer(KeyRing(tuple(_known(key, errand.now) for key in errand.memory.keys.list())))


def revoke_key(errand: Errand) -> Answer:
    """Let a key open nothing any more."""
    meant = _meant(errand.asked["id"], errand.memory.keys.list())
    revoked = errand.memory.keys.revoke(meant, actor=errand.actor)
    return Answer(RevokedKey(_known(revoked, errand.now)))


def _meant(typed: str, known: Sequence[ApiKey]) -> str:
    """Find the id that begins like this. Of a whole key only the id is looked at, and none of the rest repeated."""
    start = typed.strip().removeprefix("rk_").partition("_")[0].lower()
    if not _ID.fullmatch(start):
        raise NotFound("No such key: ids are made of up to 16 of the letters 0-9 and a-f. See `recollect keys list`.")
    found = [key.id for key in known if key.id.startswith(start)]
    if len(found) > 1:
        named = ", ".join(found[:_MOST_SHOWN]) + (", ..." if len(found) > _MOST_SHOWN else "")
        raise InvalidInput(f"{len(found)} keys begin with {start}: {named}. Type more of it.")
    if not found:
        raise NotFound(f"No key {start}. See which there are with `recollect keys list`.")
    return found[0]


def _known(key: ApiKey, now: datetime) -> KnownKey:
    if key.revoked_at is not None:
        return KnownKey(key, "revoked")
    return KnownKey(key, "live" if key.is_live(now) else "expired")


def audit(errand: Errand) -> Answer:
    """Show a log, or check all of them."""
    asked = errand.asked
    if asked["owner"] is not None and asked["keys"]:
        raise InvalidInput(
            "--for shows what was done for a user, and --keys what was done with keys: name one of them."
        )
    if asked["verify"]:
        if asked["owner"] is not None or asked["keys"]:
            raise InvalidInput("--verify checks the logs of all users and of the keys: leave out --for and --keys.")
        problems = errand.memory.doors.audit_flaws()
        return Answer(Verified(problems), FAILED if problems else 0)
    user = None if asked["keys"] else _whose(errand)
    names = {key.id: key.name for key in errand.memory.keys.list()}
    lines = errand.memory.doors.audit(user or "", last=asked["last"])
    return Answer(Log(user, tuple(LogEntry(line, names.get(line.actor, "")) for line in lines)))


def _whose(errand: Errand) -> str:
    owner = errand.asked["owner"]
    return errand.me.user_id if owner is None else errand.memory.user(owner).user_id  # which insists on a user's name


VERBS: Mapping[str, VerbFunction] = {
    "keys create": create_key,
    "keys list": list_keys,
    "keys revoke": revoke_key,
    "audit": audit,
}
