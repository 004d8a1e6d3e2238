"""One-bit codes: they choose which floats are read, and must not lose what is near."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.lifelike import vectors as lifelike
from benchmarks.stores import open_memory
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect import Memory, NewMemory
from recollect.model.memories import Vector
from recollect.storage.sqlite.caches import CodeCache, Codes, Seqs, UserCodes, encode, rescored
from tests.sizes import sized


def codes_of(vectors: Vector, step: int = 1) -> UserCodes:
    codes = UserCodes()
    for start in range(0, len(vectors), step):
        part = vectors[start : start + step]
        codes.append(np.arange(start + 1, start + 1 + len(part)), encode(part))
    return codes


def test_the_best_ten_of_many_are_among_the_chosen() -> None:
    vectors, queries = lifelike(sized(8_000, 20_000), seed=3), lifelike(50, seed=4)
    view = codes_of(vectors, step=3_000).view()
    kept = 0
    for query in queries:
        best = set((np.argsort(-(vectors @ query))[:10] + 1).tolist())
        kept += len(best & set(view.closest(query, rescored(len(vectors))).tolist()))
    assert kept / (10 * len(queries)) >= 0.98  # these vectors are harder to tell apart than those of real sentences


def test_far_fewer_floats_are_read_than_there_are() -> None:
    amount = sized(6_000, 20_000)
    vectors = lifelike(amount, seed=3)
    assert len(codes_of(vectors, amount).view().closest(vectors[0], rescored(amount))) <= 2 * rescored(amount)


def test_more_is_read_the_more_there_is() -> None:
    amounts = [rescored(rows) for rows in (100, 10_000, 100_000, 1_000_000)]
    assert amounts == sorted(amounts)
    assert amounts[-1] > amounts[0]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 70), st.integers(1, 130), st.integers(0, 2**32 - 1))
def test_any_length_and_any_number_of_rows(rows: int, dimensions: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).standard_normal((rows, dimensions)).astype(np.float32)
    view = codes_of(vectors, step=13).view()
    assert sorted(view.closest(vectors[0], rows).tolist()) == list(range(1, rows + 1))
    assert 1 in view.closest(vectors[0], 1).tolist() or rows > 1
    assert view.among(np.array([1], np.int64)).closest(vectors[0], 5).tolist() == [1]


def test_a_view_does_not_change_when_rows_are_added() -> None:
    vectors = np.random.default_rng(5).standard_normal((600, 384), np.float32)
    codes = codes_of(vectors[:300], 300)
    view = codes.view()
    codes.append(np.arange(301, 601), encode(vectors[300:]))
    assert len(view.seqs) == 300
    assert len(codes.view().seqs) == 600


def test_the_cache_lets_go_of_whom_nobody_asked_about() -> None:
    cache = CodeCache(max_bytes=100_000)
    vectors = lifelike(500, seed=1)
    for number in range(10):
        codes = cache.take(f"user{number}", 1)
        codes.append(np.arange(1, 501), encode(vectors))
        cache.shrink()
    assert cache.take("user9", 1).size == 500
    assert cache.take("user0", 1).size == 0


def test_filters_reach_past_the_nearest_rows(memory: Memory) -> None:
    """The rows that pass may all be far away; then the search goes on among them alone."""
    vectors = lifelike(1_500, seed=6)
    order = np.argsort(-(vectors @ vectors[0]))
    kinds = {int(row): "lesson" for row in order[-4:]}
    me = memory.user("me")
    me.remember_many(
        NewMemory(f"Row {row}", type="lesson" if row in kinds else "fact", vector=vectors[row])
        for row in range(len(vectors))
    )
    for wanted, expected in (("fact", order[:4]), ("lesson", order[-4:])):
        hits = me.recall("xyzzy", vector=vectors[0], limit=4, type=wanted).hits  # type: ignore[arg-type]
        assert {hit.content for hit in hits} == {f"Row {row}" for row in expected}


def test_after_forgetting_only_numbers_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = lifelike(900, seed=7)
    loaded = []

    def append(codes: UserCodes, seqs: Seqs, rows: Codes) -> None:
        loaded.append(len(seqs))
        added(codes, seqs, rows)

    added = UserCodes.append
    monkeypatch.setattr(UserCodes, "append", append)
    with open_memory(str(tmp_path / "memory.db")) as memory:
        me = memory.user("me")
        stored = me.remember_many(NewMemory(f"Row {row}", vector=vectors[row]) for row in range(800))
        assert me.recall("xyzzy", vector=vectors[0]).hits[0].id == stored[0].id
        me.forget(stored[0].id)
        (late,) = me.remember_many([NewMemory("Row 0, again", vector=vectors[0])])
        hits = me.recall("xyzzy", vector=vectors[0]).hits
        (codes,) = memory._engine.store._caches.codes._users.values()  # type: ignore[attr-defined]
    assert hits[0].id == late.id
    assert sum(loaded) == 801
    assert codes.size == 800
