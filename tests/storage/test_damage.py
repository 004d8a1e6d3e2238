"""A damaged vector never stands between a person and their words: recall goes on with text, and forgetting works."""

import math
import re
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from recollect import UserMemory
from recollect.storage.base.statements import load_checks
from recollect.storage.sqlite.caches import FEW_ROWS
from tests.reliability.worker import WITH_VECTORS, open_memory, remember_batch, vector_of
from tests.storage.catalogue import plain

_DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut within a number": lambda blob: blob[:-6],
    "cut between numbers": lambda blob: blob[:-8],
    "empty": lambda _: b"",
    "too long": lambda blob: blob * 2,
    "not a number": lambda blob: struct.pack("<f", float("nan")) + blob[4:],
    "infinite": lambda blob: struct.pack("<f", float("inf")) + blob[4:],
    "overgrown": lambda blob: (np.frombuffer(blob, np.float32) * 1000).astype(np.float32).tobytes(),
}


def _filled(path: Path, rows: int) -> str:
    """A store with so many rows; gives the id of the one to damage."""
    with open_memory(str(path), **WITH_VECTORS) as memory:
        made = remember_batch(memory.user("me"), [f"Tool {number} hangs on hook {number}" for number in range(rows)])
    return made[7].id


def _damage(path: Path, memory_id: str, table: str, damage: Callable[[bytes], bytes]) -> None:
    column = {"vectors_1": "vector", "codes_1": "code"}[table]
    where = "WHERE seq = (SELECT seq FROM memories WHERE id = ?)"
    with plain(str(path)) as store:
        ((blob,),) = store.rows(f"SELECT {column} FROM {table} {where}", (memory_id,))  # noqa: S608 - our own names
        store.rows(f"UPDATE {table} SET {column} = ? {where}", (damage(blob), memory_id))  # noqa: S608


def _insist_usable(me: UserMemory, memory_id: str) -> None:
    """Whatever is wrong with the vector of a row: its words find it, it can be read, and it can be forgotten."""
    text = "Tool 7 hangs on hook 7"
    found = me.recall("tool 7", vector=vector_of(text), limit=3)
    assert found.degraded == ("vector",)
    assert found.hits[0].content == text
    assert me.get(memory_id).content == text
    assert me.forget(memory_id).action == "deleted"
    healed = me.recall("tool 8", vector=vector_of("Tool 8 hangs on hook 8"), limit=3)
    assert healed.degraded == ()
    assert healed.hits[0].content == "Tool 8 hangs on hook 8"


@pytest.mark.parametrize("rows", [20, FEW_ROWS + 20], ids=["few", "many"])
@pytest.mark.parametrize("damage", _DAMAGES)
def test_a_damaged_vector(tmp_path: Path, damage: str, rows: int) -> None:
    path = tmp_path / "memory.db"
    memory_id = _filled(path, rows)
    _damage(path, memory_id, "vectors_1", _DAMAGES[damage])
    with open_memory(str(path), **WITH_VECTORS) as memory:
        _insist_usable(memory.user("me"), memory_id)


@pytest.mark.parametrize("rows", [20, FEW_ROWS + 20], ids=["few", "many"])
@pytest.mark.parametrize("damage", _DAMAGES)
def test_a_damaged_vector_of_what_a_question_compares(tmp_path: Path, damage: str, rows: int) -> None:
    path = tmp_path / "memory.db"
    memory_id = _filled(path, rows)
    _damage(path, memory_id, "vectors_1", _DAMAGES[damage])
    with open_memory(str(path), **WITH_VECTORS) as memory:
        found = memory.user("me").recall("What do Tool and Tools have in common?", vector=vector_of("Tool"))

    assert found.hits
    assert all(math.isfinite(hit.score) for hit in found.hits)
    compared = any("in common" in hit.parts.channels for hit in found.hits)
    assert compared or found.degraded == ("vector",)


@pytest.mark.parametrize("damage", ["cut within a number", "empty", "too long"])
def test_a_damaged_code(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "memory.db"
    memory_id = _filled(path, FEW_ROWS + 20)
    _damage(path, memory_id, "codes_1", _DAMAGES[damage])
    with open_memory(str(path), **WITH_VECTORS) as memory:
        _insist_usable(memory.user("me"), memory_id)


@pytest.mark.parametrize(
    ("table", "check"), [("vectors_1", "vectors_of_wrong_length_1"), ("codes_1", "codes_of_wrong_length_1")]
)
def test_doctor_finds_it(tmp_path: Path, table: str, check: str) -> None:
    path = tmp_path / "memory.db"
    memory_id = _filled(path, 20)
    _damage(path, memory_id, table, _DAMAGES["cut within a number"])
    with open_memory(str(path)) as memory:
        assert [(problem.check, problem.count) for problem in memory.doctor()] == [(check, 1)]


def test_storing_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    _damage(path, _filled(path, 20), "vectors_1", _DAMAGES["empty"])
    with open_memory(str(path), **WITH_VECTORS) as memory:
        text = "A new tool came today"
        remembered = memory.user("me").remember(text, vector=vector_of(text))
        assert (remembered.action, remembered.degraded) == ("created", ())


_SENTENCE = re.compile(r"(The|These|Some) [^.]+? (is|are|was|were|have|holds?|lead|belong|could|do|say)\b")


@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_what_doctor_says_are_sentences(backend: str) -> None:
    checks = list(load_checks(backend, {1: "memory"}))
    assert len(checks) > 10
    for check in checks:
        assert _SENTENCE.match(check.advice), check.advice
        assert re.search(r"(Run|Sync|Forget|Update|Restore|[Pp]lease report)\b.*\.$", check.advice), check.advice
