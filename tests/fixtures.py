"""Real stores for the tests: a SQLite file, and a PostgreSQL server that is started for the run.

A test that takes `memory` or `database` runs once on each store, so both keep the same promises.
"""

import gc
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import import_module
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final, TypeVar

import hypothesis
import numpy as np
import psycopg
import pytest
from hypothesis.internal.constants_ast import constants_from_module

from recollect import Memory, UserMemory, load_settings
from recollect.embedding import LocalEmbedder
from recollect.model.memories import Vector
from recollect.model.readings import Reading
from recollect.models import local as models_local
from recollect.models.local import LocalReader
from recollect.ports import Embedder, Role
from tests.citus import THROUGH_A_CLUSTER, DistributedDatabase, cluster
from tests.clusters import FROM_A_STANDBY, Standby, standby_of
from tests.pooler import THROUGH_A_POOLER, Pooler, pooler
from tests.postgres_server import postgres_server
from tests.shared_database import SharedDatabase
from tests.sizes import ALL, sized

BACKENDS = ("sqlite", "postgresql")
T = TypeVar("T")
_HERE = Path(__file__).parent
_TEMPLATE = "recollect_template"


# These are fast on a file and slow on a server: they are not about the store, whose own tests run on both every time.
# Those of them where the server has a part of its own are marked with `on_both_stores`.
_SLOW_ON_A_SERVER = (
    "cli/", "clients/", "embedding_service/", "mcp_door/", "e5/", "service/", "places/test_addresses.py",
    "places/test_boost.py", "places/test_names.py", "places/test_own_places.py", "places/test_photos.py", "importing/",
)  # fmt: skip
_FAST_EVERYWHERE = ("test_access.py", "test_isolation.py", "test_mutants.py")

# These kill processes, change roles or look into the catalogue: each of their tests has a database of its own.
_DATABASE_OF_THEIR_OWN = ("reliability/", "storage/", "service/restart/")

# What takes longest, and how many processes `make test` shares the tests among.
_LONG = (
    "congruence/", "service/isolation/", "service/restart/", "service/fuzz/", "reliability/test_model_change_killed.py",
    "reliability/test_killed_at_syscalls.py", "reliability/test_turns_killed", "reliability/test_reindex_killed.py",
    "reliability/test_queue_killed.py", "reliability/test_sync", "mcp_door/test_inspector.py", "cli/test_reembed.py",
)  # fmt: skip
_HANDS = 4

# Generated examples are the same in every fast run, so that a change is judged by what it changed.
# Neither a deadline nor how fast examples are made: both would fail whatever runs while the machine is busy.
hypothesis.settings.register_profile(
    "recollect",
    max_examples=sized(30, 500),
    derandomize=not ALL,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("recollect")


# What tests write lives as long as they do, so it may live in memory, where nothing waits for a disk.
_IN_MEMORY = Path("/dev/shm")  # noqa: S108 - each run makes a private folder there
_FOLDER = "recollect-tests-"
_ROOM_BYTES = 4 * 2**30
_OURS: pytest.StashKey[Path] = pytest.StashKey()
_CACHE: pytest.StashKey[Path] = pytest.StashKey()
_VECTORS = "TEST_VECTORS"  # the file with the vectors that the workers of a run have in common


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Have temporary files made in memory, unless --basetemp says otherwise or there is too little room."""
    if config.option.basetemp is None and _has_room(_IN_MEMORY):
        for left in _IN_MEMORY.glob(f"{_FOLDER}*"):
            if not Path("/proc", left.name.removeprefix(_FOLDER)).exists():
                subprocess.run(["rm", "-rf", left], check=False)  # rmtree fails on very deep folders
        config.stash[_OURS] = _IN_MEMORY / f"{_FOLDER}{os.getpid()}"
        config.option.basetemp = str(config.stash[_OURS])
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background, from where children inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):  # a cache of the run's own, shared by its workers
        config.stash[_CACHE] = Path(mkdtemp(prefix="recollect-cache-"))
        os.environ["XDG_CACHE_HOME"] = str(config.stash[_CACHE] / "cache")
        os.environ[_VECTORS] = str(config.stash[_CACHE] / "vectors.db")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Look for no garbage while tests are collected, nor later among them, and seldom while they run.

    A sixth of the time would go into it, and then a thirtieth.
    """
    gc.disable()
    try:
        _import_in_turn(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        gc.enable()


def _import_in_turn(config: pytest.Config) -> None:
    """Let each worker of a whole run begin with other modules, so that in a fresh clone no two compile the same.

    The same goes for the constants of our modules, of which Hypothesis makes examples; it keeps them in files.
    """
    worker: dict[str, Any] = getattr(config, "workerinput", {})
    if not worker or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    names = [
        f"tests.{file.removesuffix('.py').replace('/', '.')}"
        for file in map(_relative, sorted(_HERE.rglob("test_*.py")))
    ]
    for name in _in_turn(names, worker):
        with suppress(Exception, pytest.skip.Exception):  # which collecting it will report
            import_module(name)
    ours = [module for name, module in sorted(sys.modules.items()) if name.startswith(("recollect", "benchmarks"))]
    for module in _in_turn(ours, worker):
        constants_from_module(module)


def _in_turn(things: Sequence[T], worker: Mapping[str, Any]) -> Sequence[T]:
    first = len(things) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    return [*things[first:], *things[:first]]


def _has_room(folder: Path) -> bool:
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return False
    found = os.statvfs(folder)
    return not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize > _ROOM_BYTES


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> Generator[None]:
    """Give the memory back after a run without failures; what a failed one left can be looked at until the next."""
    yield
    if _CACHE in session.config.stash:
        shutil.rmtree(session.config.stash[_CACHE], ignore_errors=True)
    if exitstatus == 0 and _OURS in session.config.stash:
        shutil.rmtree(session.config.stash[_OURS], ignore_errors=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test as fast or slow, and leave the slow ones out unless the run is of full size."""
    fast: list[pytest.Item] = []
    slow: list[pytest.Item] = []
    for item in items:
        if "postgresql" in item.name and _is_slow_on_a_server(item):
            item.add_marker("slow")
        is_slow = item.get_closest_marker("slow") is not None
        (slow if is_slow else fast).append(item)
        if not is_slow:
            item.add_marker("fast")
    if ALL:
        items[:] = _dealt(items)
    else:
        config.hook.pytest_deselected(items=slow)
        items[:] = _dealt(fast)


def _dealt(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Give each of the processes that share the tests some of the long ones, so that none ends with them.

    Many of those wait for other processes, so half of the hands begin with theirs and half have them after a quarter.
    """
    long: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        (long if _place(item).startswith(_LONG) else others).append(item)
    dealt: list[pytest.Item] = []
    for hand in range(_HANDS):
        share = others[len(others) * hand // _HANDS : len(others) * (hand + 1) // _HANDS]
        before = len(share) // 4 if hand % 2 else 0
        dealt += [*share[:before], *long[hand::_HANDS], *share[before:]]
    return dealt


def _place(item: pytest.Item) -> str:
    return _relative(item.path)


@cache
def _relative(file: Path) -> str:
    """Give a file's place below `tests`, or below the tests of a package."""
    parts = file.relative_to(Path(__file__).parents[1]).parts
    above = next(number for number, part in enumerate(parts, start=1) if part.partition("_")[0] == "tests")
    return "/".join(parts[above:])


def _is_slow_on_a_server(item: pytest.Item) -> bool:
    if item.path.name in _FAST_EVERYWHERE or item.get_closest_marker("on_both_stores"):
        return False
    return _place(item).startswith(_SLOW_ON_A_SERVER)


class Server:
    """A PostgreSQL of our own that hands out empty databases."""

    def __init__(self, folder: Path) -> None:
        self._server = postgres_server(folder)
        self.admin_url = self._server.get_uri()
        self._numbers = count()
        self._shared: SharedDatabase | DistributedDatabase | None = None
        self._helpers = ExitStack()
        self._pooler: Pooler | None = None
        self._standby: Standby | None = None
        with self.admin() as connection:
            # a test database does not live long enough for a vacuum; what keeps data safe stays as people have it
            for setting in ("autovacuum", "jit"):
                connection.execute(f"ALTER SYSTEM SET {setting} = off")
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                connection.execute(f"ALTER SYSTEM RESET {setting}")
            connection.execute("SELECT pg_reload_conf()")
            connection.execute(f"CREATE DATABASE {_TEMPLATE}")
        with Memory.open(self.url(_TEMPLATE)):
            pass

    def admin(self) -> psycopg.Connection[tuple[object, ...]]:
        """Connect as the administrator."""
        return psycopg.connect(self.admin_url, autocommit=True)

    def url(self, database: str) -> str:
        """Give the address of a database."""
        return self.admin_url.replace("/postgres?", f"/{database}?")

    def fresh(self, *, empty: bool = False) -> str:
        """Make a database, with our schema unless it must be empty, and give its address."""
        name = f"test_{next(self._numbers)}"
        with self.admin() as connection:
            connection.execute(
                f"CREATE DATABASE {name}" + ("" if empty else f" TEMPLATE {_TEMPLATE} STRATEGY FILE_COPY")
            )
        return self.url(name)

    def borrow(self) -> str:
        """Give the address of the empty database that the tests of this worker use one after the other."""
        if self._shared is None and THROUGH_A_CLUSTER:
            self._shared = DistributedDatabase(self._helpers.enter_context(cluster()))
        elif self._shared is None:
            self._shared = SharedDatabase(self.fresh(), keeps_connections=not THROUGH_A_POOLER)
        return self._shared.address

    def give_back(self, address: str) -> None:
        """Empty a borrowed database for the next test, or drop it when a test has changed more than its rows."""
        if self._shared is not None and self._shared.address == address and not self._shared.emptied():
            self._shared.close()
            self._shared = None
            self.drop(address)

    def reached(self, address: str) -> str:
        """Give the address that tests use: as it is, or by way of a pooler if the run is to be through one."""
        if THROUGH_A_POOLER and self._pooler is None:
            self._pooler = self._helpers.enter_context(pooler(self.admin_url))
        return address if self._pooler is None else self._pooler.address(address)

    def replicas(self, address: str) -> list[str]:
        """Give the addresses of replicas of a database, if the run is to be with one."""
        if not FROM_A_STANDBY:
            return []
        self._standby = self._standby or self._helpers.enter_context(standby_of(self.admin_url))
        return [self._standby.address(address)]

    def drop(self, address: str) -> None:
        """Remove a database that a test is done with; the disk would fill up with them."""
        name = address.removeprefix("postgresql://").partition("/")[2].partition("?")[0]
        with self.admin() as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def stop(self) -> None:
        """End the server."""
        if self._shared is not None:
            self._shared.close()
        self._helpers.close()
        self._server.cleanup()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests of a worker."""
    running = Server(tmp_path_factory.mktemp("postgresql"))
    yield running
    running.stop()


class SteppingClock:
    """A clock that a test sets; it moves by a millisecond each time it is read, so that moments differ."""

    def __init__(self, start: datetime = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)) -> None:
        self.moment = start

    def now(self) -> datetime:
        """Give the moment and move on."""
        self.moment += timedelta(milliseconds=1)
        return self.moment

    def advance(self, **step: float) -> None:
        """Let time pass."""
        self.moment += timedelta(**step)


@pytest.fixture
def clock() -> SteppingClock:
    """A clock of the test's own."""
    return SteppingClock()


class RepeatingEmbedder(LocalEmbedder):
    """The real encoder, which need not compute again what any worker of the run was asked: tests often say the same.

    Its tests hold the encoder to giving a text the same vector, bit for bit, whenever it is embedded and with whatever.
    """

    def __init__(self) -> None:
        super().__init__(threads=1)
        self._given: dict[str, Vector] = {}
        self._file = os.environ[_VECTORS]
        with closing(sqlite3.connect(self._file, timeout=600)) as known:
            known.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB)")

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        """Give one row per text."""
        if not texts:
            return super().embed(texts, role)
        self._learn([text for text in dict.fromkeys(texts) if text not in self._given], role)
        return np.array([self._given[text] for text in texts])

    def _learn(self, texts: Sequence[str], role: Role) -> None:
        """Look for vectors in the file, and compute those that are not there."""
        if not texts:
            return
        keys = {text: text.encode("utf-8", "surrogatepass") for text in texts}
        with closing(sqlite3.connect(self._file, timeout=600, isolation_level=None)) as known:
            for text, key in keys.items():
                for (found,) in known.execute("SELECT vector FROM vectors WHERE text = ?", (key,)):
                    self._given[text] = np.frombuffer(found, np.float32)
            if unknown := [text for text in texts if text not in self._given]:
                computed = dict(zip(unknown, super().embed(unknown, role), strict=True))
                self._given.update(computed)
                known.execute("BEGIN IMMEDIATE")
                rows = ((keys[text], vector.tobytes()) for text, vector in computed.items())
                known.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
                known.execute("COMMIT")


class RepeatingReader(LocalReader):
    """The real reader, which need not compute again what it was asked before, in whichever store."""

    _given: Final[dict[tuple[str, str], Reading]] = {}

    def read(self, text: str, before: str = "") -> Reading:
        """Read one message after the turn before it."""
        if (text, before) not in self._given:
            self._given[text, before] = super().read(text, before)
        return self._given[text, before]


@pytest.fixture(scope="session")
def encoder(reader: LocalReader) -> Iterator[Embedder]:
    """The real encoder, loaded once, and with it the real reader, which stores make for themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models_local, "LocalReader", RepeatingReader)
        yield RepeatingEmbedder()
    reader.close()


@pytest.fixture(scope="session")
def reader() -> LocalReader:
    """The real reader, loaded once: as long as it lives, all others of this process share its model."""
    local = LocalReader()
    local.read("I live in Brno.")
    return local


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with our schema and nothing in it, to be copied: the steps to a schema have tests of their own."""
    file = tmp_path_factory.mktemp("sqlite") / "empty.db"
    with Memory.open(str(file)):
        pass
    return file


@pytest.fixture(params=BACKENDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty store on each backend in turn."""
    if request.param == "sqlite":
        yield str(shutil.copy(request.getfixturevalue("empty_file"), tmp_path / "memory.db"))
        return
    running: Server = request.getfixturevalue("server")
    if _place(request.node).startswith(_DATABASE_OF_THEIR_OWN):
        address = running.fresh()
        yield running.reached(address)
        running.drop(address)
    else:
        yield running.reached(address := running.borrow())
        running.give_back(address)


OpenMemory = Callable[..., Memory]


@pytest.fixture
def open_memory(
    database: str, clock: SteppingClock, encoder: Embedder, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[OpenMemory]:
    """Open the test's store, as often as needed; settings may be given by their dotted names, and an embedder."""
    opened: list[Memory] = []

    def opener(embedder: Embedder | None = None, **overrides: object) -> Memory:
        named = {name.replace("__", "."): value for name, value in overrides.items()}
        usual: dict[str, object] = {"database": database, "files.originals": str(tmp_path / "originals")}
        usual["embedding.worker"] = False  # a test that wants the thread says so
        usual["places.geocoder"] = "none"  # and one that wants addresses
        if database.startswith("postgresql:"):
            usual["postgres.replicas"] = request.getfixturevalue("server").replicas(database)
        usual |= {"recall.deadline_s": 600.0, "hooks.budget_s": 60.0, "rerank.budget_s": 60.0}  # nothing is left out
        settings = load_settings(os.devnull, environ={}, overrides={**usual, **named})
        if embedder is None and settings.embedding.provider == "local":
            embedder = encoder
        opened.append(Memory.open(settings=settings, clock=clock, embedder=embedder))
        return opened[-1]

    yield opener
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    """An open store."""
    return open_memory()


@pytest.fixture
def me(memory: Memory) -> UserMemory:
    """One user of it."""
    return memory.user("me")
