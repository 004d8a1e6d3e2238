"""Parameters of verbs as arguments and options of commands: names, types and sentences come from their kinds.

No verb and no parameter is named here. A command names what is different when it is typed; its `**given` are the rest,
as the verb takes them. Signatures of verbs bring the model along, so they are read when a command runs or its help is
asked, and not before.
"""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from importlib import import_module
from operator import attrgetter
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin

import typer

from recollect.cli.options import one_of
from recollect.cli.values import json_object, moment_or_none, past_moment
from recollect.model.parameters import Kind, Parameter, is_moment, parameters, plain, several

Given: TypeAlias = Any  # of `**given`: what was typed, as the verb takes it


def verb_of(name: str) -> Callable[..., Any]:
    """Give a verb by its name under `recollect.api`, such as `module:Class.verb`."""
    module, _, path = name.partition(":")
    verb: Callable[..., Any] = attrgetter(path)(import_module(f"recollect.api.{module}"))
    return verb


def with_options(
    verb: Callable[..., Any], own: Iterable[inspect.Parameter], *, only: Collection[str] = (), but: Collection[str] = ()
) -> list[inspect.Parameter]:
    """Give the parameters of a command: the verb's in their order, then those that only the command has.

    What the command declares stands in place of the verb's; what it only names with a type has its own default.
    """
    named = {one.name: one for one in own if one.kind is not one.VAR_KEYWORD}
    taken = []
    for one in parameters(verb):
        mine, kind = named.pop(one.name, None), one.kind
        offered = not (kind.here or kind.parts or kind.silent or one.name in but or (only and one.name not in only))
        if mine is None and offered:
            taken.append(_declared(one, None if isinstance(one.default, str) else one.default))
        elif mine is not None:
            usual = ... if mine.default is mine.empty else mine.default
            is_declared = get_origin(mine.annotation) is Annotated or hasattr(mine.annotation, "_field_defaults")
            taken.append(mine if is_declared else _declared(one, usual))
    return [*taken, *named.values()]


def arguments(
    verb: Callable[..., Any], given: Mapping[str, Any], own: Iterable[str], now: Callable[[], datetime]
) -> dict[str, Any]:
    """Give what was typed as the verb takes it; what the command names stays as it was typed."""
    taken = {one.name: one for one in parameters(verb) if one.name in given and one.name not in own}
    passed = {name: value for name, value in given.items() if name not in taken}
    for name, one in taken.items():
        value = given[name]
        if value not in (None, []):
            passed[name] = _read(one, value, now)
    return passed


def _read(parameter: Parameter, value: Any, now: Callable[[], datetime]) -> Any:  # noqa: ANN401 - of any type
    """Read the text of a time or a mapping."""
    kind, inner = parameter.kind, plain(parameter.type)
    if is_moment(parameter.type):
        name = _names(parameter)[0].removeprefix("--")
        return past_moment(value, name, now()) if kind.span == "back" else moment_or_none(value, name, now(), kind.span)
    return json_object(value) if get_origin(inner) is Mapping else value


def _names(parameter: Parameter) -> list[str]:
    return parameter.kind.option.split() or [f"--{parameter.name.replace('_', '-')}"]


def _declared(parameter: Parameter, default: object) -> inspect.Parameter:
    kind, item = parameter.kind, several(parameter.type)
    inner = plain(item or parameter.type)
    known = get_args(inner) if get_origin(inner) is Literal else ()
    more: dict[str, Any] = {"autocompletion": one_of(known)} if known else {}
    said = _sentence(parameter, known, repeated=item is not None)
    if parameter.positional:
        declared: Any = typer.Argument(metavar=kind.metavar or parameter.name.upper(), help=said, **more)
    else:
        names = _names(parameter)
        metavar = None if inner is bool else kind.metavar or _metavar(kind, inner, names[0] if known else "")
        declared = typer.Option(*names, metavar=metavar, help=said, **more)
    typed = list[str] if item is not None else inner if inner in (int, float, bool) else str
    usual = (default or default is False) and isinstance(default, (int, float, str))
    return inspect.Parameter(
        parameter.name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD if parameter.positional else inspect.Parameter.KEYWORD_ONLY,
        annotation=Annotated[typed if usual or default is ... else typed | None, declared],
        default=inspect.Parameter.empty if default is ... else default if usual else None,
    )


def _sentence(parameter: Parameter, known: tuple[str, ...], *, repeated: bool) -> str:
    said = parameter.kind.typed or parameter.kind.said
    if repeated:
        first, _, more = said.removesuffix(".").partition(". ")
        said = f"{first}; may be repeated. {more}." if more else f"{first}; may be repeated."
    return f"{said} One of {', '.join(known)}.".strip() if known and (repeated or not said) else said


def _metavar(kind: Kind, inner: object, one_of_some: str) -> str:
    """Say what is typed: a time, a number, a share, one of the words for which an option is named, or any name."""
    if is_moment(inner):
        return "TIME"
    if inner is int:
        return "N"
    if kind.least is not None:
        return f"{kind.least:g}..{kind.most:g}"
    return one_of_some.rpartition("-")[2].upper() or "NAME"
