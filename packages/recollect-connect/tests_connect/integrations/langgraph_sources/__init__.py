"""The store tests of LangGraph's own repository, run on our store from a copy of that repository.

git clone --depth 1 https://github.com/langchain-ai/langgraph ../langgraph
pip install pytest-asyncio pytest-mock
python -m tests_connect.integrations.langgraph_sources ../langgraph            # on a SQLite file
python -m tests_connect.integrations.langgraph_sources ../langgraph DATABASE   # on another store
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

PLUGIN: Final = "recollect_as_langgraph_store"

SUITES: Final[Mapping[str, tuple[str, ...]]] = {
    "libs/checkpoint": ("tests/test_store.py",),
    "libs/checkpoint-sqlite": ("tests/test_store.py", "tests/test_async_store.py", "tests/test_ttl.py"),
}

# What is left out, and why.
EXCEPTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "libs/checkpoint": {},
    "libs/checkpoint-sqlite": {
        "tests/test_store.py::test_vector_store_initialization": "looks for tables of that store by their names",
        "tests/test_store.py::test_nonnull_migrations": "reads the migrations of that store",
        "tests/test_store.py::test_escape_glob_literal": "calls a private function of that store",
        "tests/test_store.py::test_namespace_match_pattern": "calls a private function of that store",
        "tests/test_store.py::test_list_namespaces_prefix_uses_indexable_condition": "reads the SQL of that store",
    },
}


def run(sources: Path, library: str, database: str) -> subprocess.CompletedProcess[str]:
    """Run the store tests of one library of LangGraph, in a process whose `tests` are LangGraph's."""
    left_out = [f"--deselect={name}" for name in EXCEPTIONS[library]]
    options = ["-q", "-p", PLUGIN, "-p", "no:cacheprovider", "-o", "addopts=", "-W", "ignore", *left_out]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "RECOLLECT_UNDER_TEST": database}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, *SUITES[library]],
        cwd=sources / library,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
