"""Asynchronous twins: the verbs of a class, run in worker threads."""

from asyncio import to_thread
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from recollect.verbs import Verbs

_Sync_co = TypeVar("_Sync_co", covariant=True)  # a twin runs the verbs of the bases of its class, too
_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


class AsyncTwin(Verbs, Generic[_Sync_co]):
    """Base of the asynchronous twin of a class: it holds the object whose verbs it runs in threads."""

    def __init__(self, sync: _Sync_co) -> None:
        self._sync = sync


def in_thread(function: Callable[_Params, _Result]) -> Callable[_Params, Coroutine[Any, Any, _Result]]:
    """Make a coroutine function of a function: same parameters, same result, run in a worker thread."""

    @wraps(function)
    async def run(*args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
        return await to_thread(function, *args, **kwargs)

    return run


def awaited(
    verb: Callable[Concatenate[_Sync_co, _Params], _Result],
) -> Callable[Concatenate[AsyncTwin[_Sync_co], _Params], Coroutine[Any, Any, _Result]]:
    """Make a coroutine function of a verb: same parameters, same result, run in a worker thread."""

    @wraps(verb)
    async def run(twin: AsyncTwin[_Sync_co], /, *args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
        return await to_thread(verb, twin._sync, *args, **kwargs)  # noqa: SLF001 - the twin's own

    return run
