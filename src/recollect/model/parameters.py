"""Parameters of verbs: the signature of a verb names the kind of each, and doors read them there.

Imports nothing heavy: help needs it.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints


class Kind(NamedTuple):
    """What a parameter means, in a sentence, and what it may be in a request.

    `longest` counts characters or items. A `visible` text has a character that can be seen, a `trimmed` one no blanks
    around it. Nothing says of a `silent` one that it is there. `here` says why a client cannot have it: no door offers
    it. In requests it may be `called` otherwise; `parts` spreads it over several fields; `none` stands for nothing.
    On the command line `typed` says more, `metavar` what is typed, `option` by which names, and `span` whether 7d means
    a time before or after now. `for_models` is what
    models read, or True for the same sentence; without it they are not offered the parameter.
    """

    said: str = ""
    example: str = ""
    least: float | None = None
    most: float | None = None
    shortest: int | None = None
    longest: int | None = None
    visible: bool = False
    trimmed: bool = False
    silent: bool = False
    here: str = ""
    called: str = ""
    parts: Callable[[Any], Mapping[str, Any]] | None = None
    none: str = ""
    typed: str = ""
    metavar: str = ""
    option: str = ""
    span: Literal["", "back", "ahead"] = ""
    for_models: str | bool = False


class Parameter(NamedTuple):
    """A parameter of a verb: its type as a program writes it, its kind, its default; `...` if it has none."""

    name: str
    type: Any
    kind: Kind
    default: Any
    positional: bool = False

    @property
    def sent_as(self) -> str:
        """Its name in a request."""
        return self.kind.called or self.name


def parameters(verb: Callable[..., Any]) -> Iterator[Parameter]:
    """Give the parameters of a verb, and each key of a typed dictionary that it unpacks."""
    hints = get_type_hints(verb, include_extras=True)
    for name, parameter in [*inspect.signature(verb).parameters.items()][1:]:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            (fields,) = get_args(hints[name])
            yield from keys(fields)
        else:
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            positional = parameter.kind is not inspect.Parameter.KEYWORD_ONLY
            yield Parameter(name, hints[name], kind_of(hints[name]), default, positional)


def keys(fields: type) -> Iterator[Parameter]:
    """Give the keys of a typed dictionary, all of which may be left out."""
    for name, hint in get_type_hints(fields, include_extras=True).items():
        yield Parameter(name, hint, kind_of(hint), None)


def kind_of(hint: Any) -> Kind:  # noqa: ANN401 - any annotation
    """Give the kind in an annotation, or one that says nothing."""
    if get_origin(hint) is Annotated:
        return next((mark for mark in hint.__metadata__ if isinstance(mark, Kind)), Kind())
    inner = [part for part in get_args(hint) if part is not NoneType] if is_union(hint) else []
    return kind_of(inner[0]) if len(inner) == 1 else Kind()


def plain(hint: Any) -> Any:  # noqa: ANN401 - any annotation
    """Give an annotation without None and without its kind."""
    if get_origin(hint) is Annotated:
        return plain(get_args(hint)[0])
    inner = [part for part in get_args(hint) if part is not NoneType] if is_union(hint) else []
    return plain(inner[0]) if len(inner) == 1 else hint


def is_moment(hint: Any) -> bool:  # noqa: ANN401 - any annotation
    """Tell whether a parameter is a moment, or may be one beside words."""
    inner = plain(hint)
    return inner is datetime or (is_union(inner) and datetime in get_args(inner))


def several(hint: Any) -> Any:  # noqa: ANN401 - any annotation
    """Give the type of one, if there may be one or several of them, and None if not."""
    inner = plain(hint)
    choices = get_args(inner) if is_union(inner) else (inner,)
    items = [get_args(choice)[0] for choice in choices if get_origin(choice) is Sequence]
    alone = [choice for choice in choices if get_origin(choice) is not Sequence]
    return items[0] if items and all(choice == plain(items[0]) for choice in alone) else None


def is_union(hint: Any) -> bool:  # noqa: ANN401 - any annotation
    """Tell whether an annotation is of the form `A | B`."""
    return get_origin(hint) in (Union, UnionType)
