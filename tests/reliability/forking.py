"""Processes that start others while they have a store open and use it from several threads."""

import multiprocessing
import os
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from multiprocessing.connection import Connection
from threading import Event, Thread
from typing import Any

from recollect import Memory, RecollectError, StoreError
from tests.reliability.link import Link
from tests.reliability.opening import WITH_QUICK_VECTORS, open_memory
from tests.waiting import PATIENCE_S

_WITH_WORKER: dict[str, Any] = {**WITH_QUICK_VECTORS, "embedding.worker": True}
_PER_CHILD = 5
_WRITERS = 4

_inherited: list[Memory] = []  # what a forked child finds

_USES: tuple[Callable[[Memory], object], ...] = (
    lambda memory: memory.user("me").remember("from a child"),
    lambda memory: memory.user("me").recall("parcel"),
    lambda memory: memory.user("me").forget(query="parcel"),
    lambda memory: memory.user("me").conversation("c").append("user", "from a child"),
    lambda memory: memory.keys.list(),
    lambda memory: memory.status(),
    lambda memory: memory.maintain(),
    lambda memory: memory.doctor(),
)


def refusals(memory: Memory) -> list[str]:
    """Use a store in every way; gives what each use was refused with."""
    said = []
    for use in _USES:
        try:
            use(memory)
            said.append("not refused")
        except StoreError as error:
            said.append(str(error))
    memory.close()
    return said


def _child(database: str, number: int, answers: Connection) -> None:
    """Be refused the store of the parent, if it came along; then open one and write."""
    try:
        refused = [text for memory in _inherited for text in refusals(memory)]
        kept = []
        with open_memory(database, **_WITH_WORKER) as memory:
            for line in range(_PER_CHILD):
                text = f"Child {number} has parcel {line}"
                memory.user("me").remember(text)
                kept.append(text)
        answers.send((refused, kept))
    except RecollectError as error:
        answers.send(([f"{type(error).__name__}: {error}"], []))


def _keep_doing(step: Callable[[int], object], stop: Event, failures: list[str]) -> None:
    for number in count():
        if stop.is_set():
            return
        try:
            step(number)
        except RecollectError as error:
            failures.append(str(error))


def raise_family(link: Link, database: str, method: str, children: int) -> None:
    """Start processes while threads write and search; report what was acknowledged, and what children were refused."""
    context: Any = multiprocessing.get_context(method)
    stop, acknowledged, failures = Event(), list[str](), list[str]()
    memory = open_memory(database, **_WITH_WORKER)
    _inherited.append(memory)

    def writes(writer: int) -> Callable[[int], None]:
        def write(number: int) -> None:
            text = f"Writer {writer} of the parent has parcel {number}"
            memory.user("me" if writer == 0 else f"writer{writer}").remember(text)
            acknowledged.append(text)

        return write

    steps: list[Callable[[int], object]] = [*map(writes, range(_WRITERS)), lambda _: memory.user("me").recall("parcel")]
    for step in steps:  # Python has locks of its own around imports, which a child would find taken
        step(-1)
    threads = [Thread(target=_keep_doing, args=(step, stop, failures)) for step in steps]
    for thread in threads:
        thread.start()
    refused, processes = [], []
    for number in range(children):
        ours, theirs = context.Pipe()
        process = context.Process(target=_child, args=(database, number, theirs))
        process.start()
        theirs.close()
        processes.append((process, ours))
    for process, ours in processes:
        told = ours.recv() if ours.poll(PATIENCE_S) else (["hangs"], [])
        refused.append(told[0])
        acknowledged += told[1]
        process.join(PATIENCE_S)
        failures += [f"exit code {code}" for code in [process.exitcode] if code]
    stop.set()
    for thread in threads:
        thread.join()
    memory.close()
    link.say({"acknowledged": acknowledged, "refused": refused, "failures": failures})


def fork_inside(link: Link, database: str) -> None:
    """Fork in the middle of a read; say what a child is told that opens the same file, or another."""
    from recollect.storage.sqlite import store  # noqa: PLC0415 - of the one task that changes it

    vars(store)["_FORK_WAIT_S"] = 0.05
    memory = open_memory(database)
    scope = memory.user("me")._scope
    ours, theirs = os.pipe()

    def fork(_: object) -> int:
        child = os.fork()
        if child == 0:
            told = "opened none"
            with suppress(StoreError):
                open_memory(f"{database}-other").close()
                told = "opened another"
                open_memory(database).close()
                told = "opened both"
            os.write(theirs, told.encode())
            os._exit(0)
        return child

    os.waitpid(memory._engine.store.read(scope, fork), 0)
    memory.user("me").remember("The parent goes on")
    link.say([os.read(ours, 100).decode(), memory.user("me").count()])
    memory.close()


TASKS = (raise_family, fork_inside)
