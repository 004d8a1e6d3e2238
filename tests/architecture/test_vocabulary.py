"""Names and prose an engineer can search: no paraphrases of people, and one meaning for each class name."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.sources import place, source_files

PARAPHRASES = re.compile(r"\b(?:somebody|whoever|nobody|everybody|anybody)\b", re.IGNORECASE)

# What people say, in their languages, is data.
LANGUAGE_DATA = ("text/tables/", *(f"text/capture/{name}/" for name in ("czech", "english", "german", "russian")))
TWINS = ("storage/sqlite/", "storage/postgres/")
PROSE = (".py", ".sql", ".md", ".html", ".json", ".toml")
MODEL_FILES = ("tokenizer.json",)


def sources() -> Iterator[Path]:
    """List the files of the package that engineers read."""
    for path in source_files("*"):
        if path.suffix in PROSE and path.name not in MODEL_FILES and not place(path).startswith(LANGUAGE_DATA):
            yield path


def test_the_subject_of_a_sentence_is_the_code_a_user_a_caller_or_a_client() -> None:
    found = [
        f"{place(path)}:{number}: {line.strip()}"
        for path in sources()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if PARAPHRASES.search(line)
    ]
    assert not found, "\n".join(found)


def _class_names(tree: ast.Module) -> Iterator[str]:
    """List classes, at any depth, and aliases of types at the top level."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and _is_type_alias(node.annotation):
            yield node.target.id
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and _makes_a_type(node.value):
            yield node.targets[0].id


def _is_type_alias(annotation: ast.expr) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "TypeAlias"


def _makes_a_type(value: ast.expr) -> bool:
    """Tell whether an assignment names a type: `Literal[...]`, `Callable[...]`, `Annotated[...]` or `A | B`."""
    made = value.value if isinstance(value, ast.Subscript) else None
    return isinstance(made, ast.Name) and made.id in {"Literal", "Callable", "Annotated", "Mapping", "Sequence"}


def test_a_class_name_has_one_meaning() -> None:
    homes: dict[str, set[str]] = defaultdict(set)
    for path in source_files():
        home = str(path)
        for twin in TWINS:  # the two stores have classes of the same name on purpose
            home = home.replace(twin, "storage/*/")
        for name in _class_names(ast.parse(path.read_text(encoding="utf-8"))):
            homes[name.lstrip("_")].add(home)
    several = {name: sorted(places) for name, places in homes.items() if len(places) > 1}
    assert not several, "\n".join(f"{name}: {', '.join(places)}" for name, places in sorted(several.items()))
