"""Where the source of this project is: the core, and the packages that come with it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
BESIDE: Final = (ROOT / "packages" / "recollect-connect", ROOT / "packages" / "recollect-files")
SOURCES: Final = (ROOT / "src" / "recollect", *(path / "src" / path.name.replace("-", "_") for path in BESIDE))


def source_files(pattern: str = "*.py") -> Iterator[Path]:
    """List the files of the core, then those of each package."""
    for folder in SOURCES:
        yield from sorted(folder.rglob(pattern))


def place(path: Path) -> str:
    """Give a file's place inside its package."""
    return next(path.relative_to(folder).as_posix() for folder in SOURCES if path.is_relative_to(folder))


@dataclass(frozen=True, slots=True)
class Outline:
    """What the rules for source ask of a module. Parsing all modules takes seconds, so each is parsed once."""

    calls: tuple[tuple[str, str], ...]  # of what, if it has a name, and what
    attributes: tuple[tuple[str, str, int], ...]  # of a name: of which, which, and the line
    functions: tuple[tuple[str, int, int], ...]  # the name, the first line, how many
    types: tuple[str, ...]  # classes at any depth, and aliases of types at the top level
    texts: tuple[str, ...]  # what an f-string leaves open is {}


@cache
def outline(path: Path) -> Outline:
    """Parse a module and walk through it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls: list[tuple[str, str]] = []
    attributes: list[tuple[str, str, int]] = []
    functions: list[tuple[str, int, int]] = []
    types = [name for node in tree.body if (name := _alias(node))]
    texts: list[str] = []
    inner: set[int] = set()
    for node in ast.walk(tree):  # what encloses comes before what it encloses
        match node:
            case ast.Call(func=ast.Name(id=name)):
                calls.append(("", name))
            case ast.Call(func=ast.Attribute(value=owner, attr=name)):
                calls.append((owner.id if isinstance(owner, ast.Name) else "?", name))
            case ast.Attribute(value=ast.Name(id=owner_name), attr=name, lineno=line):
                attributes.append((owner_name, name, line))
            case ast.ClassDef(name=name):
                types.append(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                functions.append((node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1))
            case ast.JoinedStr(values=parts):
                inner |= {id(part) for part in parts}
                texts.append("".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts))
            case ast.Constant(value=str(text)) if id(node) not in inner:
                texts.append(text)
    return Outline(tuple(calls), tuple(attributes), tuple(functions), tuple(types), tuple(texts))


def _alias(node: ast.stmt) -> str:
    """Name the type that a statement at the top level gives a name: `Literal[...]`, `Callable[...]` and the like."""
    match node:
        case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias")):
            return name
        case ast.Assign(targets=[ast.Name(id=name), *_], value=ast.Subscript(value=ast.Name(id=made))):
            return name if made in {"Literal", "Callable", "Annotated", "Mapping", "Sequence"} else ""
        case _:
            return ""
