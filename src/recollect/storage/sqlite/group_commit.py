"""Group commit: writes of several threads share one transaction, and so one sync of the disk.

The thread whose turn it is leads: it carries out its own write and those that wait meanwhile, one after the other, and
commits them together. Users take turns, however many threads each has. A write is answered only after the commit that
holds it.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from time import monotonic, sleep
from typing import Any, Final, Generic, TypeVar

import apsw

from recollect.model.memories import Scope
from recollect.storage.base.writer import StoreWriter
from recollect.storage.sqlite.session import SqliteSession
from recollect.storage.sqlite.writer import SqliteWriter, UnindexedRows

T = TypeVar("T")

_MOST_WRITES: Final = 128
_LONGEST_S: Final = 0.05  # for about so long the first writer of a group waits for the others, and other processes too
_MANY_WRITES: Final = 4  # of a group after which the next one waits for the same threads
_LONGEST_WAIT_S: Final = 0.01
_PAUSE_S: Final = 0.0005
_UNDO_FIRST: Final = "ROLLBACK; BEGIN IMMEDIATE"
_UNDO_LAST: Final = "ROLLBACK TO one_write; RELEASE one_write"


class Turn:
    """What a thread waits with: for its turn to write, or for another thread to do it."""

    __slots__ = ("_come", "user")

    def __init__(self, user: str) -> None:
        self.user = user
        self._come = Lock()
        self._come.acquire()

    def wait(self, timeout_s: float) -> bool:
        return self._come.acquire(timeout=timeout_s)

    def call(self) -> None:
        self._come.release()


class SharedWrite(Turn, Generic[T]):
    """A write that any thread may carry out. `kept` says whether it is on the disk."""

    __slots__ = ("error", "kept", "leads", "result", "scope", "work")

    result: T

    def __init__(self, scope: Scope, work: Callable[[StoreWriter], T], *, leads: bool = False) -> None:
        super().__init__(scope.user_id)
        self.scope = scope
        self.work = work
        self.leads = leads
        self.kept = False
        self.error: BaseException | None = None

    @property
    def is_undone(self) -> bool:
        """Whether it has to be carried out again, because another write of its group made SQLite undo all."""
        return not self.kept and self.error is None

    def outcome(self) -> T:
        if self.error is not None:
            raise self.error
        return self.result

    def settle(self, *, kept: bool, error: BaseException | None = None) -> None:
        """Say what became of it, and let its thread go on, unless that one leads."""
        self.kept, self.error = kept, error
        if not self.leads:
            self.call()


class WriteTurns:
    """Lets one thread write at a time, and users take turns."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._taken = False
        self._waiting: OrderedDict[str, deque[Turn]] = OrderedDict()
        self._expected = 0
        self._sync_s = 0.0

    def take(self, user: str = "", *, timeout_s: float = -1) -> bool:
        """Wait for a turn to write alone; says whether it came in time. The caller ends it."""
        turn = Turn(user)
        if self._begins(turn, waits=timeout_s != 0):
            return True
        return timeout_s != 0 and self._wait(turn, timeout_s)

    def share(self, write: SharedWrite[T]) -> bool:
        """Wait until a write has been carried out, or until it is its thread's turn to lead: then True."""
        if self._begins(write):
            write.leads = True
        else:
            self._wait(write)
        return write.leads

    def members(self, first: SharedWrite[T]) -> Iterator[SharedWrite[T]]:
        """Give the write of a thread that leads, and then those that wait, for as long as the group has room."""
        last_start = monotonic() + _LONGEST_S
        yield first
        for _ in range(_MOST_WRITES):
            with self._lock:
                write = next(iter(self._waiting.values()))[0] if self._waiting else None
                if not isinstance(write, SharedWrite) or monotonic() > last_start:
                    return
                self._pop()
            yield write

    def gather(self) -> None:
        """Let the threads of the last group come back before the next one begins, for no longer than a sync takes.

        One that is back first would otherwise have a sync for itself, during which the others wait.
        """
        deadline = monotonic() + self._sync_s
        while True:
            with self._lock:
                in_line = sum(map(len, self._waiting.values()))
            if self._expected <= in_line or monotonic() >= deadline:
                return
            sleep(_PAUSE_S)

    def note(self, writes: int, sync_s: float) -> None:
        """Note how many writes a group had, and how long its commit took."""
        self._expected = writes - 1 if writes >= _MANY_WRITES else 0
        self._sync_s = min(sync_s, _LONGEST_WAIT_S)

    def end(self) -> None:
        """End a turn, and call who is next."""
        with self._lock:
            if not self._waiting:
                self._taken = False
                return
            turn = self._pop()
            if isinstance(turn, SharedWrite):
                turn.leads = True
            turn.call()

    @contextmanager
    def ended(self) -> Iterator[None]:
        try:
            yield
        finally:
            self.end()

    @contextmanager
    def handed_on(self, user: str = "") -> Iterator[None]:
        """Take a turn that another thread ends, unless this one fails before."""
        self.take(user)
        try:
            yield
        except BaseException:
            self.end()
            raise

    def alone(self) -> AbstractContextManager[None]:
        self.take()
        return self.ended()

    def _begins(self, turn: Turn, *, waits: bool = True) -> bool:
        """Take a turn at once if it is free, or else wait in line."""
        with self._lock:
            if not self._taken:
                self._taken = True
                return True
            if waits:
                self._waiting.setdefault(turn.user, deque()).append(turn)
            return False

    def _wait(self, turn: Turn, timeout_s: float = -1) -> bool:
        try:
            came = turn.wait(timeout_s)
        except BaseException:
            if not self._leave(turn) and (not isinstance(turn, SharedWrite) or turn.leads):
                self.end()
            raise
        return came or not self._leave(turn)

    def _pop(self) -> Turn:
        """Take the first in line of the user who has waited longest since that user's last turn."""
        user, turns = self._waiting.popitem(last=False)
        turn = turns.popleft()
        if turns:
            self._waiting[user] = turns
        return turn

    def _leave(self, turn: Turn) -> bool:
        """Leave the line; says whether the turn had not come yet."""
        with self._lock:
            turns = self._waiting.get(turn.user, deque())
            if turn not in turns:
                return False
            turns.remove(turn)
            if not turns:
                del self._waiting[turn.user]
            return True


class _UndoneError(Exception):
    """All writes of a group are undone, by the failure of one of them."""


class WriteGroup:
    """One transaction with writes of several users. What fails in one of them undoes that one only.

    A savepoint before each write has its price. Without them (`keeps_others`) a failure undoes all, to be begun again.
    """

    def __init__(
        self, connection: apsw.Connection, writer_of: Callable[[Scope], SqliteWriter], *, keeps_others: bool = True
    ) -> None:
        self._connection = connection
        self._writer_of = writer_of
        self._keeps_others = keeps_others
        self._writes: list[SharedWrite[Any]] = []
        self._unindexed = UnindexedRows()

    def begin(self, writes: Iterable[SharedWrite[Any]]) -> bool:
        """Carry out writes; says whether they can be committed. Else all are undone, and each learns what became of it.

        Raises if it cannot begin.
        """
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            for write in writes:
                self._carry_out(write)
        except _UndoneError:
            self._settle(kept=False)
            return False
        except Exception as error:  # noqa: BLE001 - the threads of all writes raise it
            self._settle(kept=False, error=error)
            return False
        except BaseException:
            self._settle(kept=False)
            raise
        return True

    def finish(self) -> tuple[int, float]:
        """Commit; each write learns what became of it. Gives their number, and how long the commit took."""
        if not self._connection.in_transaction:  # all were undone
            return 0, 0.0
        error: Exception | None = None
        committing, began = False, monotonic()
        try:
            self._unindexed.index(SqliteSession(self._connection))
            committing, began = True, monotonic()
            self._connection.execute("COMMIT")
        except Exception as raised:  # noqa: BLE001 - the threads of all writes raise it
            error = raised
        finally:
            self._settle(kept=committing and error is None and not self._connection.in_transaction, error=error)
        return (0, 0.0) if error else (len(self._writes), monotonic() - began)

    def _settle(self, *, kept: bool, error: Exception | None = None) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        for write in self._writes:
            write.settle(kept=kept, error=error)

    def _carry_out(self, write: SharedWrite[Any]) -> None:
        try:
            write.result = self._run(write)
        except BaseException as error:
            try:
                self._undo()
            finally:
                ours = write.leads or not isinstance(error, KeyboardInterrupt)  # which only the thread that leads gets
                write.settle(kept=False, error=error if ours else None)
            if isinstance(error, KeyboardInterrupt):
                raise
        else:
            self._writes.append(write)

    def _run(self, write: SharedWrite[T]) -> T:
        """Run the changes of one writer: the first in the bare transaction, as if it were alone."""
        if self._unindexed.includes(write.user):  # it may change these rows, and then their words have to be known
            self._unindexed.index(SqliteSession(self._connection))
        separate = bool(self._writes) and self._keeps_others
        if separate:
            self._connection.execute("SAVEPOINT one_write")
        writer = self._writer_of(write.scope)
        result = write.work(writer)
        unindexed = writer.finish_without_terms()
        if separate:
            self._connection.execute("RELEASE one_write")
        self._unindexed.add(write.user, unindexed)
        return result

    def _undo(self) -> None:
        """Undo the last write, where SQLite has not undone all of them by itself."""
        if not self._connection.in_transaction or not self._keeps_others:
            raise _UndoneError
        try:
            self._connection.execute(_UNDO_LAST if self._writes else _UNDO_FIRST)
        except apsw.Error:
            raise _UndoneError from None


def begin_together(
    writes: Sequence[SharedWrite[Any]], connection: apsw.Connection, writer_of: Callable[[Scope], SqliteWriter]
) -> WriteGroup:
    """Carry out writes of one thread, of which hardly any fails: without savepoints, and with them if one does."""
    group = WriteGroup(connection, writer_of, keeps_others=False)
    if group.begin(writes):
        return group
    careful = WriteGroup(connection, writer_of)
    careful.begin([write for write in writes if write.is_undone])
    return careful


class PendingGroup(Generic[T]):
    """Writes that are being committed. What their group undid is written again by the thread that asks for them."""

    def __init__(self, committed: Future[Any], outcomes: Callable[[], T]) -> None:
        self._committed = committed
        self._outcomes = outcomes

    def result(self) -> T:
        self._committed.result()
        return self._outcomes()
