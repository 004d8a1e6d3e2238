"""What the service adds to the façade: store and recall over HTTP, by 8 connections, against the same verb in a loop.

A bare FastAPI that says hello, with the same client and the same server, shows what of it is HTTP itself. Service,
façade and PostgreSQL take turns on one processor; the client has the other. Rates are per second of a processor's work,
that of PostgreSQL included, so other programs on the machine do not change them.
"""

import json
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg

from benchmarks import service_crew as crew
from benchmarks.figures import Figure
from benchmarks.lifelike import questions, sentences
from benchmarks.service_crew import Running, Turn
from benchmarks.service_load import Answered, Load
from recollect import Memory

_CONNECTIONS = 8
_MEMORIES = 1_000
_ROUNDS = 3
_TURN_S = 1.5
_RECALL_LIMIT = 0.6
_STORE_LIMIT = 0.1  # a tripwire: what HTTP costs is much beside what a store costs
_EARLY, _LATE = 10_000, 50_000
_GROWTH_LIMIT = 1.05
_USER = "anna"


def measure(folder: Path, address: str, amount: int) -> Iterator[Figure]:  # noqa: ARG001 - the amounts are its own
    """Give all figures, of both stores, with vectors and without."""
    databases = {
        (store, provider): str(folder / f"{provider}.db")
        if store == "SQLite"
        else _empty(address, f"service_{provider}")
        for provider in ("local", "none")
        for store in ("SQLite", "PostgreSQL")
    }
    with crew.hello() as greeting, closing(crew.client()) as client:
        bench = _Bench(client, greeting, _postmaster(address), folder)
        crew.pin(bench.postmaster, crew.SERVING)
        for (store, provider), database in databases.items():
            yield from bench.rates(store, {**_USUAL, "database": database, "embedding.provider": provider})
        for store in ("SQLite", "PostgreSQL"):
            database = databases[store, "none"]
            yield bench.growth(store, {**_USUAL, "database": database, "embedding.provider": "none"})


_USUAL: Mapping[str, object] = {"recall.cache": 0, "recall.deadline_s": 60, "embedding.threads": 1}


def _empty(address: str, name: str) -> str:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return address.replace("/benchmark?", f"/{name}?")


def _postmaster(address: str) -> int:
    """Give the process that PostgreSQL is."""
    with psycopg.connect(address, autocommit=True) as connection:
        (folder,) = connection.execute("SHOW data_directory").fetchone() or ("",)
    return int((Path(folder) / "postmaster.pid").read_text(encoding="ascii").split()[0])


@dataclass(frozen=True)
class _Bench:
    """What all measurements share."""

    client: "crew.Elsewhere[[Load], Answered]"
    greeting: Running
    postmaster: int
    folder: Path

    def rates(self, store: str, overrides: Mapping[str, object]) -> Iterator[Figure]:
        """Measure recall and store, in turn with the façade and with hello."""
        key = _filled(overrides)
        named = f"{store}, {'with vectors' if overrides['embedding.provider'] == 'local' else 'words only'}"
        with ExitStack() as stack:
            running = stack.enter_context(crew.service(overrides, self.folder))
            loop = stack.enter_context(closing(crew.facade({**overrides, "embedding.worker": False})))
            hello = [_request("GET", "/", self.greeting.url, "")]
            for verb, limit in (("recall", _RECALL_LIMIT), ("store", _STORE_LIMIT)):
                taken = _Taken([], [], [], [])
                for part in range(_ROUNDS + 1):
                    many, few = _wire(verb, running.url, key, part)
                    turn = Turn(verb, f"{_USER}-loop" if verb == "store" else _USER, _TURN_S)
                    taken.note(
                        self._metered(loop.pid, lambda turn=turn: loop(turn)),  # type: ignore[misc]
                        self._asked(self.greeting, hello, _CONNECTIONS),
                        self._asked(running, many, _CONNECTIONS),
                        self._asked(running, few, 1),
                    )
                yield taken.figure(f"{verb} over HTTP against the façade, {named}", limit)

    def _asked(self, running: Running, wire: Sequence[bytes], connections: int) -> Answered:
        load = Load(running.url, wire, connections, _TURN_S)
        return self._metered(running.pid, lambda: self.client(load))

    def _metered(self, pid: int, action: Callable[[], Answered]) -> Answered:
        """See how long processors work for an action, in a process and in PostgreSQL."""
        meter = crew.Meter(pid, self.postmaster)
        before = meter.read_s()
        answered = action()
        answered.worked_s = meter.read_s() - before
        return answered

    def growth(self, store: str, overrides: Mapping[str, object]) -> Figure:
        """Ask 50,000 times, a fifth of it recalls, and look at the memory that the server occupies."""
        key = _filled(overrides)
        with crew.service(overrides, self.folder) as running:
            cheap = _request("GET", "/api/memories?limit=1", running.url, key)
            recalls, _ = _wire("recall", running.url, key, 0)
            wire = [request for recall in recalls for request in (recall, cheap, cheap, cheap, cheap)]
            early = self._resident(running, wire, _EARLY)
            late = self._resident(running, wire, _LATE - _EARLY)
        detail = (
            f"{early / 1e6:.1f} MB after {_EARLY:,} requests, {late / 1e6:.1f} MB after {_LATE:,}; a fifth of them "
            "recalls, the others listings; 0 errors"
        )
        name = f"memory of the service after {_LATE:,} requests, {store}"
        return Figure(name, late / early, _GROWTH_LIMIT, "at most", detail)

    def _resident(self, running: Running, wire: Sequence[bytes], amount: int) -> int:
        _insist_fine(self.client(Load(running.url, wire, _CONNECTIONS, amount=amount)))
        return running.resident_bytes()


@dataclass(frozen=True)
class _Taken:
    """What was measured in several rounds; the first is not counted."""

    loops: list[Answered]
    hellos: list[Answered]
    busy: list[Answered]
    alone: list[Answered]

    def note(self, loop: Answered, hello: Answered, busy: Answered, alone: Answered) -> None:
        for place, answered in ((self.loops, loop), (self.hellos, hello), (self.busy, busy), (self.alone, alone)):
            _insist_fine(answered)
            place.append(answered)

    def figure(self, name: str, limit: float) -> Figure:
        loop, hello, busy = (_rate(side) for side in (self.loops, self.hellos, self.busy))
        on_the_clock = statistics.median(answered.per_second for answered in self.busy[1:])
        loop_50, alone_50, busy_50 = (_quantile(side, 50) for side in (self.loops, self.alone, self.busy))
        loop_99, alone_99, busy_99 = (_quantile(side, 99) for side in (self.loops, self.alone, self.busy))
        detail = (
            f"{busy:,.0f} against {loop:,.0f} a second and core, hello {hello:,.0f} ({busy / hello:.2f}), on the clock "
            f"{on_the_clock:,.0f} a second; one connection: p50 {alone_50 / loop_50:.2f}, p99 {alone_99 / loop_99:.2f} "
            f"times the façade's {1e3 * loop_50:.2f} and {1e3 * loop_99:.2f} ms; {_CONNECTIONS} connections: "
            f"{busy_50 / loop_50:.0f} and {busy_99 / loop_99:.0f} times; 0 errors"
        )
        return Figure(name, busy / loop, limit, "at least", detail)


def _rate(side: Sequence[Answered]) -> float:
    return statistics.median(answered.per_core for answered in side[1:])


def _quantile(side: Sequence[Answered], percent: int) -> float:
    return statistics.median(answered.quantile_s(percent) for answered in side[1:])


def _insist_fine(answered: Answered) -> None:
    if answered.errors or not answered.latencies_s:
        raise RuntimeError(f"Not every answer was as it should be: {answered.errors or 'there was none'}.")


def _filled(overrides: Mapping[str, object]) -> str:
    """Give a user 1,000 memories, if there are none yet, and a key."""
    with Memory.open(settings=crew.settings_of({**overrides, "embedding.worker": False})) as memory:
        me = memory.user(_USER)
        if not me.list(limit=1).items:
            me.remember_many(sentences(_MEMORIES))
            memory.embed_waiting()
        return memory.keys.create(user=_USER).secret


def _wire(verb: str, url: str, key: str, part: int) -> tuple[list[bytes], list[bytes]]:
    """Make requests for many connections, and others for one."""
    if verb == "recall":
        asked, _ = questions(2_000)
        made = [_request("GET", f"/api/memories/search?query={quote(text)}", url, key) for text in asked]
        return made, made
    texts = sentences(8_000, seed=100 + part)
    bodies = [json.dumps({"content": text}) for text in texts]
    stored = [_request("POST", "/api/memories/unified", url, key, body) for body in bodies]
    return stored[:6_000], stored[6_000:]


def _request(method: str, path: str, url: str, key: str, body: str = "") -> bytes:
    """Write a request as it goes over the wire."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {url.partition('//')[2]}"]
    if key:
        lines.append(f"Authorization: Bearer {key}")
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body.encode())}"]
    return ("\r\n".join([*lines, "", ""]) + body).encode()
