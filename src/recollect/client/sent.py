"""Verbs of a client, made of those of the embedded store: same parameters, same result, asked of the service."""

import inspect
import re
from collections.abc import Callable, Mapping
from functools import cache, wraps
from os import PathLike, fspath
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast, get_args, get_origin

from recollect.client.decode import decode, decode_all, hints_of
from recollect.client.service import ServiceScoped, path_part
from recollect.errors import InvalidInput, RecollectError
from recollect.model.parameters import Parameter, parameters, several
from recollect.verbs import WRONG, VerbRoute, misfit, refused

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")
_PLACE: Final = re.compile(r"\{(\w+)\}")


def sent(verb: Callable[Concatenate[Any, _Params], _Result]) -> Callable[Concatenate[ServiceScoped, _Params], _Result]:
    """Make a verb of a client of a verb that has a route: what differs from its defaults is sent."""

    @wraps(verb)
    def ask(client: ServiceScoped, /, *args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
        try:
            given = inspect.signature(verb).bind(client, *args, **kwargs)
        except TypeError as error:
            raise refused(verb, [client], f"{verb.__qualname__}() {error}") from None
        values = {**given.arguments, **given.kwargs}
        for name in given.kwargs:
            if name not in _parameters(verb):
                raise refused(verb, [client], f"{verb.__qualname__}() got an unexpected keyword argument {name!r}")
        try:
            fields = _fields(verb, values)
        except WRONG as error:
            if not isinstance(error, RecollectError) and (said := misfit(verb, (client, *args), kwargs)):
                raise InvalidInput(said) from error
            raise
        return cast("_Result", _answer(client, verb, fields))

    return ask


@cache
def _parameters(verb: Callable[..., Any]) -> Mapping[str, Parameter]:
    return {parameter.name: parameter for parameter in parameters(verb)}


def _fields(verb: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the fields of a request. Raises InvalidInput for what only the embedded store takes."""
    fields: dict[str, Any] = {}
    for name, parameter in _parameters(verb).items():
        kind, value = parameter.kind, given.get(name, parameter.default)
        if parameter.default is not ... and (value is None or value is parameter.default):
            continue
        if kind.here:
            raise InvalidInput(kind.here)
        parts = kind.parts(value) if kind.parts else {parameter.sent_as: _written(parameter, value)}
        for part, inside in parts.items():
            if fields.get(part, inside) != inside:
                raise InvalidInput(f"{part} is {fields[part]!r}, but {inside!r} in the {name}; say it once.")
            fields[part] = inside
    return fields


def _written(parameter: Parameter, value: Any) -> object:  # noqa: ANN401 - of any type
    """Write one or several values as a list where several may be given, and a path as a text."""
    if isinstance(value, PathLike):
        return fspath(value)
    if several(parameter.type) is None:
        return value
    listed = [value] if isinstance(value, str) else list(value)
    return listed or ([parameter.kind.none] if parameter.kind.none else None)


def _answer(client: ServiceScoped, verb: Callable[..., Any], fields: dict[str, Any]) -> object:
    """Ask, and make the answer a value of the type that the verb returns."""
    way: VerbRoute = verb.__dict__["route"]
    path = _PLACE.sub(lambda named: path_part(str(fields.pop(named[1]))), way.path)
    if way.whole:
        fields["whole"] = True
    found = client._get(path, **fields) if way.method == "GET" else client._post(path, fields)  # noqa: SLF001 - ours
    kind = hints_of(verb)["return"]
    if get_origin(kind) is tuple:
        return decode_all(get_args(kind)[0], found["items"])
    return decode(kind, found)
