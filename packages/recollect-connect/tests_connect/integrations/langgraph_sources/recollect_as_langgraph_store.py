"""A pytest plugin that puts our store in the place of LangGraph's own, for the store tests in LangGraph's repository.

It runs in a process of its own whose `tests` are LangGraph's. `RECOLLECT_UNDER_TEST` is the database; each store that
a test makes is a new user of it.
"""

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import ModuleType
from typing import Any
from uuid import uuid4

import langgraph.store.memory
import pytest

from recollect import Memory, load_settings
from recollect_connect.integrations.langgraph import AsyncRecollectStore, RecollectStore

_settings = load_settings(
    os.devnull,
    environ={},
    overrides={
        "database": os.environ["RECOLLECT_UNDER_TEST"],
        "embedding.worker": False,
        "places.geocoder": "none",
        "recall.deadline_s": 600.0,
    },
)
_memory = Memory.open(settings=_settings)


class InMemoryStore(RecollectStore):
    """Our store, made as LangGraph's store in memory is."""

    def __init__(self, *, index: Any = None, ttl: Any = None) -> None:
        super().__init__(_memory, user=f"test-{uuid4()}", index=index, ttl=ttl)


class SqliteStore(InMemoryStore):
    """Our store, opened as LangGraph's store for SQLite is."""

    @classmethod
    @contextmanager
    def from_conn_string(cls, _: str, **options: Any) -> Iterator["SqliteStore"]:
        store = cls(**options)
        yield store
        store.stop_ttl_sweeper()

    def setup(self) -> None:
        """Do nothing: the schema is there."""


class AsyncSqliteStore(AsyncRecollectStore):
    """Our store for an event loop, opened as LangGraph's is."""

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, _: str, **options: Any) -> AsyncIterator["AsyncSqliteStore"]:
        """Open a store."""
        store = cls(InMemoryStore(**options))
        yield store
        await store.stop_ttl_sweeper()

    async def setup(self) -> None:
        """Do nothing: the schema is there."""


def _module(name: str, **names: object) -> None:
    module = ModuleType(name)
    vars(module).update(names)
    sys.modules[name] = module


langgraph.store.memory.InMemoryStore = InMemoryStore  # type: ignore[misc,assignment]
_module("langgraph.store.sqlite", SqliteStore=SqliteStore, AsyncSqliteStore=AsyncSqliteStore)
_module("langgraph.store.sqlite.aio", AsyncSqliteStore=AsyncSqliteStore)
_inner = (
    "NS_MATCH_FUNCTION",
    "BaseSqliteStore",
    "SqliteIndexConfig",
    "_escape_glob_literal",
    "_namespace_match_pattern",
)
_module("langgraph.store.sqlite.base", **dict.fromkeys(_inner))


def pytest_configure(config: pytest.Config) -> None:
    """Know the marks of those tests, some of which need a plugin that is not needed here."""
    config.addinivalue_line("markers", "flaky: may be tried again")


def pytest_unconfigure() -> None:
    _memory.close()
