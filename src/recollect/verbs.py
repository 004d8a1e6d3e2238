"""Verbs that programs call: arguments that do not fit are refused in words, with the names that fit."""

import inspect
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any, get_args

from recollect.errors import InvalidInput


class Verbs:
    """Base of classes whose public methods are verbs.

    A call that does not bind raises InvalidInput, not a bare TypeError. Signatures and types stay what they are, and a
    call that binds costs nothing that could be measured.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, verb in [*vars(cls).items()]:
            plain = getattr(verb, "__func__", verb)
            if isinstance(plain, FunctionType) and not hasattr(plain, "__wrapped__") and _is_verb(name):
                setattr(cls, name, _insisting(plain) if plain is verb else type(verb)(_insisting(plain)))


def _is_verb(name: str) -> bool:
    return name == "__call__" or not name.startswith("_")


def _insisting(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb that tells which names it knows when its arguments do not bind."""

    @wraps(verb)
    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the verb has it
        try:
            return verb(*args, **kwargs)
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
                raise  # the arguments did bind
            raise InvalidInput(f"{error}. {verb.__name__} takes: {', '.join(_names(verb))}.") from None

    if inspect.iscoroutinefunction(verb):

        @wraps(verb)
        async def call_async(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the verb has it
            return await call(*args, **kwargs)

        return call_async
    return call


def _names(verb: Callable[..., Any]) -> list[str]:
    """Give the names of all parameters, those of a typed dictionary in place of `**fields`."""
    names: list[str] = []
    for parameter in [*inspect.signature(verb).parameters.values()]:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            names += [name for fields in get_args(parameter.annotation) for name in fields.__annotations__]
        elif parameter.name not in ("self", "cls"):
            names.append(parameter.name)
    return names
