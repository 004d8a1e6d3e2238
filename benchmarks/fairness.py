"""How long a user's search takes while another user's key bulk-loads, against the same search in quiet.

One user searches at a fixed pace; the other posts bulk bodies on several connections, each with its next body as soon
as it has an answer. Quiet and loaded turns alternate, so that other programs on the machine weigh on both alike.
"""

import http.client
import json
import statistics
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from urllib.parse import quote, urlsplit

from benchmarks import service_crew as crew
from benchmarks.figures import Figure
from benchmarks.lifelike import questions, sentences
from benchmarks.service_crew import Running
from recollect import Memory

_LOADERS = 6
_TEXTS = 100  # in a body, as many as there may be
_MEMORIES = 1_000
_ROUNDS = 4
_TURN_S = 6.0
_PACE_S = 0.2
_LIMIT = 2.0
_PERCENT = 95


@dataclass(slots=True)
class _Load:
    """What the other user got done."""

    texts: int = 0
    refused: dict[int, int] = field(default_factory=dict)


def measure(folder: Path, address: str, amount: int) -> Iterator[Figure]:  # noqa: ARG001 - the amounts are its own
    """Give the ratio of the search's 95th percentile."""
    settings = {"database": str(folder / "fairness.db"), "recall.cache": 0, "recall.deadline_s": 60}
    keys = _furnish(settings)
    with crew.service(settings, folder) as running:
        _search(running, keys["quiet"], 1.0)
        quiet: list[float] = []
        loaded: list[float] = []
        load = _Load()
        for turn in range(_ROUNDS):
            quiet += _search(running, keys["quiet"], _TURN_S)
            loaded += _beside(running, keys, load, turn)
    shown = (f"p50 {1e3 * statistics.median(times):.0f}, p95 {1e3 * _p95(times):.0f} ms" for times in (quiet, loaded))
    rate = load.texts / (_ROUNDS * _TURN_S)
    detail = f"quiet {next(shown)}; loaded {next(shown)}; {rate:.0f} texts a second, refused {load.refused or 'none'}"
    name = f"p95 of a search while another user posts {_LOADERS} bulk bodies at a time, against quiet"
    yield Figure(name, _p95(loaded) / _p95(quiet), _LIMIT, "at most", detail)


def _furnish(settings: Mapping[str, object]) -> dict[str, str]:
    with Memory.open(settings=crew.settings_of(settings)) as memory:
        memory.user("quiet").remember_many(sentences(_MEMORIES))
        return {user: memory.keys.create(user, user=user).secret for user in ("quiet", "loader")}


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=100, method="inclusive")[_PERCENT - 1]


def _search(running: Running, key: str, seconds: float) -> list[float]:
    """Search at a fixed pace; gives how long each took."""
    asked, _ = questions(2_000)
    line, times = _connect(running), []
    started = time.perf_counter()
    for number, question in enumerate(asked):
        due = started + number * _PACE_S
        if max(due, time.perf_counter()) - started >= seconds:
            break
        time.sleep(max(0.0, due - time.perf_counter()))
        begun = time.perf_counter()
        _exchange(line, "GET", f"/api/memories/search?query={quote(question)}", key)
        times.append(time.perf_counter() - begun)
    line.close()
    return times


def _beside(running: Running, keys: Mapping[str, str], load: _Load, turn: int) -> list[float]:
    """Search while the other user loads."""
    stop = Event()
    with ThreadPoolExecutor(_LOADERS) as loaders:
        posting = [
            loaders.submit(_load, running, keys["loader"], stop, 1_000 * turn + number) for number in range(_LOADERS)
        ]
        try:
            time.sleep(_PACE_S)
            times = _search(running, keys["quiet"], _TURN_S)
        finally:
            stop.set()
        for done in posting:
            part = done.result()
            load.texts += part.texts
            for status, times_refused in part.refused.items():
                load.refused[status] = load.refused.get(status, 0) + times_refused
    return times


def _load(running: Running, key: str, stop: Event, seed: int) -> _Load:
    """Post bulk bodies until it is enough."""
    line, load = _connect(running), _Load()
    texts = sentences(3_000, seed=seed + 10)
    for start in range(0, len(texts), _TEXTS):
        if stop.is_set():
            break
        body = json.dumps({"memories": [{"content": text} for text in texts[start : start + _TEXTS]]})
        status = _exchange(line, "POST", "/api/memories/bulk", key, body)
        if status == http.client.OK:
            load.texts += _TEXTS
        else:
            load.refused[status] = load.refused.get(status, 0) + 1
            stop.wait(1.0)
    line.close()
    return load


def _connect(running: Running) -> http.client.HTTPConnection:
    address = urlsplit(running.url)
    return http.client.HTTPConnection(address.hostname or "", address.port, timeout=120)


def _exchange(line: http.client.HTTPConnection, method: str, path: str, key: str, body: str | None = None) -> int:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    line.request(method, path, body, headers if body else {"Authorization": headers["Authorization"]})
    answer = line.getresponse()
    answer.read()
    return answer.status
