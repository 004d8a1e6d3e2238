"""Verbs that programs call: arguments that do not fit are refused in words, with the names and types that do."""

import inspect
import reprlib
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import FunctionType, NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin

from recollect.errors import InvalidInput, RecollectError

_Verb = TypeVar("_Verb", bound=Callable[..., Any])
WRONG = (TypeError, AttributeError, ValueError, LookupError, OverflowError)  # what a value of a wrong type leads to


class VerbRoute(NamedTuple):
    """How a service is asked for a verb: `{name}` in the path is a parameter, and `whole` results have all fields."""

    method: str
    path: str
    whole: bool = False


def route(line: str, *, whole: bool = False) -> Callable[[_Verb], _Verb]:
    """Say how a service is asked for a verb: `@route("GET /api/memories/{id}")`."""
    method, path = line.split()

    def declare(verb: _Verb) -> _Verb:
        verb.__dict__["route"] = VerbRoute(method, path, whole)
        return verb

    return declare


class Verbs:
    """Base of classes whose public methods are verbs.

    A call that does not bind, or fails with an argument that is not of its declared type, raises InvalidInput. Types
    are looked at only after a failure, so a call that works costs nothing that could be measured.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, verb in [*vars(cls).items()]:
            plain = getattr(verb, "__func__", verb)
            is_public = name == "__call__" or not name.startswith("_")
            if is_public and isinstance(plain, FunctionType) and not hasattr(plain, "__wrapped__"):
                setattr(cls, name, _insisting(plain) if plain is verb else type(verb)(_insisting(plain)))


def _insisting(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb that tells which names it knows when its arguments do not bind."""

    @wraps(verb)
    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the verb has it
        try:
            return verb(*args, **kwargs)
        except WRONG as error:
            if isinstance(error, RecollectError):
                raise
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:  # the arguments do not bind
                raise refused(verb, args[:1], str(error)) from None
            if said := misfit(verb, args, kwargs):
                raise InvalidInput(said) from error
            if isinstance(error, (UnicodeEncodeError, OverflowError)):  # lone surrogates, numbers beyond 64 bits
                raise InvalidInput(f"{verb.__name__} was given what cannot be stored: {error}.") from error
            raise

    if inspect.iscoroutinefunction(verb):

        @wraps(verb)
        async def call_async(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the verb has it
            return await call(*args, **kwargs)

        return call_async
    return call


def refused(verb: Callable[..., Any], owner: Sequence[object], said: str) -> InvalidInput:
    """Make the error for arguments that do not bind: it says which names the verb knows, and whose verb it is."""
    if owner and isinstance(owner[0], Verbs):
        said = said.replace(verb.__qualname__, f"{type(owner[0]).__name__}.{verb.__name__}")
    return InvalidInput(f"{said}. {verb.__name__} takes: {', '.join(_names(verb))}.")


def _names(verb: Callable[..., Any]) -> list[str]:
    """Give the names of all parameters, those of a typed dictionary in place of `**fields`."""
    names: list[str] = []
    for parameter in [*inspect.signature(verb).parameters.values()]:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            names += [name for fields in get_args(parameter.annotation) for name in fields.__annotations__]
        elif parameter.name not in ("self", "cls"):
            names.append(parameter.name)
    return names


def misfit(verb: Callable[..., Any], args: tuple[object, ...], kwargs: Mapping[str, object]) -> str:
    """Name an argument that is not of its declared type; '' when all are, and the verb failed by itself."""
    signature = inspect.signature(verb)
    for name, value in signature.bind(*args, **kwargs).arguments.items():
        parameter = signature.parameters[name]
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            declared = {
                key: kind for fields in get_args(parameter.annotation) for key, kind in fields.__annotations__.items()
            }
            given = {key: (one, declared.get(key, Any)) for key, one in value.items()}
        elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            given = {name: (list(value), list[parameter.annotation])}  # type: ignore[name-defined]
        else:
            given = {name: (value, parameter.annotation)}
        for key, (one, kind) in given.items():
            if not _fits(one, kind):
                return f"{key} is {reprlib.repr(one)}; it must be of the type {_shown(kind)}."
    return ""


def _shown(kind: Any) -> str:  # noqa: ANN401 - an annotation
    """Write a type as programs write it, without what doors say of it."""
    if get_origin(kind) is Annotated:
        return _shown(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return " | ".join("None" if part is NoneType else _shown(part) for part in get_args(kind))
    return inspect.formatannotation(kind)


def _fits(value: object, kind: Any) -> bool:  # noqa: ANN401 - an annotation
    """Tell whether a value is of a type; of one that cannot be checked it is taken to be."""
    if kind is inspect.Parameter.empty or kind is Any:
        return True
    from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError  # noqa: PLC0415 - only on failure

    try:
        TypeAdapter(kind, config=ConfigDict(arbitrary_types_allowed=True)).validate_python(value, strict=True)
    except ValidationError:
        return False
    except (PydanticUserError, TypeError):
        return True
    return True
