"""What fork() does to open stores, threads and models, and what is done about it.

A child gets copies of all objects, but none of the threads, and the locks on files stay with the parent. So stores let
go of their files before a fork, and in the child everything that was open is left alone: neither used nor freed, since
freeing would wait for threads that do not exist, or end a session that the parent still uses.
"""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from threading import Lock, RLock, get_ident
from time import monotonic, sleep
from typing import Any, Final, Protocol
from weakref import WeakValueDictionary


class Forkable(Protocol):
    """An object that takes part in a fork."""

    def before_fork(self) -> None:
        """Let go of what a child must not inherit."""

    def after_fork_in_parent(self) -> None:
        """Go on."""

    def after_fork_in_child(self) -> None:
        """Leave alone what was inherited."""


_taking_part: Final[WeakValueDictionary[int, Forkable]] = WeakValueDictionary()
_lock: Final = Lock()  # held during a fork

_WITH_LOCKS: Final = ("re2", "onnxruntime", "recollect.models", "importlib")
_WAIT_S: Final = 2.0
_PAUSE_S: Final = 0.0005


def take_part(thing: Forkable) -> None:
    """Let an object take part in all forks for as long as it lives."""
    with _lock:
        _taking_part[id(thing)] = thing


def withdraw(thing: Forkable) -> None:
    """Let an object take part in no further fork: it is closed, or belongs to the process that this one came from."""
    _taking_part.pop(id(thing), None)


def module_lock() -> Lock:
    """Make a lock for a module, which lasts as long as the process. A child finds it free, as those of `logging`."""
    lock = Lock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lock._at_fork_reinit)  # type: ignore[attr-defined]  # noqa: SLF001
    return lock


def leak(thing: object) -> None:
    """Let an object live as long as the process, even while the interpreter ends."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _before() -> None:
    _lock.acquire()
    for thing in reversed(list(_taking_part.values())):
        with suppress(Exception):
            thing.before_fork()
    last_try_s = monotonic() + _WAIT_S
    while _others_compute() and monotonic() < last_try_s:
        sleep(_PAUSE_S)


def _others_compute() -> bool:
    """Whether another thread is inside of a library that has locks of its own, which would stay locked in a child."""
    frames = sys._current_frames()  # noqa: SLF001 - there is no other way to ask
    del frames[get_ident()]
    return any(frame.f_globals.get("__name__", "").startswith(_WITH_LOCKS) for frame in frames.values())


def _in_parent() -> None:
    for thing in list(_taking_part.values()):
        with suppress(Exception):
            thing.after_fork_in_parent()
    _lock.release()


def _in_child() -> None:
    _lock._at_fork_reinit()  # type: ignore[attr-defined]  # noqa: SLF001
    if sys.version_info < (3, 12):  # each cached property has a lock there, which another thread may have held
        for cached in _cached_properties():
            cached.lock = RLock()  # type: ignore[attr-defined]
    for member in list(_taking_part.values()):
        member.after_fork_in_child()


def _cached_properties() -> Iterator[cached_property[Any]]:
    """Find them by their classes: the garbage collector does not show what a host has frozen before it forks."""
    classes: dict[type, None] = {object: None}
    waiting: list[type] = [object]
    while waiting:
        subclasses: list[type] = type.__subclasses__(waiting.pop())
        found = [one for one in subclasses if one not in classes]
        classes.update(dict.fromkeys(found))
        waiting += found
    for one in classes:
        yield from (thing for thing in vars(one).values() if type(thing) is cached_property)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
