"""The names that a Python program may use, with parameters, types and defaults as they are when the program runs.

How a signature is written does not matter, only what it means: annotations are resolved, and a verb that is awaited is
shown by the verb whose parameters it has.
"""

import dataclasses
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from types import MappingProxyType, ModuleType, NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import recollect
import recollect.client
from recollect import AsyncUserMemory, Memory, errors, model
from recollect.client import AsyncServiceUserMemory, ServiceUserMemory
from recollect.client.service import ServiceConnection
from tests.api_reference import documented_classes, function_of, public_members

MODULES: Final = (recollect, recollect.client, model, errors)
_WIDTH: Final = 120
_ASYNC: Final = "Async"
_SERVICE: Final = "Service"


def python_names(memory: Memory) -> str:
    """Give all public names of Python, one after another: verbs, then functions, values and errors."""
    parts = _parts(memory)
    verbs = {kind.__name__: dict(_members(kind, parts.get(kind, {}))) for kind in classes()}
    lines = [f"from {module.__name__} import {name}" for module in MODULES for name in sorted(names(module))]
    for name, shown in verbs.items():
        lines += ["", name, *_compared(name, shown, verbs)]
    for name, value in sorted(exported().items()):
        if name not in verbs:
            lines += ["", *_value(name, value)]
    return "\n".join(lines) + "\n"


def exported() -> dict[str, Any]:
    """Give all that can be imported, by name."""
    found = {name: getattr(module, name) for module in reversed(MODULES) for name in names(module)}
    return {name: value for name, value in found.items() if name != "__version__"}


def names(module: ModuleType) -> list[str]:
    """Give the public names of a module, of that with the errors all."""
    return [name for name, one in vars(module).items() if inspect.isclass(one)] if module is errors else module.__all__


def classes() -> list[type]:
    """Give the classes with verbs, each once: of the store, of the client, and those that are awaited."""
    found = [documented.kind for documented in documented_classes()]
    found += [getattr(recollect.client, name) for name in recollect.client.__all__]
    for kind in found:
        awaited = vars(sys.modules[kind.__module__]).values() if kind.__name__.startswith(_ASYNC) else ()
        beside = [twin for twin in awaited if getattr(twin, "__module__", "") == kind.__module__]
        leads_to = [*(_result(member) for _, member in public_members(kind)), *beside]
        found += [one for one in dict.fromkeys(filter(_has_verbs, leads_to)) if one not in found]
    return found


def _result(member: Any) -> Any:
    return get_type_hints(function_of(member)).get("return")


def _has_verbs(kind: Any) -> bool:
    ours = inspect.isclass(kind) and kind.__module__.startswith(("recollect.api", "recollect.client"))
    return ours and not is_value(kind) and kind.__name__ != "AsyncTwin"


def is_value(kind: Any) -> bool:
    """Tell whether a class has fields rather than verbs."""
    return dataclasses.is_dataclass(kind) or is_typeddict(kind) or issubclass(kind, (Enum, Exception, tuple))


def members(kind: type) -> dict[str, Any]:
    """Give the public methods and properties of a class, and what makes it a context, by name."""
    context = ("__enter__", "__exit__", "__aenter__", "__aexit__")
    return dict(public_members(kind)) | {name: getattr(kind, name) for name in context if hasattr(kind, name)}


def _members(kind: type, parts: Mapping[str, str] = MappingProxyType({})) -> Iterator[tuple[str, list[str]]]:
    """Give the public members of a class with their signatures, by name."""
    for name, member in sorted({**members(kind), **parts}.items()):
        if isinstance(member, str):
            yield name, [f".{name}: {member}"]
        elif isinstance(member, property):
            yield name, [f".{name}: {show(_result(member))}"]
        else:
            awaited = "await " if inspect.iscoroutinefunction(getattr(member, "__func__", member)) else ""
            yield name, signature(f"{awaited}.{name}" if name != "__call__" else awaited, function_of(member))


def _parts(memory: Memory) -> dict[type, dict[str, str]]:
    """Give what awaited classes have without a property: the parts that they make for themselves."""
    service = ServiceConnection("http://127.0.0.1", "", 1)
    made = (AsyncUserMemory(memory.user("anna")), AsyncServiceUserMemory(ServiceUserMemory(service, "anna")))
    return {
        type(one): {name: type(part).__name__ for name, part in vars(one).items() if not name.startswith("_")}
        for one in made
    }


def _compared(owner: str, members: dict[str, list[str]], verbs: dict[str, dict[str, list[str]]]) -> Iterator[str]:
    """Give the members of a class, those with the parameters and result of their twin only by its name."""
    plain = owner.removeprefix(_ASYNC).removeprefix(_SERVICE)
    twins = (plain, f"User{plain}", f"Store{plain}", owner.removeprefix(_ASYNC))
    for name, lines in members.items():
        twin = next((twin for twin in twins if twin != owner and verbs.get(twin, {}).get(name) == _plain(lines)), "")
        same = twin and "(" in lines[0]
        awaited = "await " if lines[0].startswith("await ") else ""
        yield from [f"    {awaited}.{name}(…) as {twin}.{name}"] if same else [f"    {line}" for line in lines]


def _plain(lines: list[str]) -> list[str]:
    return [lines[0].removeprefix("await "), *lines[1:]]


def signature(name: str, function: Callable[..., Any]) -> list[str]:
    """Write a signature in one line, or in one for each parameter."""
    hints = get_type_hints(function)
    parts: list[str] = []
    kinds = inspect.Parameter
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in ("self", "cls", "twin"):
            continue
        if parameter.kind is kinds.KEYWORD_ONLY and not any(part.startswith("*") for part in parts):
            parts.append("*")
        stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
        default = "" if parameter.default is kinds.empty else f" = {_default(parameter.default)}"
        parts.append(f"{stars}{parameter.name}: {show(hints[parameter.name])}{default}")
    result = show(hints["return"])
    line = f"{name}({', '.join(parts)}) -> {result}"
    if len(line) < _WIDTH:
        return [line]
    return [f"{name}(", *(f"    {part}," for part in parts), f") -> {result}"]


def show(kind: Any) -> str:
    """Write a type the same way in every version of Python."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in (None, NoneType):
        return "None"
    if origin in (Union, UnionType):
        return " | ".join(map(show, arguments))
    if origin is Literal:
        return "MemoryType" if arguments == recollect.MEMORY_TYPES else f"Literal[{', '.join(map(repr, arguments))}]"
    if isinstance(kind, (list, tuple)):
        return f"[{', '.join(map(show, kind))}]"
    if arguments:
        name = getattr(origin, "__name__", str(origin))
        return f"{name}[{', '.join(map(show, arguments))}]"
    return "..." if kind is ... else getattr(kind, "__name__", str(kind))


def _default(value: object) -> str:
    return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)


def _value(name: str, value: Any) -> list[str]:
    """Write a function, a constant, or a class with its fields."""
    if not inspect.isclass(value):
        return (
            signature(name, value)
            if inspect.isfunction(value)
            else [f"{name} = {show(value) if get_origin(value) else repr(value)}"]
        )
    if is_typeddict(value):
        hints = get_type_hints(value)
        return [f"{name}: TypedDict", *(f"    {key}: {show(hint)}" for key, hint in sorted(hints.items()))]
    head = f"{name}({', '.join(base.__name__ for base in value.__bases__ if base is not object)})".removesuffix("()")
    if issubclass(value, Enum):
        return [head, *(f"    {member.name} = {member.value!r}" for member in value)]
    return [
        head,
        *(f"    {line}" for line in _fields(value)),
        *(f"    {line}" for _, lines in _members(value) for line in lines),
    ]


def _fields(value: Any) -> Iterator[str]:
    """Give the fields of a data class or a named tuple with their defaults."""
    hints = get_type_hints(value)
    for field in dataclasses.fields(value) if dataclasses.is_dataclass(value) else ():
        made = "made anew" if field.default_factory is not dataclasses.MISSING else ""
        default = made or ("" if field.default is dataclasses.MISSING else _default(field.default))
        yield f"{field.name}: {show(hints[field.name])}" + (f" = {default}" if default else "")
    for name in getattr(value, "_fields", ()):
        default = _default(value._field_defaults[name]) if name in value._field_defaults else ""
        yield f"{name}: {show(hints[name])}" + (f" = {default}" if default else "")
