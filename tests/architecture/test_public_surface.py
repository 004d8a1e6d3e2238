"""The names a program may rely on: all there, in order, typed and documented."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import recollect
import recollect.errors
import recollect.model

# Adding a name here is a promise for years.
PUBLIC = {
    "opening a store": {
        "AsyncConversation",
        "AsyncMemory",
        "AsyncUserMemory",
        "Conversation",
        "Memory",
        "Settings",
        "UserMemory",
        "load_settings",
    },
    "embedding": {"create_embedding_provider", "vector_dims_for_model"},
    "going in": {"Location", "MEMORY_TYPES", "NewMemory", "NewMessage", "ToolCall", "Trust"},
    "coming out": {
        "About",
        "Compaction",
        "Forgotten",
        "Hit",
        "MemoryRecord",
        "Message",
        "PromptContext",
        "Recall",
        "Remembered",
        "TurnOutcome",
        "Window",
    },
    "going wrong": {
        "AccessDenied",
        "EmbeddingError",
        "InvalidInput",
        "LlmError",
        "NotFound",
        "RecollectError",
        "SettingsError",
        "StoreDamaged",
        "StoreError",
    },
    "the package": {"__version__"},
}
VERBS_OF_A_USER = {
    "remember", "remember_many", "import_memories", "recall", "search_context", "about", "get", "update", "rate",
    "history", "list", "count", "stats", "forget", "before_prompt", "after_turn", "start_session", "end_session",
    "conversation", "conversations", "export", "import_archive", "similar", "clusters", "merge", "scope", "scopes",
    "insights", "tidy",
}  # fmt: skip
NAMESPACES = {
    "user": {"files", "media", "places", "facts", "preferences", "events", "lessons", "instructions", "messages"},
    "store": {"keys", "models", "operations", "scopes", "me"},
}
VERBS_OF_A_STORE = {
    "open", "user", "stats", "status", "doctor", "maintain", "purge", "backup", "restore", "load", "embed_waiting",
    "verify_erasure", "repair", "distribute", "retry_parked", "close", "export", "import_archive",
}  # fmt: skip
MOST_NAMES = 40


def written_imports(module: ModuleType) -> set[str]:
    """Give the names that type checkers see: what the module's source imports."""
    tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
    ours = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module)
    return {alias.name for node in ours if (node.module or "").startswith("recollect") for alias in node.names}


def constants_classes_functions(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def members(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_the_public_names_are_the_promised_ones() -> None:
    promised = [name for names in PUBLIC.values() for name in names]
    assert sorted(recollect.__all__) == sorted(promised)
    assert len(recollect.__all__) <= MOST_NAMES


def test_a_user_and_a_store_have_the_promised_verbs_and_namespaces() -> None:
    assert members(recollect.UserMemory) == {*VERBS_OF_A_USER, *NAMESPACES["user"], "user_id", "address"}
    assert members(recollect.Memory) == {*VERBS_OF_A_STORE, *NAMESPACES["store"], "settings", "repaired"}


@pytest.mark.parametrize("module", [recollect, recollect.model])
def test_type_checkers_and_python_see_the_same_names(module: ModuleType) -> None:
    assert written_imports(module) == set(module.__all__)
    assert dir(module) == sorted(module.__all__)
    assert list(module.__all__) == sorted(module.__all__, key=constants_classes_functions)


@pytest.mark.parametrize("module", [recollect, recollect.model])
def test_a_name_that_is_not_there_is_said_so(module: ModuleType) -> None:
    with pytest.raises(AttributeError, match="no attribute 'Memroy'"):
        _ = module.Memroy


@pytest.mark.parametrize("module", [recollect, recollect.model])
def test_public_names_can_be_imported(module: ModuleType) -> None:
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_every_error_and_result_has_one_home() -> None:
    """What left the package's own names is found in `recollect.model` and `recollect.errors`."""
    shared = set(recollect.__all__) & set(recollect.model.__all__)
    assert all(getattr(recollect, name) is getattr(recollect.model, name) for name in shared)
    assert PUBLIC["coming out"] <= shared


def public_things() -> Iterator[tuple[str, Any]]:
    """Give the public functions, classes, and the methods and properties that public classes define."""
    for module in (recollect, recollect.model, recollect.errors):
        for name, thing in vars(module).items() if module is recollect.errors else _exported(module):
            if inspect.isclass(thing) or inspect.isfunction(thing):
                yield name, thing
            if inspect.isclass(thing):
                yield from _members(name, thing)
    for kind in (*_returned(recollect.UserMemory), *_returned(recollect.Memory)):
        yield kind.__name__, kind
        yield from _members(kind.__name__, kind)


def _exported(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name in module.__all__:
        yield name, getattr(module, name)


def _returned(kind: type) -> Iterator[type]:
    """Give the namespaces of a class: what its properties return."""
    for member in vars(kind).values():
        if isinstance(member, property) and member.fget is not None:
            namespace = inspect.signature(member.fget).return_annotation
            if namespace.__module__.startswith("recollect.api"):
                yield namespace


def _members(owner: str, kind: type) -> Iterator[tuple[str, Any]]:
    for name, member in vars(kind).items():
        if name.startswith("_") and name not in {"__call__", "__enter__", "__exit__", "__aenter__", "__aexit__"}:
            continue
        if isinstance(member, property):
            yield f"{owner}.{name}", member.fget
        elif isinstance(member, (classmethod, staticmethod)):
            yield f"{owner}.{name}", member.__func__
        elif inspect.isfunction(member):
            yield f"{owner}.{name}", member


THINGS = dict(public_things())


@pytest.mark.parametrize("name", THINGS)
def test_public_things_are_documented(name: str) -> None:
    documented = THINGS[name].__doc__ or ""
    generated = documented.startswith(f"{name}(")  # what a dataclass without a docstring gets
    assert documented.strip(), f"{name} has no docstring"
    assert not generated, f"{name} has no docstring of its own"


@pytest.mark.parametrize("name", [name for name, thing in THINGS.items() if inspect.isfunction(thing)])
def test_public_functions_are_typed(name: str) -> None:
    signature = inspect.signature(THINGS[name])
    assert signature.return_annotation is not inspect.Signature.empty
    parameters = [parameter for parameter in signature.parameters.values() if parameter.name not in {"self", "cls"}]
    assert [parameter.name for parameter in parameters if parameter.annotation is inspect.Parameter.empty] == []
