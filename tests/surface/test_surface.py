"""What users see is what the frozen files say, and the names of Python are in order, typed and documented."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import recollect
import recollect.errors
import recollect.model
from recollect import Memory
from tests.api_reference import function_of
from tests.reliability.opening import open_memory
from tests.surface.exchanges import FILE
from tests.surface.frozen_files import FROZEN
from tests.surface.listings import openapi
from tests.surface.signatures import classes, exported, members

MOST_NAMES = 40  # each is a promise for years
LEAST_REQUESTS = 120
RECORDED = re.compile(r"^> .*?\b([A-Z]+ /\S*).*\n(\d+)$", re.MULTILINE)
WITHOUT_SUCCESS = ["GET /api/places/locate", "GET /api/places/at"]  # they ask a geocoder, of which the service has none
WITHOUT_REFUSAL = ["GET /livez"]  # it takes no key, and nothing else
MODULES = (recollect, recollect.model)


@pytest.fixture(scope="module")
def store(empty_file: Path) -> Iterator[Memory]:
    """A store in which nothing is."""
    with open_memory(str(empty_file)) as memory:
        yield memory


@pytest.mark.parametrize("kind", FROZEN)
def test_what_users_see_is_as_it_was(kind: str, store: Memory) -> None:
    if differences := FROZEN[kind].differences(store):
        pytest.fail(differences, pytrace=False)


def test_each_route_has_recorded_requests(store: Memory) -> None:
    """Each has one that succeeds and one that is refused, unless there is a reason."""
    routes = [f"{method.upper()} {path}" for path, ways in openapi(store)["paths"].items() for method in ways]
    patterns = {re.compile(re.sub(r"{[^}]*}", "[^/?]+", route) + r"(\?.*)?"): route for route in routes}
    recorded = RECORDED.findall(FILE.read_text(encoding="utf-8"))
    answered = {
        (next((route for fits, route in patterns.items() if fits.fullmatch(asked)), asked), status < "4")
        for asked, status in recorded
    }
    assert len(recorded) >= LEAST_REQUESTS
    assert [route for route in routes if (route, True) not in answered] == WITHOUT_SUCCESS
    assert [route for route in routes if (route, False) not in answered] == WITHOUT_REFUSAL


def test_names_are_in_order_and_the_same_for_type_checkers() -> None:
    assert len(recollect.__all__) <= MOST_NAMES
    for module in MODULES:
        assert written_imports(module) == set(module.__all__)
        assert dir(module) == sorted(module.__all__)
        assert list(module.__all__) == sorted(module.__all__, key=constants_classes_functions)
        assert all(getattr(module, name) is not None for name in module.__all__)
        with pytest.raises(AttributeError, match="no attribute 'Memroy'"):
            _ = module.Memroy
    shared = set(recollect.__all__) & set(recollect.model.__all__)
    assert all(getattr(recollect, name) is getattr(recollect.model, name) for name in shared)


def written_imports(module: ModuleType) -> set[str]:
    """Give the names that type checkers see: what the module's source imports."""
    tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
    ours = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module)
    return {alias.name for node in ours if (node.module or "").startswith("recollect") for alias in node.names}


def constants_classes_functions(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def test_every_public_name_is_documented_and_typed() -> None:
    wrong = [name for name, thing in public_things() if not documented(name, thing) or not typed(thing)]
    assert wrong == []


def public_things() -> Iterator[tuple[str, Any]]:
    """Give the public functions and classes, and the methods and properties of the classes."""
    found = {**exported(), **{kind.__name__: kind for kind in classes()}}
    for name, thing in found.items():
        if inspect.isclass(thing):
            yield from ((f"{name}.{member}", function_of(value)) for member, value in members(thing).items())
        if inspect.isclass(thing) or inspect.isfunction(thing):
            yield name, thing


def documented(name: str, thing: object) -> bool:
    said = (getattr(thing, "__doc__", "") or "").strip()
    return bool(said) and not said.startswith(f"{name}(")  # what a dataclass without a docstring gets


def typed(thing: object) -> bool:
    if not inspect.isfunction(thing):
        return True
    signature = inspect.signature(thing)
    parameters = [one for one in signature.parameters.values() if one.name not in ("self", "cls")]
    return inspect.Signature.empty not in [signature.return_annotation, *(one.annotation for one in parameters)]
