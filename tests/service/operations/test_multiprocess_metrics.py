"""Several processes on one port give the figures of all of them. The tests of restarts kill one that has counted."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import Metric

from recollect import Memory
from recollect.service.metrics import multiprocess_metrics
from recollect.service.metrics.multiprocess_metrics import MetricsFolder, ProcessMetrics, collect_process, sum_processes
from recollect.service.metrics.service_metrics import Metrics
from tests.service.operations.figures import parsed, written

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def sheet(count: int) -> ProcessMetrics:
    """Give the figures of a process that did something so many times."""
    registry = CollectorRegistry()
    done = Counter("done", "Things done.", ["kind"], registry=registry)
    took = Histogram("took", "Time it took.", buckets=(1, 2), registry=registry)
    now = Gauge("now", "Under way.", registry=registry)
    for number in range(count):
        done.labels("odd" if number % 2 else "even").inc()
        took.observe(number)
    now.set(count)
    return collect_process(registry)


def samples(metrics: Iterator[Metric]) -> dict[str, float]:
    return {written(one.name, one.labels): one.value for metric in metrics for one in metric.samples}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "figures"


def test_everything_is_added_up(database: str) -> None:
    found = samples(sum_processes([sheet(3), sheet(4), sheet(1)]))
    assert (found["done_total{kind=even}"], found["done_total{kind=odd}"]) == (2 + 2 + 1, 1 + 2 + 0)
    assert (found["took_count"], found["took_sum"]) == (8, 3 + 6 + 0)
    assert (found["took_bucket{le=1.0}"], found["took_bucket{le=+Inf}"]) == (2 + 2 + 1, 8)
    assert found["now"] == 8
    assert not [name for name in found if "created" in name]


def test_what_was_so_at_the_moment_ends_with_the_process(database: str) -> None:
    found = samples(sum_processes([sheet(3), ProcessMetrics(sheet(4).families, current=False)]))
    assert found["now"] == 3
    assert found["took_count"] == 7


def test_the_folder_is_private(folder: Path, memory: Memory) -> None:
    metrics = Metrics(memory, folder)
    metrics.close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert len(list(folder.iterdir())) == 1


def test_a_process_that_stopped_writing_is_gone_but_its_counts_are_not(folder: Path, memory: Memory) -> None:
    here, there = Metrics(memory, folder), Metrics(memory, folder)
    memory.user("a").recall("anything")  # `there` came last, so it is told
    there.close()
    figures = parsed(here.show().decode())
    assert figures["recollect_processes"] == 2
    assert figures["recollect_recall_seconds_count{stage=total}"] == 1
    for file in folder.glob("*.json"):
        os.utime(file, (1, 1))  # `here` writes its own anew when it is asked
    figures = parsed(here.show().decode())
    here.close()
    assert figures["recollect_processes"] == 1
    assert figures["recollect_recall_seconds_count{stage=total}"] == 1


def test_nobody_sees_half_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch, database: str) -> None:
    monkeypatch.setattr(multiprocess_metrics, "WRITTEN_EVERY_S", 0.0005)
    registry = CollectorRegistry()
    Gauge("wide", "Long.", ["name"], registry=registry).labels("x" * 100_000).set(1)
    writers = [MetricsFolder(folder, registry) for _ in range(3)]
    for _ in range(50):
        for file in folder.glob("*.json"):
            assert json.loads(file.read_bytes())[0]["name"] == "wide"
    for writer in writers:
        writer.close()
