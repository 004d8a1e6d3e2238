"""The names a program may rely on: all there, in order, typed and documented."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect

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
    "going in": {
        "Location",
        "MEMORY_TYPES",
        "NewMemory",
        "NewMessage",
        "TextPiece",
        "ROLES",
        "SOURCES",
        "ToolCall",
        "Trust",
    },
    "coming out": {
        "AddedFile",
        "Chunk",
        "FilePage",
        "FileRecord",
        "FileText",
        "Folder",
        "FolderStatus",
        "SyncProgress",
        "SyncReport",
        "SkippedFile",
        "AuditLine",
        "Key",
        "NewKey",
        "About",
        "Appended",
        "BulkBatch",
        "CacheFigures",
        "Captured",
        "ChannelPart",
        "Compaction",
        "ConversationInfo",
        "Coverage",
        "Estimate",
        "Forgotten",
        "Hit",
        "Maintenance",
        "MemoryRecord",
        "Message",
        "Model",
        "Page",
        "ParkedItem",
        "ScoreParts",
        "Place",
        "Located",
        "NamedPlace",
        "PlacePart",
        "PlaceSummary",
        "Space",
        "Problem",
        "PromptContext",
        "Recall",
        "Reembedding",
        "Remembered",
        "Stats",
        "Status",
        "StoreStats",
        "TurnOutcome",
        "Usage",
        "Window",
        "WorkReport",
    },
    "going wrong": {
        "AccessDenied",
        "NotPermitted",
        "StaleVersion",
        "AlreadyProcessed",
        "UnknownKey",
        "EmbeddingError",
        "GeocoderUnavailable",
        "InvalidDocument",
        "InvalidInput",
        "InvalidMemory",
        "InvalidMessage",
        "InvalidVector",
        "LlmError",
        "ModelDamaged",
        "NotFound",
        "ProviderUnavailable",
        "RecollectError",
        "SettingsError",
        "StoreDamaged",
        "StoreError",
        "StoreTooNew",
        "StoreTooOld",
        "StoreUnavailable",
        "SummaryError",
        "TextRefused",
    },
    "the package": {"__version__"},
}


def written_imports() -> set[str]:
    """Give the names that type checkers see: what `recollect/__init__.py` imports."""
    tree = ast.parse(Path(recollect.__file__).read_text(encoding="utf-8"))
    ours = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module)
    return {alias.name for node in ours if (node.module or "").startswith("recollect") for alias in node.names}


def constants_classes_functions(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def test_the_public_names_are_the_promised_ones() -> None:
    promised = [name for names in PUBLIC.values() for name in names]
    assert sorted(recollect.__all__) == sorted(promised)
    assert list(recollect.__all__) == sorted(recollect.__all__, key=constants_classes_functions)


def test_type_checkers_and_python_see_the_same_names() -> None:
    assert written_imports() == set(recollect.__all__)
    assert dir(recollect) == sorted(recollect.__all__)


def test_a_name_that_is_not_there_is_said_so() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Memroy'"):
        _ = recollect.Memroy


@pytest.mark.parametrize("name", recollect.__all__)
def test_public_names_can_be_imported(name: str) -> None:
    assert getattr(recollect, name) is not None


def public_things() -> Iterator[tuple[str, Any]]:
    """Give the public functions, classes, and the methods and properties that public classes define."""
    for name in recollect.__all__:
        thing = getattr(recollect, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            yield name, thing
        if inspect.isclass(thing):
            yield from _members(name, thing)


def _members(owner: str, kind: type) -> Iterator[tuple[str, Any]]:
    for name, member in vars(kind).items():
        if name.startswith("_") and name not in {"__enter__", "__exit__", "__aenter__", "__aexit__"}:
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
