"""What happens in the processes that the tests start, kill and compare.

Run as a module this is a zygote: it has imported everything, has nothing open, and forks a child for each request. So a
child is at work within milliseconds, and it inherits neither threads nor connections.
"""

import gc
import json
import os
import socket
import sys
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from recollect import Conversation, Memory, NewMemory, RecollectError, Remembered, UserMemory
from recollect.api import composition
from recollect.embedding.local import LocalTokenizer
from recollect.engine.drafts.memory_drafts import draft_memories
from tests.reliability import audited, backing_up, forking, importing, mixing, syncing, talking
from tests.reliability.link import Link
from tests.reliability.opening import WITH_VECTORS, open_memory, vector_of
from tests.storage.later import as_version

__all__ = ["TASKS", "WITH_VECTORS", "Here", "answer", "open_memory", "remember_batch", "vector_of"]

_LONGEST_REQUEST = 2**20


def store_facts(
    link: Link, database: str, facts: list[str], order: list[int], *, many: bool, vectors: bool = False
) -> None:
    """Store facts in an order of one's own, all at once with others; report each fact's action and id."""
    link.say("ready")
    link.hear()
    offered = [NewMemory(facts[number], vector=vector_of(facts[number]) if vectors else None) for number in order]
    with open_memory(database, **(WITH_VECTORS if vectors else {})) as memory:
        me = memory.user("me")
        if many:
            answers = me.remember_many(offered)
        else:
            answers = tuple(me.remember(fact.content, vector=fact.vector) for fact in offered)
    link.say([[number, made.action, made.id] for number, made in zip(order, answers, strict=True)])


def open_only(link: Link, database: str, version: str = "") -> None:
    """Open a store at the same time as others, as this version or that of a folder, and say what it looks like."""
    link.say("ready")
    link.hear()
    with as_version(Path(version)) if version else nullcontext(), open_memory(database) as memory:
        link.say([memory.status().schema_version, memory.stats().memories])


def supersede(link: Link, database: str, values: list[str]) -> None:
    """Give one slot value after value while others do the same."""
    with open_memory(database) as memory:
        me = memory.user("me")
        link.say("ready")
        link.hear()
        for value in values:
            me.remember(f"The light is {value}", type="fact", subject="light", key="state", value=value)
    link.say("done")


def live(link: Link, database: str, name: str, rounds: int) -> None:
    """Use all verbs for a while, with others who do the same for other users."""
    with open_memory(database) as memory:
        mine = memory.user(name)
        link.say("ready")
        link.hear()
        kept = []
        for number in range(rounds):
            first = mine.remember(f"{name} saw the comet {number}").id
            batch = mine.remember_many([f"{name} counted {number} stars of kind {kind}" for kind in range(5)])
            mine.update(batch[0].id, importance=0.9)
            mine.forget(first)
            mine.forget(query=f"nothing like this was ever {number}")
            found = mine.recall(f"stars {number}").hits
            link.say([len(found), mine.count()])
            kept += [made.id for made in batch]
        memory.maintain()
    link.say(kept)


def remember_on(link: Link, database: str, items: list[str], threads: int = 1) -> None:
    """Remember one text after the other in each of some threads, and acknowledge each."""
    _acknowledge_each(link, database, items, lambda me, text: me.remember(text, vector=vector_of(text)).id, threads)


def remember_many_on(link: Link, database: str, items: list[list[str]]) -> None:
    """Remember one batch after the other, and acknowledge each."""
    _acknowledge_each(link, database, items, lambda me, batch: [made.id for made in remember_batch(me, batch)])


def forget_on(link: Link, database: str, items: list[str]) -> None:
    """Forget one id after the other, and acknowledge each."""
    _acknowledge_each(link, database, items, lambda me, memory_id: me.forget(memory_id).action)


def remember_batch(me: UserMemory, texts: list[str]) -> tuple[Remembered, ...]:
    """Store texts with their vectors in one transaction."""
    return me.remember_many(NewMemory(text, vector=vector_of(text)) for text in texts)


def _acknowledge_each(
    link: Link, database: str, items: list[Any], verb: Callable[[UserMemory, Any], Any], threads: int = 1
) -> None:
    with open_memory(database, **WITH_VECTORS) as memory:
        me = memory.user("me")
        me.count()  # so that all connections are there when the moment to be killed is chosen
        link.say("ready")
        saying = Lock()

        def do(position: int) -> None:
            done = verb(me, items[position])
            with saying:
                link.say([position, done])

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(do, range(len(items))))
    link.say("done")


def serve(link: Link, database: str, settings: dict[str, Any]) -> None:
    """Hold a store open and do what is asked, verb by verb, until told to close it."""
    with open_memory(database, **settings) as memory:
        link.say("ready")
        while (request := link.hear()) != "close":
            try:
                link.say(answer(memory, **request))
            except RecollectError as error:
                link.say({"error": f"{type(error).__name__}: {error}"})
    link.say("closed")


def answer(
    memory: Memory, verb: str, user: str | None = None, conversation: str | None = None, **arguments: Any
) -> Any:
    """Do what is asked, and give the answer as plain values. `vector_of` stands for the vector of that text."""
    whose: Memory | UserMemory | Conversation = memory.user(user) if user else memory
    if user and conversation:
        whose = memory.user(user).conversation(conversation)
    for given in (arguments, *arguments.get("memories", [])):
        if "vector_of" in given:
            given["vector"] = vector_of(given.pop("vector_of"))
    return _plain(attrgetter(verb)(whose)(*arguments.pop("paths", ()), **arguments))


class Here:
    """A store that is open in this process."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def ask(self, verb: str, **arguments: Any) -> Any:
        """Have it do something for a user."""
        return answer(self._memory, verb, **arguments)


def _plain(value: Any) -> Any:
    """Turn values with named parts into mappings, all the way down."""
    kind: Any = type(value)
    if kind in _BARE:
        return value
    if names := _part_names(kind):
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple | list) else value


_BARE = frozenset((str, int, float, bool, type(None)))


@cache
def _part_names(kind: type) -> tuple[str, ...]:
    if is_dataclass(kind):
        return tuple(part.name for part in fields(kind))
    return getattr(kind, "_fields", ()) if issubclass(kind, tuple) else ()


_OWN: tuple[Callable[..., None], ...] = (
    store_facts,
    open_only,
    supersede,
    live,
    remember_on,
    remember_many_on,
    forget_on,
    serve,
)
_ALL: tuple[Callable[..., None], ...] = (
    *_OWN,
    *audited.TASKS,
    *backing_up.TASKS,
    *forking.TASKS,
    *importing.TASKS,
    *talking.TASKS,
    *syncing.TASKS,
    *mixing.TASKS,
)
TASKS: dict[str, Callable[..., None]] = {task.__name__: task for task in _ALL}


def _run(end: socket.socket, task: str, arguments: dict[str, Any]) -> None:
    """Be the child. What goes wrong is told, so that the test fails with the reason and not with a timeout."""
    code = 0
    link = Link(end)
    try:
        TASKS[task](link, **arguments)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the test must hear of it
        traceback.print_exc()
        link.say({"error": f"{type(error).__name__}: {error}"})
        code = 1
    os._exit(code)


def _warm_up() -> None:
    """Import, read and compute beforehand what every child would have to: live once, and close everything again."""
    for store in ("recollect.storage.sqlite.store", "recollect.storage.postgres.store"):
        import_module(store)
    draft_memories([NewMemory("The words of this sentence are analysed")], datetime.now(UTC))
    vocabulary = LocalTokenizer()
    vars(composition)["LocalTokenizer"] = lambda: vocabulary  # children share what was read once
    with TemporaryDirectory() as folder, open_memory(str(Path(folder) / "warm.db")) as memory:
        me = memory.user("me")
        me.after_turn(
            [{"role": "user", "content": "I prefer the words of a sentence that is analysed"}], session="warm"
        )
        me.conversation("warm").compact(keep_recent=0)
        me.search_context("words")
        me.forget(query="words of another sentence")


def _fork(requests: socket.socket) -> None:
    """Serve requests: start a child that talks over the socket that came along, or clear away a dead one."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, _LONGEST_REQUEST, 1)
        if not message:
            return
        request = json.loads(message)
        if "reap" in request:
            _, status = os.waitpid(request["reap"], 0)
            requests.sendall(json.dumps(os.waitstatus_to_exitcode(status)).encode())
            continue
        end = socket.socket(fileno=descriptors[0])
        pid = os.fork()
        if pid == 0:
            requests.close()
            _run(end, request["task"], request["arguments"])
        end.close()
        requests.sendall(json.dumps(pid).encode())


if __name__ == "__main__":
    _warm_up()
    gc.freeze()  # children look for no garbage among what they share
    _fork(socket.socket(fileno=int(sys.argv[1])))
