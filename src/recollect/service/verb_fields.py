"""The parameters of verbs as fields of requests: their types, bounds and sentences come from their kinds.

No verb and no parameter is named here. What a route says of itself, and does beside calling its verb, stands with it.
"""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields as dataclass_fields
from datetime import datetime
from functools import wraps
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field, create_model
from pydantic.json_schema import SkipJsonSchema

from recollect.model.literals import MemoryType
from recollect.model.parameters import Kind, Parameter, keys, kind_of, parameters, plain, several
from recollect.service.body_model import (
    COMPOSED,
    PLAIN_NUMBER,
    TRIMMED,
    VISIBLE,
    WHOLE_NUMBER,
    GivenType,
    StrictBody,
    Timestamp,
    TimeText,
)

_Endpoint = TypeVar("_Endpoint", bound=Callable[..., Any])
_Body = TypeVar("_Body", bound=StrictBody)
_WRITTEN: Final[Mapping[Any, Any]] = {datetime: Timestamp, datetime | str: TimeText, MemoryType: GivenType}


def reading(router: APIRouter, verb: Callable[..., Any], shape: type[BaseModel]) -> Callable[[_Endpoint], _Endpoint]:
    """Offer a verb that reads at its route; `**given` of the endpoint are the parameters that it does not name."""

    def offer(endpoint: _Endpoint) -> _Endpoint:
        signature = inspect.signature(endpoint)
        own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        taken = [one for one in parameters(verb) if _is_offered(one) and one.name not in signature.parameters]

        @wraps(endpoint)
        def called(**named: Any) -> Any:  # noqa: ANN401 - the endpoint's own
            given = {one.name: named.pop(one.sent_as) for one in taken}
            return endpoint(**named, **{name: value for name, value in given.items() if value is not None})

        spread = [*map(_in_query, taken), *(one.replace(kind=one.KEYWORD_ONLY) for one in own)]
        called.__signature__ = signature.replace(parameters=spread)  # type: ignore[attr-defined]
        router.get(verb.__dict__["route"].path, response_model=shape)(called)
        return endpoint

    return offer


def taking(verb: Callable[..., Any], *only: str) -> Callable[[type[_Body]], type[_Body]]:
    """Add the parameters of a verb to a body that does not name them, or only some of them."""
    return _extending([one for one in parameters(verb) if not only or one.name in only])


def holding(fields: type, defaults: type, *, but: Collection[str] = ()) -> Callable[[type[_Body]], type[_Body]]:
    """Add the keys of a typed dictionary to a body, in the order and with the defaults of a class."""
    given = {one.name: one for one in keys(fields) if one.name not in but}
    usual = {one.name: one.default for one in dataclass_fields(defaults)}
    return _extending([given[name]._replace(default=usual[name]) for name in usual if name in given])


def _extending(members: Sequence[Parameter]) -> Callable[[type[_Body]], type[_Body]]:
    def extend(body: type[_Body]) -> type[_Body]:
        offered = (one for one in members if _is_offered(one) and one.sent_as not in body.model_fields)
        fields: dict[str, Any] = {one.sent_as: _in_body(one) for one in offered}
        return create_model(body.__name__, __base__=body, __doc__=body.__doc__, __module__=body.__module__, **fields)

    return extend


def _is_offered(parameter: Parameter) -> bool:
    return not parameter.kind.here and parameter.kind.parts is None


def _in_query(parameter: Parameter) -> inspect.Parameter:
    marks: list[Any] = [Query(**_said(parameter.kind), include_in_schema=not parameter.kind.silent)]
    marks += [PLAIN_NUMBER] if plain(parameter.type) in (int, float) else []
    default = inspect.Parameter.empty if parameter.default is ... else _default(parameter)
    hint = _marked(_type(parameter), *marks)
    return inspect.Parameter(parameter.sent_as, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default)


def _in_body(parameter: Parameter) -> tuple[Any, Any]:
    marks = [WHOLE_NUMBER] if plain(parameter.type) is int else []
    marks += [SkipJsonSchema()] if parameter.kind.silent else []  # type: ignore[type-arg]
    return _marked(_type(parameter), *marks), Field(_default(parameter), **_said(parameter.kind))


def _said(kind: Kind) -> dict[str, Any]:
    return {"description": kind.said or None, "examples": [kind.example] if kind.example else None}


def _type(parameter: Parameter) -> Any:  # noqa: ANN401 - any annotation
    written = _written(parameter.type)
    return written | None if _default(parameter) is None else written


def _marked(hint: Any, *marks: Any) -> Any:  # noqa: ANN401 - any annotation
    return Annotated.__class_getitem__((hint, *marks)) if marks else hint  # type: ignore[attr-defined]


def _default(parameter: Parameter) -> Any:  # noqa: ANN401 - of any type
    """Give the default of a field. What is empty, and may not be sent so, is null; a query has no empty list."""
    empty = isinstance(parameter.default, tuple) or (parameter.default == "" and parameter.kind.shortest)
    return None if empty else parameter.default


def _written(hint: Any) -> Any:  # noqa: ANN401 - any annotation
    """Give the type of a field: one or several as a list, a path as a text, and the bounds of its kind."""
    kind, inner, item = kind_of(hint), plain(hint), several(hint)
    if item is not None:
        written: Any = list[_written(item)]  # type: ignore[misc]
    elif get_origin(inner) is Mapping:
        written = dict[str, Any]
    else:
        written = _WRITTEN.get(inner, str if str in get_args(inner) else inner)
    pattern = (TRIMMED if kind.trimmed else VISIBLE) if kind.visible or kind.trimmed else None
    bounds = {
        "ge": kind.least,
        "le": kind.most,
        "min_length": kind.shortest,
        "max_length": kind.longest,
        "pattern": pattern,
    }
    given: dict[str, Any] = {name: bound for name, bound in bounds.items() if bound is not None}
    if inner is float:
        given["allow_inf_nan"] = False
    return _marked(written, *([Field(**given)] if given else []), *([COMPOSED] if kind.trimmed else []))
