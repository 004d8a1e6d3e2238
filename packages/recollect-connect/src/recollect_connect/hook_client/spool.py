"""Requests that wait until the service takes them: one private file each, delivered in their order, at most once.

A request is written down before it is sent, and its file is removed when the service has answered; so a process that
is killed in between loses nothing. Each carries an idempotency key, so one that was carried out although its answer got
lost is not carried out again. The folder has a largest size: what exceeds it displaces the oldest requests, and the
file `dropped` says which ones, without what they said.

Other integrations use it, too:

    spool = Spool(folder, target="http://127.0.0.1:8787 anna")
    spool.add("/api/hooks/agent-end", {"session": "s1", "messages": [...]})
    spool.deliver(send)     # `send` gets a SpooledRequest, and says DELIVERED, REFUSED or LATER
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from recollect_connect.hook_client import light_json

DELIVERED = "delivered"
REFUSED = "refused"  # it will never be taken; it is kept aside
LATER = "later"  # nothing behind it is tried, so that the order stays

LARGEST_BYTES = 16_000_000
_WAITING = ".json"
_ASIDE = ".refused"
_DROPPED = "dropped"
_LARGEST_NOTES = 100_000


class SpoolFull(OSError):
    """A request is larger than the whole spool may be."""


class SpooledRequest:
    """A request that waits: a path of the service, a JSON body, and the key under which it is carried out once.

    `given_at` is when its file was written: if all was forgotten since, it is not carried out.
    """

    __slots__ = ("body", "given_at", "idempotency_key", "path", "target")

    def __init__(self, path: str, body: object, target: str, idempotency_key: str = "", given_at: str = "") -> None:
        self.path = path
        self.body = body
        self.target = target
        self.idempotency_key = idempotency_key or os.urandom(16).hex()
        self.given_at = given_at

    def dump(self) -> bytes:
        """Give the request as it is written down."""
        fields = {name: getattr(self, name) for name in self.__slots__ if name != "given_at"}
        return light_json.dumps(fields).encode("ascii")

    @classmethod
    def parse(cls, content: bytes) -> "SpooledRequest":
        """Read what `dump` wrote. Raises ValueError."""
        fields = light_json.loads(content)
        try:
            return cls(**{name: fields[name] for name in cls.__slots__ if name != "given_at"})
        except (KeyError, TypeError):
            raise ValueError("not a request") from None


def _written_at(handle: int) -> str:
    seconds, rest = divmod(os.fstat(handle).st_mtime_ns // 1000, 1_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest:06}+00:00"


class SpoolStatus:
    """How many requests wait, were refused, and were dropped because there was no room; and how large the files are."""

    __slots__ = ("dropped", "refused", "size_bytes", "waiting")

    def __init__(self, waiting: int, refused: int, size_bytes: int, dropped: int) -> None:
        self.waiting = waiting
        self.refused = refused
        self.size_bytes = size_bytes
        self.dropped = dropped


class Spool:
    """The requests for one target, in a folder that several targets and processes may share."""

    def __init__(self, folder: str, target: str, largest_bytes: int = LARGEST_BYTES) -> None:
        self._folder = folder
        self._target = target
        self._largest_bytes = largest_bytes
        self.displaced = 0  # how many requests this object has dropped to make room

    def add(self, path: str, body: object) -> SpooledRequest:
        """Write a request down; without room the oldest are dropped. Raises OSError if the disk does not take it."""
        request = SpooledRequest(path, body, self._target)
        content = request.dump()
        os.makedirs(self._folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - pathlib imports slowly
        self._make_room(len(content))
        numbers = [int(name[:12]) for name in self._names() if name[:12].isdigit()]
        name = f"{max(numbers, default=0) + 1:012d}-{request.idempotency_key}"
        temporary = self._path(f".{name}")
        try:
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
            os.replace(temporary, self._path(name + _WAITING))  # noqa: PTH105 - as above
        except OSError:
            with suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108 - as above
            raise
        return request

    def deliver(self, send: "Callable[[SpooledRequest], str]") -> bool:
        """Send what waits for this target, oldest first, and say whether all of it was taken or refused.

        While another process delivers, nothing is sent; it will see what was added. A `send` that raises leaves its
        request in the spool.
        """
        if not self._names():
            return True
        with self._sole_delivery() as alone:
            if not alone:
                return False
            for name in self._names():
                if name.endswith(_WAITING) and not self._deliver_one(name, send):
                    return False
        return True

    def status(self) -> SpoolStatus:
        """Count what is in the folder, for all targets."""
        names = self._names()
        waiting = sum(name.endswith(_WAITING) for name in names)
        return SpoolStatus(waiting, len(names) - waiting, sum(map(self._size, names)), self._dropped())

    def waiting(self) -> "list[SpooledRequest]":
        """Read what waits for this target, oldest first."""
        return [request for _, request in self._mine()]

    def discard(self, unwanted: "Callable[[SpooledRequest], bool]") -> int:
        """Delete what waits for this target and is unwanted, such as what a user forgets; gives how many."""
        found = [name for name, request in self._mine() if unwanted(request)]
        for name in found:
            with suppress(FileNotFoundError):
                os.unlink(self._path(name))  # noqa: PTH108 - as above
        return len(found)

    def _mine(self) -> "Iterator[tuple[str, SpooledRequest]]":
        for name in self._names():
            if name.endswith(_WAITING):
                with suppress(OSError, ValueError), open(self._path(name), "rb") as file:  # noqa: PTH123 - as above
                    request = SpooledRequest.parse(file.read())
                    if request.target == self._target:
                        yield name, request

    def _deliver_one(self, name: str, send: "Callable[[SpooledRequest], str]") -> bool:
        path = self._path(name)
        try:
            with open(path, "rb") as file:  # noqa: PTH123 - as above
                request = SpooledRequest.parse(file.read())
                request.given_at = _written_at(file.fileno())
        except FileNotFoundError:
            return True
        except ValueError:  # the disk was full, or the machine lost its power
            os.replace(path, path.removesuffix(_WAITING) + _ASIDE)  # noqa: PTH105 - as above
            return True
        if request.target != self._target:
            return True
        outcome = send(request)
        if outcome == DELIVERED:
            os.unlink(path)  # noqa: PTH108 - as above
        elif outcome == REFUSED:
            os.replace(path, path.removesuffix(_WAITING) + _ASIDE)  # noqa: PTH105 - as above
        return outcome != LATER

    def _make_room(self, size: int) -> None:
        """Remove the oldest requests until a new one fits; refused ones go first."""
        if size > self._largest_bytes:
            raise SpoolFull(f"A request of {size:,} bytes does not fit into {self._largest_bytes:,} bytes.")
        names = sorted(self._names(), key=lambda name: (name.endswith(_WAITING), name))
        total = size + sum(map(self._size, names))
        for name in names:
            if total <= self._largest_bytes:
                return
            total -= self._size(name)
            with suppress(OSError):
                os.unlink(self._path(name))  # noqa: PTH108 - as above
                self._note_dropped(name)

    def _note_dropped(self, name: str) -> None:
        self.displaced += 1
        path = self._path(_DROPPED)
        mode = os.O_TRUNC if self._size(_DROPPED) > _LARGEST_NOTES else os.O_APPEND
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | mode, 0o600), "w") as file:
            file.write(name + "\n")

    def _dropped(self) -> int:
        try:
            with open(self._path(_DROPPED), "rb") as file:  # noqa: PTH123 - as above
                return sum(1 for _ in file)
        except OSError:
            return 0

    @contextmanager
    def _sole_delivery(self) -> "Iterator[bool]":
        """Hold a lock that one process has at a time. Where there are no such locks, idempotency keys must do."""
        try:
            import fcntl  # noqa: PLC0415 - not on Windows
        except ImportError:
            yield True
            return
        try:
            handle = os.open(self._path("lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:  # no room on the disk
            yield True
            return
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
        finally:
            os.close(handle)

    def _names(self) -> "list[str]":
        """List the files of requests, oldest first."""
        try:
            names = os.listdir(self._folder)  # noqa: PTH208 - as above
        except OSError:
            return []
        return sorted(name for name in names if name.endswith((_WAITING, _ASIDE)) and not name.startswith("."))

    def _size(self, name: str) -> int:
        try:
            return os.stat(self._path(name)).st_size  # noqa: PTH116 - as above
        except OSError:
            return 0

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)  # noqa: PTH118 - as above
