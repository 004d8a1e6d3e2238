"""The processes of the measurement, each on the processor it is given, and how much they work.

Whatever serves (the service, the bare server, the façade in a loop, PostgreSQL) is on one, the client on another. Rates
are counted by the time that a processor worked for them, so that a busy machine does not change them.
"""

import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

import psutil
from fastapi import FastAPI

from benchmarks import service_load
from benchmarks.lifelike import questions, sentences
from benchmarks.service_load import Answered, Load
from recollect import Memory, load_settings
from recollect.web.server import HttpServer, bind, configure, listen, url_of

_PROGRAM = str(Path(sys.executable).with_name("recollect"))
_CONTEXT = multiprocessing.get_context("spawn")
_PATIENCE_S = 120.0
CORES = sorted(os.sched_getaffinity(0))
SERVING, ASKING = CORES[0], CORES[-1]

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """Let processes that are started meanwhile stay on one processor."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def pin(pid: int, core: int) -> None:
    """Keep a process, its threads and its children on one processor; children of these inherit it."""
    family = psutil.Process(pid)
    for process in (family, *family.children(recursive=True)):
        for thread in process.threads():
            os.sched_setaffinity(thread.id, {core})


class Meter:
    """Reads how long processors have worked for some processes and their children, those that have ended too."""

    def __init__(self, *pids: int) -> None:
        self._families = [psutil.Process(pid) for pid in pids]

    def read_s(self) -> float:
        """Give the seconds up to now."""
        return sum(_worked_s(process) for family in self._families for process in (family, *family.children()))


def _worked_s(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:  # its parent has it by now
        return 0.0
    return float(times.user + times.system + times.children_user + times.children_system)


class Elsewhere(Generic[P, T]):
    """A function that runs in a process of its own, as often as it is called."""

    def __init__(self, make: Callable[..., Callable[P, T]], *given: object, core: int) -> None:
        self._line, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_answer, args=(theirs, make, given), daemon=True)
        with on_core(core):
            self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid or 0

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> T:
        """Call it there."""
        self._line.send((arguments, named))
        answer: T = self._line.recv()
        return answer

    def close(self) -> None:
        """End the process."""
        self._line.close()
        self._process.join(_PATIENCE_S)


def _answer(
    line: "Connection[Any, Any]", make: Callable[..., Callable[..., object]], given: tuple[object, ...]
) -> None:
    made = make(*given)
    while True:
        try:
            arguments, named = line.recv()
        except EOFError:
            return
        line.send(made(*arguments, **named))


def client() -> Elsewhere[[Load], Answered]:
    """Give a client in a process of its own."""
    return Elsewhere(_make_client, core=ASKING)


def _make_client() -> Callable[[Load], Answered]:
    return service_load.run


@dataclass(frozen=True, slots=True)
class Turn:
    """What the façade is to do in a loop: `recall` or `store`, for a user, for so many seconds."""

    verb: str
    user: str
    seconds: float


def facade(overrides: Mapping[str, object]) -> Elsewhere[[Turn], Answered]:
    """Give a façade in a process of its own, called in a loop."""
    return Elsewhere(_make_facade, dict(overrides), core=SERVING)


def _make_facade(overrides: Mapping[str, object]) -> Callable[[Turn], Answered]:
    memory = Memory.open(settings=settings_of(overrides))
    asked, _ = questions(2_000)
    texts = iter(enumerate(sentences(50_000, seed=7)))

    def loop(turn: Turn) -> Answered:
        me, answered = memory.user(turn.user), Answered()
        number, started = 0, time.perf_counter()
        while (begun := time.perf_counter()) - started < turn.seconds:
            if turn.verb == "recall":
                me.recall(asked[number % len(asked)], only_related=False)
            else:
                me.remember(next(texts)[1])
            answered.latencies_s.append(time.perf_counter() - begun)
            number += 1
        answered.took_s = time.perf_counter() - started
        return answered

    return loop


def settings_of(overrides: Mapping[str, object]) -> Any:  # noqa: ANN401 - one of the package's own
    """Give settings without regard to those of whoever runs this."""
    return load_settings(os.devnull, environ={}, overrides=dict(overrides))


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers, and the process it is."""

    url: str
    pid: int

    def resident_bytes(self) -> int:
        """Say how much memory it occupies."""
        return int(psutil.Process(self.pid).memory_info().rss)


@contextmanager
def service(overrides: Mapping[str, object], folder: Path) -> Iterator[Running]:
    """Run `recollect serve` as people do, with settings by their dotted names, and let nobody be throttled."""
    raised = {
        "serve.requests_per_minute": 10**9,
        "serve.burst": 10**9,
        "serve.access_log": False,
        "serve.admin_key_file": str(folder / f"admin-{time.monotonic_ns()}.key"),
    }
    named = {
        f"RECOLLECT_{name.replace('.', '_').upper()}": str(value) for name, value in {**overrides, **raised}.items()
    }
    plain = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    command = [_PROGRAM, "--config", os.devnull, "serve", "--port", "0", "--json"]
    with on_core(SERVING):
        process = subprocess.Popen(command, env={**plain, **named}, stdout=subprocess.PIPE, text=True)
    try:
        said = json.loads(process.stdout.readline() if process.stdout else "")
        yield Running(said["url"], process.pid)
    finally:
        process.terminate()
        process.wait(_PATIENCE_S)
        if process.stdout:
            process.stdout.close()


@contextmanager
def hello() -> Iterator[Running]:
    """Run a bare FastAPI under the same server with the same settings."""
    ours, theirs = _CONTEXT.Pipe()
    process = _CONTEXT.Process(target=_say_hello, args=(theirs,), daemon=True)
    with on_core(SERVING):
        process.start()
    try:
        yield Running(ours.recv(), process.pid or 0)
    finally:
        process.kill()
        process.join()


def _say_hello(line: "Connection[Any, Any]") -> None:
    app = FastAPI()

    @app.get("/")
    async def greet() -> dict[str, str]:
        return {"hello": "world"}

    with closing(bind("127.0.0.1", 0)) as listener:
        listen(listener)
        server = HttpServer(configure(app, last_requests_s=1, lifespan="on"))
        server.announce = lambda: line.send(url_of(listener))
        server.run(sockets=[listener])
