"""The store tests of LangGraph's own repository pass on both stores, where LANGGRAPH_SOURCES names a copy of it."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests_connect.integrations import langgraph_sources

SOURCES = os.environ.get("LANGGRAPH_SOURCES", "")


@pytest.mark.slow
@pytest.mark.skipif(not SOURCES, reason="LANGGRAPH_SOURCES does not name a copy of LangGraph's repository")
@pytest.mark.skipif(
    not (find_spec("pytest_asyncio") and find_spec("pytest_mock")), reason="needs pytest-asyncio, -mock"
)
@pytest.mark.parametrize("library", langgraph_sources.SUITES)
def test_the_store_tests_of_langgraph_pass(library: str, database: str) -> None:
    ran = langgraph_sources.run(Path(SOURCES), library, database)
    assert not ran.returncode, ran.stdout + ran.stderr
    assert "passed" in ran.stdout
