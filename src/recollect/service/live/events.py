"""Server-sent events as bytes. Pure functions."""

import json
from typing import Final

from recollect.engine.search.live import LiveHit
from recollect.service.responses import HitBody

HEARTBEAT: Final = b": still here\n\n"
RETRY_MS: Final = 2_000

# JSON may hold them as they are, and so may an event; but many clients cut lines there.
_LINE_BREAKS: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\u0085\u2028\u2029"}


def _event(name: str, number: int, data: str) -> bytes:
    """Encode an event. A client that comes back with its number goes on after it."""
    return f"event: {name}\nid: {number}\ndata: {data.translate(_LINE_BREAKS)}\n\n".encode()


def ready(position: int, degraded: tuple[str, ...]) -> bytes:
    """Begin: when to reconnect, where the search begins, and what it has to do without."""
    data = json.dumps({"position": position, "degraded": degraded}, separators=(",", ":"))
    return f"retry: {RETRY_MS}\n".encode() + _event("ready", position, data)


def hit(live: LiveHit) -> bytes:
    """Encode a match, with its number in the order of changes."""
    shown = HitBody.model_validate(live.hit).model_dump_json()
    return _event("hit", live.number, f'{shown[:-1]},"number":{live.number}}}')


def reached(position: int) -> bytes:
    """Say how far the search has come without a match, so that a client that comes back does not begin far behind."""
    return _event("position", position, f'{{"position":{position}}}')


def missed(position: int) -> bytes:
    """Say that changes before a position are no longer known."""
    return _event("missed", position, f'{{"position":{position}}}')
