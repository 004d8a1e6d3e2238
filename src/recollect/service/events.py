"""Server-sent events as bytes: what is sent down a live search. Plain functions over values."""

from typing import Final

from pydantic import BaseModel

from recollect.engine.search.live import LiveHit
from recollect.service.answered import HitBody, hit_body

HEARTBEAT: Final = b": still here\n\n"
RETRY_MS: Final = 2_000

# JSON may hold them as they are, and so may an event; but many clients cut lines there.
_BREAKS: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\u0085\u2028\u2029"}


class LiveHitBody(HitBody):
    """Something new that matches, with its place in the order of changes."""

    number: int


class PlaceInOrder(BaseModel):
    """The place up to which a live search has looked."""

    position: int


class ReadyBody(PlaceInOrder):
    """The place a live search begins after. `degraded` names what it has to do without."""

    degraded: list[str]


def event(name: str, number: int, data: BaseModel) -> bytes:
    """Make an event. Whoever comes back with its number goes on after it."""
    said = data.model_dump_json().translate(_BREAKS)
    return f"event: {name}\nid: {number}\ndata: {said}\n\n".encode()


def ready(position: int, degraded: tuple[str, ...]) -> bytes:
    """Begin: how soon to come back when the line is cut, and where the search begins."""
    return f"retry: {RETRY_MS}\n".encode() + event(
        "ready", position, ReadyBody(position=position, degraded=list(degraded))
    )


def found(live: LiveHit) -> bytes:
    """Give a match."""
    return event("hit", live.number, LiveHitBody(**hit_body(live.hit).model_dump(), number=live.number))


def reached(position: int) -> bytes:
    """Say how far the search has come without a match, so that whoever comes back does not begin far behind."""
    return event("position", position, PlaceInOrder(position=position))


def missed(position: int) -> bytes:
    """Say that changes before a place are no longer known."""
    return event("missed", position, PlaceInOrder(position=position))
