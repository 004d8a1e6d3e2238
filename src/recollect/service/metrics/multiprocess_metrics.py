"""Metrics of several worker processes on one port, summed for every scrape.

Each process writes its counters to a file in a private folder, once a second and before it answers a scrape; the
answer is the sum of all files. Nothing is shown that is not in a file and file counters only grow, so no counter goes
back between two scrapes. Files of ended processes stay while the server runs, but their gauges no longer count.
"""

import atexit
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from threading import Event, Lock, Thread
from typing import Any, Final, Protocol

from prometheus_client.core import Metric

WRITTEN_EVERY_S: Final = 1.0
_GONE_AFTER_S: Final = 10.0
_GAUGE: Final = "gauge"
_CREATED: Final = "_created"  # when a series began, which cannot be summed


class MetricSource(Protocol):
    """A collector of metrics."""

    def collect(self) -> Iterable[Metric]:
        """Give the metrics as they are now."""


@dataclass(frozen=True, slots=True)
class ProcessMetrics:
    """The metrics of one process, and whether it still runs."""

    families: list[dict[str, Any]]
    current: bool = True


def collect_process(source: MetricSource) -> ProcessMetrics:
    """Take the metrics of this process."""
    return ProcessMetrics([_plain_family(family) for family in source.collect()])


def _plain_family(family: Metric) -> dict[str, Any]:
    samples = [
        [sample.name, sample.labels, sample.value] for sample in family.samples if not sample.name.endswith(_CREATED)
    ]
    return {"name": family.name, "about": family.documentation, "type": family.type, "samples": samples}


def sum_processes(processes: Iterable[ProcessMetrics]) -> Iterator[Metric]:
    """Sum the metrics of several processes, in the order of the first that has each."""
    families: dict[str, Metric] = {}
    sums: dict[str, dict[tuple[str, tuple[tuple[str, str], ...]], float]] = {}
    for process in processes:
        for family in process.families:
            name = family["name"]
            families.setdefault(name, Metric(name, family["about"], family["type"]))
            rows = sums.setdefault(name, {})
            if family["type"] == _GAUGE and not process.current:
                continue
            for sample, labels, value in family["samples"]:
                series = (sample, tuple(labels.items()))
                rows[series] = rows.get(series, 0.0) + value
    for name, metric in families.items():
        for (sample, labels), value in sums[name].items():
            metric.add_sample(sample, dict(labels), value)
        yield metric


class MetricsFolder:
    """The folder in which the processes of one server exchange their metrics."""

    def __init__(self, path: Path, source: MetricSource) -> None:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = path
        self._source = source
        self._own = path / f"{os.getpid()}-{token_hex(4)}.json"
        self._lock = Lock()
        self._stop = Event()
        self.write()
        Thread(target=self._keep_writing, name="recollect-figures", daemon=True).start()
        atexit.register(self.close)

    def read_all(self) -> list[ProcessMetrics]:
        """Give the metrics of all processes, this one's as they are now."""
        self.write()
        now = self._own.stat().st_mtime  # files are compared by their own clock
        return [
            ProcessMetrics(json.loads(file.read_bytes()), now - file.stat().st_mtime < _GONE_AFTER_S)
            for file in sorted(self._path.glob("*.json"))
        ]

    def write(self) -> None:
        """Write the metrics of this process; readers see the old file or the new one, never a part."""
        with self._lock:
            part = self._own.with_suffix(".part")
            part.write_text(json.dumps(collect_process(self._source).families), encoding="utf-8")
            part.replace(self._own)

    def close(self) -> None:
        """Write for the last time."""
        atexit.unregister(self.close)
        self._stop.set()
        with suppress(OSError):
            self.write()

    def _keep_writing(self) -> None:
        while not self._stop.wait(WRITTEN_EVERY_S):
            with suppress(OSError):  # a full disk, or the folder went with the server; a scrape reports it
                self.write()
