"""Writes the API reference, docs/api.md, from signatures and docstrings: `python -m tests.api_reference`.

It holds every name of `recollect.__all__`, the values of `recollect.model`, the errors, every class that a property of
one of them gives (`me.files`), and the public methods of all of these. Annotations are shown as they are written, so
every Python writes the same page.
"""

import ast
import dataclasses
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from copy import deepcopy
from enum import Enum
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final, get_type_hints, is_typeddict

import recollect
from recollect import Conversation, Memory, RecollectError, UserMemory, errors, model
from recollect.model import kinds, memories

PAGE: Final = Path(__file__).parent.parent / "docs" / "api.md"
_ENTRANCES: Final = (Memory, UserMemory, Conversation)
_UNPACKED: Final = re.compile(r"Unpack\[(\w+)\]")
_WIDTH: Final = 100
_INTRODUCTION: Final = """\
# API reference

Every public name of the package, generated from the source by `make docs`. The [guide](guide.md) is the better place to
start; the [compatibility policy](compatibility.md) says what may change.

Import the names below from `recollect`, further values from `recollect.model`, further errors from `recollect.errors`.
A class that is not exported is reached through the property in its heading.
"""


@dataclasses.dataclass(frozen=True)
class DocumentedClass:
    """A class with methods, and how a program comes by it."""

    kind: type
    heading: str


def documented_classes() -> list[DocumentedClass]:
    """Give the classes a program calls methods on: the exported ones, each followed by what its properties give."""
    exported = [value for _, value in _exported() if inspect.isclass(value) and not _is_value(value)]
    ordered = [*_ENTRANCES, *(kind for kind in exported if kind not in _ENTRANCES and kind.__name__ != "Settings")]
    found: dict[type, str] = {kind: kind.__name__ for kind in ordered}
    result: list[DocumentedClass] = []
    for kind in ordered:
        result.append(DocumentedClass(kind, found[kind]))
        for name, member in public_members(kind):
            given = _given_class(member)
            if given is not None and given not in found:
                found[given] = f"{kind.__name__}.{name}"
                result.append(DocumentedClass(given, found[given]))
    return result


def _exported() -> list[tuple[str, Any]]:
    names = {name: getattr(recollect, name) for name in recollect.__all__ if name != "__version__"}
    values = {name: getattr(model, name) for name in model.__all__}
    classes = {name: kind for name, kind in {**values, **vars(errors)}.items() if inspect.isclass(kind)}
    return sorted({**names, **classes}.items())


def _is_value(kind: type) -> bool:
    return dataclasses.is_dataclass(kind) or issubclass(kind, (Enum, Exception, tuple)) or is_typeddict(kind)


def _given_class(member: object) -> type | None:
    """Give the class that a property leads to, if a program calls methods on it."""
    if not isinstance(member, property) or member.fget is None:
        return None
    given = get_type_hints(member.fget).get("return")
    if not inspect.isclass(given) or not given.__module__.startswith("recollect."):
        return None
    return None if _is_value(given) else given


def public_members(kind: type) -> Iterator[tuple[str, Any]]:
    """Give the public methods and properties of a class, with those it inherits from the package."""
    seen: set[str] = set()
    for base in kind.__mro__:
        if not base.__module__.startswith("recollect"):
            continue
        for name, member in vars(base).items():
            called = name == "__call__"
            if name in seen or (name.startswith("_") and not called):
                continue
            seen.add(name)
            if isinstance(member, (FunctionType, classmethod, staticmethod, property)):
                yield name, member


def function_of(member: Any) -> Callable[..., Any]:
    """Give the function behind a method, a property or a wrapper."""
    if isinstance(member, property):
        assert member.fget is not None
        member = member.fget
    function: Callable[..., Any] = inspect.unwrap(getattr(member, "__func__", member))
    return function


def _definition(function: Callable[..., Any]) -> ast.FunctionDef | ast.AsyncFunctionDef:
    node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    return node


class _Plain(ast.NodeTransformer):
    """Writes a type in place of the kind of parameter that a signature names."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return self._plain(ast.unparse(node).removeprefix("kinds."), node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._plain(node.id, node)

    def _plain(self, name: str, node: ast.expr) -> ast.expr:
        return self.visit(deepcopy(_KINDS[name])) if name in _KINDS else node


def _annotated(module: ModuleType) -> Iterator[tuple[str, ast.expr]]:
    """Give the types that a module says more of, each by the name that it has there."""
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Subscript):
            wrapped = node.value.slice
            if ast.unparse(node.value.value) == "Annotated" and isinstance(wrapped, ast.Tuple):
                yield ast.unparse(node.target), wrapped.elts[0]


_KINDS: Final = {name: kind for module in (kinds, memories) for name, kind in _annotated(module)}


def _shown(annotation: ast.expr) -> str:
    return ast.unparse(_Plain().visit(deepcopy(annotation)))


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    positional = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for parameter, default in zip(positional, defaults, strict=True):
        if parameter.arg not in {"self", "cls"}:
            yield _parameter(parameter, default)
    if arguments.vararg:
        yield f"*{_parameter(arguments.vararg, None)}"
    elif arguments.kwonlyargs:
        yield "*"
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(parameter, default)
    if arguments.kwarg:
        yield f"**{_parameter(arguments.kwarg, None)}"


def _parameter(parameter: ast.arg, default: ast.expr | None) -> str:
    annotation = f": {_shown(parameter.annotation)}" if parameter.annotation else ""
    return f"{parameter.arg}{annotation}" + (f" = {ast.unparse(default)}" if default else "")


def _signature(name: str, function: Callable[..., Any]) -> str:
    node = _definition(function)
    parameters = list(_parameters(node.args))
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"{name}({', '.join(parameters)}){result}"
    if len(line) <= _WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {parameter},\n" for parameter in parameters) + f"){result}"


def _keywords(function: Callable[..., Any]) -> str:
    """Spell out the keywords that a signature unpacks from a typed dictionary."""
    annotation = _definition(function).args.kwarg
    match = _UNPACKED.search(ast.unparse(annotation)) if annotation else None
    if match is None:
        return ""
    fields = function.__globals__[match[1]]
    return "Keywords: " + ", ".join(f"`{name}`" for name in fields.__annotations__) + ".\n"


def _doc(thing: object) -> str:
    return inspect.getdoc(thing) or ""


def _block(text: str) -> str:
    return f"```py\n{text}\n```\n"


def _member(owner: str, name: str, member: Any) -> str:
    function = function_of(member)
    shown = f"{owner}()" if name == "__call__" else f"{owner}.{name}"
    if isinstance(member, property):
        returns = _definition(function).returns
        signature = f"{name}: {ast.unparse(returns)}" if returns else name
    else:
        signature = _signature("" if name == "__call__" else name, function)
    return "\n".join(filter(None, (f"### {shown}\n", _block(signature), f"{_doc(function)}\n", _keywords(function))))


def _class(documented: DocumentedClass) -> str:
    kind, heading = documented.kind, documented.heading
    title = f"## {heading}" if heading == kind.__name__ else f"## {heading}: {kind.__name__}"
    head = f"{title}\n\n{_doc(kind)}\n"
    if kind.__name__.startswith("Async"):  # the twins: same parameters, same results
        verbs = ", ".join(f"`{name}`" for name, _ in public_members(kind))
        return f"{head}\n{verbs}.\n"
    return "\n".join([head, *(_member(heading, name, member) for name, member in public_members(kind))])


def _value(kind: type) -> str:
    if issubclass(kind, Enum):
        shown = "\n".join(f"{member.name} = {member.value!r}" for member in kind)
    else:
        bases = kind.__mro__ if not is_typeddict(kind) else (kind,)
        texts = {name: text for base in reversed(bases) for name, text in _field_texts(base)}
        shown = "\n".join(text for name, text in texts.items() if not name.startswith("_"))
    return f"### {kind.__name__}\n\n{_doc(kind)}\n" + (f"\n{_block(shown)}" if shown else "")


def _field_texts(kind: type) -> Iterator[tuple[str, str]]:
    if not kind.__module__.startswith("recollect"):
        return
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    for statement in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(statement, ast.AnnAssign):
            statement.annotation = _Plain().visit(statement.annotation)
            yield ast.unparse(statement.target), ast.unparse(statement)


def _error(kind: type) -> str:
    base = next(base.__name__ for base in kind.__mro__[1:])
    return f"| `{kind.__name__}` | `{base}` | {' '.join(_doc(kind).split())} |\n"


def reference() -> str:
    """Give the whole page."""
    exported = _exported()
    functions = [(name, value) for name, value in exported if inspect.isfunction(value)]
    constants = [(name, value) for name, value in exported if not inspect.isclass(value) and not callable(value)]
    raised = [value for _, value in exported if inspect.isclass(value) and issubclass(value, RecollectError)]
    values = [value for _, value in exported if inspect.isclass(value) and _is_value(value) and value not in raised]
    values = [kind for kind in values if kind.__name__ != "Settings"]
    parts = [_INTRODUCTION, *map(_class, documented_classes())]
    parts += ["## Functions and constants\n"]
    parts += [f"### {name}\n\n{_block(_signature(name, value))}\n{_doc(value)}\n" for name, value in functions]
    parts += [f"### {name}\n\n{_block(f'{name} = {value!r}')}" for name, value in constants]
    parts += ["### Settings\n\nThe frozen settings of a store; [settings](settings.md) lists them all.\n"]
    parts += ["## Values\n", *map(_value, values)]
    parts += ["## Errors\n", "| error | is a | raised when |\n|---|---|---|\n" + "".join(map(_error, raised))]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
