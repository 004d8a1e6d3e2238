"""The page about growth says what was measured."""

from pathlib import Path

import pytest
from benchmarks.quality.intervals import Interval
from benchmarks.scale.page import page
from benchmarks.scale.probe import Probe, Times
from benchmarks.scale.results import Measured, MeasuredUsers, Results
from benchmarks.scale.stores import BuiltStore


def probe(ms: float) -> Probe:
    times = Times(ms, 2 * ms, 3 * ms, 4 * ms)
    return Probe(0.1, 0.2, times, times, peak_mb=300.0, remember_ms=1.0, forget_ms=2.0, after_forget_ms=3.0)


@pytest.fixture
def results(tmp_path: Path) -> Results:
    path = tmp_path / "store.db"
    path.write_bytes(b"\0" * 1_000_000)
    small, large = (BuiltStore(path, rows, load_rows_per_s=10.0, maintain_cpu_s=1.0) for rows in (1_000, 10_000))
    found = {"quality": Interval(90.0, 80.0, 100.0)}
    giants = [Measured(small, probe(5.0), 1.0, found, 1.0), Measured(large, probe(30.0), 2.0, found, 0.98)]
    return Results(giants, [MeasuredUsers(small, 10, probe(1.0), probe(2.0)) for _ in range(2)])


def test_figures_compare_the_largest_store_with_the_one_before_and_with_the_bars(results: Results) -> None:
    figures = {figure.name: figure for figure in results.figures()}
    growth = figures["recall p95 of a user with 10,000 memories, against 1,000"]
    assert (growth.ratio, growth.reached) == (6.0, False)
    assert figures["recall p95 of a user with 10,000 memories, against 60 ms of CPU"].ratio == 1.0
    assert not figures["top-10 agreement with the exact scan of 10,000"].reached
    assert figures["memory of a process that recalls among 10,000, in 600 MB"].ratio == 0.5


def test_the_page_has_the_figures_the_command_and_the_curves(results: Results) -> None:
    files = page(results, "the command")
    assert "| recall, CPU p50 / p95, ms | 5.0 / 10.0 | 30.0 / 60.0 |" in files["scale.md"]
    assert "Again: `the command`" in files["scale.md"]
    drawn = {name for name in files if name.endswith(".svg")}
    assert drawn == {name for name in drawn if f"({name})" in files["scale.md"]}
    assert len(drawn) == 3
