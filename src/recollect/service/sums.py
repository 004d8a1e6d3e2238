"""The sums of several processes that serve one port.

Whoever scrapes gets an answer from one process, and wants the figures of all. Each process writes its own to a file in
a folder that only they can read, once a second and before it answers a scrape; the answer is the sum of all files.
Since nothing is shown that is not in a file, and what a file counts only ever grows, no counter goes back between two
answers. Files of processes that ended stay for as long as the server runs, for the same reason: what they counted has
happened. What is merely so at the moment, such as requests in flight, ends with the process, so it is not taken from a
file that nobody writes any more.
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
_MOMENT: Final = "_created"  # when a series began, which no sum can say


class Source(Protocol):
    """Something that gives figures."""

    def collect(self) -> Iterable[Metric]:
        """Give them as they are now."""
        ...


@dataclass(frozen=True, slots=True)
class Sheet:
    """The figures of one process, and whether it still runs."""

    families: list[dict[str, Any]]
    current: bool = True


def sheet_of(source: Source) -> Sheet:
    """Write down the figures of this process."""
    return Sheet([_noted(family) for family in source.collect()])


def _noted(family: Metric) -> dict[str, Any]:
    samples = [[one.name, one.labels, one.value] for one in family.samples if not one.name.endswith(_MOMENT)]
    return {"name": family.name, "about": family.documentation, "type": family.type, "samples": samples}


def added(sheets: Iterable[Sheet]) -> Iterator[Metric]:
    """Add up what several processes counted, in the order of the first that counted it."""
    families: dict[str, Metric] = {}
    sums: dict[str, dict[tuple[str, tuple[tuple[str, str], ...]], float]] = {}
    for sheet in sheets:
        for family in sheet.families:
            name = family["name"]
            families.setdefault(name, Metric(name, family["about"], family["type"]))
            rows = sums.setdefault(name, {})
            if family["type"] == _GAUGE and not sheet.current:
                continue
            for sample, labels, value in family["samples"]:
                place = (sample, tuple(labels.items()))
                rows[place] = rows.get(place, 0.0) + value
    for name, metric in families.items():
        for (sample, labels), value in sums[name].items():
            metric.add_sample(sample, dict(labels), value)
        yield metric


class Folder:
    """Where the processes of one server leave their figures for each other."""

    def __init__(self, path: Path, source: Source) -> None:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = path
        self._source = source
        self._own = path / f"{os.getpid()}-{token_hex(4)}.json"
        self._lock = Lock()
        self._stop = Event()
        self.write()
        Thread(target=self._keep_writing, name="recollect-figures", daemon=True).start()
        atexit.register(self.close)

    def sheets(self) -> list[Sheet]:
        """Give the figures of all processes, this one's as they are now."""
        self.write()
        return list(self._read())

    def write(self) -> None:
        """Leave the figures of this process for the others; they see the old ones or the new ones, never a part."""
        with self._lock:
            part = self._own.with_suffix(".part")
            part.write_text(json.dumps(sheet_of(self._source).families), encoding="utf-8")
            part.replace(self._own)

    def close(self) -> None:
        """Write for the last time."""
        atexit.unregister(self.close)
        self._stop.set()
        with suppress(OSError):
            self.write()

    def _keep_writing(self) -> None:
        while not self._stop.wait(WRITTEN_EVERY_S):
            with suppress(OSError):  # a full disk, or the folder went with the server; whoever scrapes hears of it
                self.write()

    def _read(self) -> Iterator[Sheet]:
        """Read all files. The clock that says which are old is that of the files themselves."""
        now = self._own.stat().st_mtime
        for file in sorted(self._path.glob("*.json")):
            yield Sheet(json.loads(file.read_bytes()), now - file.stat().st_mtime < _GONE_AFTER_S)
