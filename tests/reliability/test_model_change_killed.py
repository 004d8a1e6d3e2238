"""SIGKILL while the model is changed: searches go on, none of them mixes two models, and the change is completed."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

import pytest

from recollect import Hit, Memory, NewMemory
from recollect.engine.drafts.memory_drafts import draft_memories
from recollect.model.memories import Scope
from recollect.storage.base import StoreWriter
from tests.fixtures import Server
from tests.providers.server import ProviderServer
from tests.reliability.changing import LEASE_S, STEPS, TOLERANCE, Item, Step, fill, items, spaces_of, stored_by
from tests.reliability.figures import figure
from tests.reliability.opening import open_memory
from tests.reliability.points import SEED, Kills, points
from tests.reliability.zygote import Child, Zygote, was_killed
from tests.sizes import sized
from tests.storage.catalogue import plain
from tests.waiting import until

_ITEMS = sized(120, 450)
_CHANGES = STEPS[1 : sized(2, 3)]
_POINTS = sized(2, 26)  # on each store, shared by the changes
_MOST_REQUESTS = sized(2, 7)  # that a process has made when it is killed
_LATENCY_S = sized(40, 10) / 1000  # so that fewer requests, too, take longer than it takes to kill
_QUESTIONS = sized(4, 12)
_PAUSE_S = 0.1  # between two items that are stored
# Between two searches of a process: those who search leave some of the machine to those who change.
_BREATH_S = sized(200, 30) / 1000
# Meanwhile, however slow the machine; from 200 messages on, a conversation would get a summary.
_MOST_STORED = sized(200, 1_000)
_PATIENCE_S = 300.0
Empty = Callable[[], str]


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    """Everybody who makes vectors."""
    with ProviderServer(latency_s=_LATENCY_S) as running:
        yield running


@pytest.fixture
def another(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Empty]:
    """Make further empty stores of the same kind."""
    made: list[str] = []

    def empty() -> str:
        if "://" in database:
            running: Server = request.getfixturevalue("server")
            made.append(running.fresh())
            return made[-1]
        return str(tmp_path / f"another{next(numbers)}.db")

    numbers = count()
    yield empty
    for address in made:
        request.getfixturevalue("server").drop(address)


class Life:
    """What goes on meanwhile: processes that store and processes that search, each driven by a thread of its own."""

    def __init__(self, stored: list[Item]) -> None:
        self.stored = stored
        self.acknowledged: dict[str, Item] = {}
        self.failed: list[str] = []
        self.seen: list[list[int]] = []  # by searching process, the spaces of its answers in their order
        self.quiet = Lock()  # whoever holds it keeps others from storing
        self._first = len(stored)
        self._stop = Event()
        self._threads: list[Thread] = []

    def begin(self, storing: Child, searching: Sequence[Child]) -> None:
        """Set all to work."""
        self._threads = [Thread(target=self._store, args=(storing,))]
        for number, child in enumerate(searching):
            self.seen.append([])
            verb = ("recall", "search_context")[number % 2]
            self._threads.append(Thread(target=self._search, args=(child, verb, self.seen[-1])))
        for thread in self._threads:
            thread.start()

    def until_all_search(self, space: int) -> None:
        """Wait until everybody who searches has had an answer from a space."""
        until(lambda: self.failed or all(space in seen for seen in self.seen), f"an answer from space {space}")

    def end(self) -> None:
        """Let all finish what they are at."""
        self._stop.set()
        for thread in self._threads:
            thread.join(_PATIENCE_S)
        assert not any(thread.is_alive() for thread in self._threads)

    def _store(self, child: Child) -> None:
        for item in items(self._first, _MOST_STORED):
            if self._stop.wait(_PAUSE_S):
                return
            with self.quiet:
                child.say(stored_by(item))
                answer = self._heard(child)
                if answer is None:
                    return
                made = answer if item.kind == "memory" else answer["message"]
                self.acknowledged[made["id"]] = item
                self.stored.append(item)

    def _search(self, child: Child, verb: str, seen: list[int]) -> None:
        chance = random.Random(f"{SEED} {verb}")
        while not self._stop.wait(_BREATH_S):
            wanted = chance.choice(self.stored[: len(self.stored)])
            if verb == "recall" and wanted.kind == "message":
                continue
            child.say({"verb": verb, "user": wanted.user, "query": wanted.question, "limit": 10})
            answer = self._heard(child)
            if answer is None:
                return
            self._judge(wanted, answer, seen)

    def _heard(self, child: Child) -> Any:
        try:
            return child.hear()
        except (AssertionError, EOFError, OSError) as error:
            self.failed.append(f"{type(error).__name__}: {error}")
            return None

    def _judge(self, wanted: Item, answer: dict[str, Any], seen: list[int]) -> None:
        """Hold an answer against what it must be."""
        hits = answer["hits"]
        if wanted.content not in [hit["content"] for hit in hits]:
            self.failed.append(f"{wanted.mark} was not found")
        if answer["degraded"]:
            self.failed.append(f"{wanted.mark}: without {answer['degraded']}")
        if any(hit["similarity"] is None for hit in hits if _number(hit) < self._first):
            self.failed.append(f"{wanted.mark}: a vector is missing")
        fitting = spaces_of(wanted.question, hits)
        if not fitting:
            self.failed.append(f"{wanted.mark}: mixed")
        elif len(fitting) == 1:
            seen.append(fitting[0])


def _number(hit: dict[str, Any]) -> int:
    return int(hit["content"].split()[1].removeprefix("mark").removesuffix("x"))


@contextmanager
def _alive(zygote: Zygote, database: str, settings: dict[str, Any], stored: list[Item]) -> Iterator[Life]:
    life = Life(stored)
    storing = zygote.serve(database, **settings)
    searching = [zygote.serve(database, **settings) for _ in range(2)]
    life.begin(storing, searching)
    try:
        yield life
    finally:
        life.end()
    for child in (storing, *searching):
        child.close()


def _kill_changes(serve: Callable[[], Child], provider: ProviderServer, step: Step, kills: Kills, amount: int) -> int:
    """Let process after process go on with the change and kill each; gives how many were killed in the middle of it."""
    halfway = 0
    for _ in range(amount):
        child = serve()
        upto = _asked(provider, step) + kills.chance.randrange(_MOST_REQUESTS + 1)
        child.say({"verb": "models.reembed", **step.named()})
        deadline = time.monotonic() + LEASE_S  # when all the work is still held by the dead there are no requests
        while _asked(provider, step) < upto and time.monotonic() < deadline:
            time.sleep(0.004)
        time.sleep(kills.chance.uniform(0, 2 * _LATENCY_S))
        child.kill()
        halfway += not child.rest()
        kills.points += 1
        kills.killed += was_killed(child.end())
    return halfway


def _asked(provider: ProviderServer, step: Step) -> int:
    return sum(step.path in request.path for request in tuple(provider.requests))


def _completed(serve: Callable[[], Child], step: Step) -> None:
    """Go on until the change is through."""
    deadline = time.monotonic() + _PATIENCE_S
    child = serve()
    while child.ask("models.reembed", **step.named())["state"] != "finished":
        assert time.monotonic() < deadline, "the change does not come to its end"
        time.sleep(LEASE_S / 5)
    child.close()


def _insist_whole(memory: Memory, step: Step, stored: Sequence[Item]) -> None:
    status = memory.status()
    assert status.space is not None
    assert (status.space.provider, status.space.dimensions) == (step.provider, step.dimensions)
    assert {(part.share, part.waiting, part.parked) for part in status.coverage} == {(1.0, 0, 0)}
    assert sum(part.items for part in status.coverage) == len(stored)
    assert memory.doctor() == ()


def _insist_like_new(memory: Memory, fresh: str, settings: dict[str, Any], stored: Sequence[Item]) -> None:
    """Ask a store that knew no other model; it must give the same answers."""
    asked = random.Random(SEED).sample(stored, _QUESTIONS)
    with open_memory(fresh, **settings) as other:
        fill(other, stored)
        for item in asked:
            for verb in ("recall", "search_context"):
                answers = [
                    getattr(one.user(item.user), verb)(item.question, limit=10, only_related=False).hits
                    for one in (memory, other)
                ]
                _insist_same(*answers)


def _insist_same(found: Sequence[Hit], expected: Sequence[Hit]) -> None:
    assert [hit.content for hit in found] == [hit.content for hit in expected]
    assert len(found) == 10
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.similarity == pytest.approx(theirs.similarity, abs=TOLERANCE)


def test_searches_go_on_while_changes_of_the_model_are_killed(
    database: str, zygote: Zygote, provider: ProviderServer, another: Empty
) -> None:
    settings, kills, halfway = STEPS[0].settings(provider), Kills(), 0
    stored = list(items(0, _ITEMS))
    with open_memory(database, **settings) as memory:
        fill(memory, stored)
        _insist_whole(memory, STEPS[0], stored)

    def serve() -> Child:
        return zygote.serve(database, **settings)

    with _alive(zygote, database, settings, stored) as life:
        for number, step in enumerate(_CHANGES, start=1):
            life.until_all_search(number - 1)
            halfway += _kill_changes(serve, provider, step, kills, points(_POINTS) // len(_CHANGES))
            _completed(serve, step)
            with life.quiet, open_memory(database, **settings) as memory:
                memory.embed_waiting()  # what was stored between the last look and the change
                _insist_whole(memory, step, stored)
                _insist_like_new(memory, another(), step.settings(provider), stored)
        life.until_all_search(len(_CHANGES))
    with open_memory(database, **settings) as memory:
        memory.embed_waiting()
        _insist_whole(memory, _CHANGES[-1], stored)
        for user in {item.user for item in stored}:
            _insist_kept(memory, user, life)
    assert _jobs(database) == 0
    searches = sum(map(len, life.seen))
    kills.show("changing the model", database, halfway=halfway, searches=searches, stored=len(life.acknowledged))
    mixed = sum(seen != sorted(seen) for seen in life.seen)
    counts = {"searches": searches, "failed_searches": len(life.failed), "mixed_rankings": mixed}
    figure(7, "changing the model", changes_killed=kills.points, **counts)
    assert life.failed == []
    for seen in life.seen:
        assert seen == sorted(seen), "an answer came from a space that was left already"
        assert set(seen) == {*range(len(_CHANGES) + 1)}
    assert life.acknowledged
    assert halfway > kills.points // 3


def _jobs(database: str) -> int:
    with plain(database) as store:
        [(waiting,)] = store.rows("SELECT count(*) FROM jobs")
    return int(waiting)


def _insist_kept(memory: Memory, user: str, life: Life) -> None:
    mine = memory.user(user)
    kept = {record.id: record.content for record in mine.list(limit=1000).items}
    kept |= {message.id: message.content for message in mine.conversation("crates").messages(limit=1000)}
    acknowledged = {item_id: item.content for item_id, item in life.acknowledged.items() if item.user == user}
    assert {item_id: kept.get(item_id) for item_id in acknowledged} == acknowledged


@pytest.mark.parametrize("begun", [False, True], ids=["before it begins", "before it ends"])
def test_what_is_being_stored_when_the_model_changes_is_not_left_out(
    database: str, provider: ProviderServer, *, begun: bool
) -> None:
    written, may_commit = Event(), Event()
    with open_memory(database, **STEPS[0].settings(provider)) as memory:
        fill(memory, list(items(0, 20)))
        engine, step = memory._engine, STEPS[1]
        [draft] = draft_memories([NewMemory("The slow crate holds anchors")], engine.clock.now())

        def store_slowly(writer: StoreWriter) -> None:
            writer.insert([draft], engine.space)
            written.set()
            assert may_commit.wait(_PATIENCE_S)

        if begun:
            memory.models.reembed(**step.named(), wait=False)
        storing = Thread(target=engine.store.write, args=(Scope("slow"), store_slowly))
        storing.start()
        assert written.wait(_PATIENCE_S)
        changing = Thread(target=memory.models.reembed, kwargs=step.named())
        changing.start()
        changing.join(1.0)  # a change that does not wait for the one who stores is through by now
        may_commit.set()
        storing.join(_PATIENCE_S)
        changing.join(_PATIENCE_S)
        assert memory.doctor() == ()
        memory.embed_waiting()
        _insist_whole(memory, step, [*items(0, 20), Item("slow", "memory", "slow", draft.record.content)])
    assert _jobs(database) == 0
