"""The tree of errors that people read is the tree that Python knows."""

import inspect
import re

import recollect
from recollect import errors

INDENT = 4
BRANCH = re.compile(r"^ {4}(?P<lines>[│├└─ ]*)(?P<name>[A-Z]\w+)(?: {2,}(?P<meaning>\S.*))?$")


def drawn() -> dict[str, str | None]:
    """Give each error of the drawing with the one above it."""
    parents: list[str] = []
    tree: dict[str, str | None] = {}
    for line in (errors.__doc__ or "").splitlines():
        match = BRANCH.match(line)
        if match:
            depth = len(match["lines"]) // INDENT
            assert depth == 0 or match["meaning"], f"the drawing does not say what {match['name']} means"
            del parents[depth:]
            tree[match["name"]] = parents[-1] if parents else None
            parents.append(match["name"])
    return tree


def defined() -> dict[str, str | None]:
    """Give each error class with its base among ours."""
    classes = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__]
    return {
        kind.__name__: next((base.__name__ for base in kind.__bases__ if base in classes), None) for kind in classes
    }


def test_the_drawing_matches_the_classes() -> None:
    assert drawn() == defined()


def test_the_package_offers_the_branches_of_the_tree() -> None:
    """`from recollect import` gives what is caught by kind; the rest is in `recollect.errors`."""
    branches = {parent for parent in defined().values() if parent is not None}
    assert branches | {"NotFound", "SettingsError"} == defined().keys() & set(recollect.__all__)


def test_everything_can_be_caught_at_the_root() -> None:
    assert all(issubclass(getattr(errors, name), errors.RecollectError) for name in defined())
