"""The façade: what a program types. `Memory` is a store that is open; `UserMemory` is one user's part of it.

Every verb belongs to a user. There is no way to ask for "everybody".
"""

from os import PathLike, fspath
from types import TracebackType
from typing import Self

from recollect.clock import SystemClock
from recollect.engine import inspect, turns, upkeep
from recollect.engine.context import Engine
from recollect.errors import InvalidInput
from recollect.ports import Clock, Embedder, Summarizer
from recollect.settings import Settings, load_settings
from recollect.text.clean import clean
from recollect.types import Maintenance, Problem, Scope, Status, StoreStats
from recollect.user import UserMemory
from recollect.wiring import assemble

__all__ = ["Memory", "UserMemory"]

_MAX_USER_ID = 128


class Memory:
    """An open store. Use it in a `with` statement, or call `close`.

    Any number of threads may share one; any number of processes may open the same store.
    """

    def __init__(self, engine: Engine, *, owns_embedder: bool = False) -> None:
        self._engine = engine
        self._owns_embedder = owns_embedder

    @classmethod
    def open(
        cls,
        database: str | PathLike[str] | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        summarizer: Summarizer | None = None,
    ) -> Self:
        """Open a store and bring its schema up to date.

        `database` is a path, or a URL such as `postgresql://user:password@host/name`; without it the settings decide,
        and by default that is a SQLite file in the user's data folder. `embedder` and `summarizer` replace those in the
        settings; they may be shared, and whoever made them closes them.
        """
        if settings is None:
            overrides = {} if database is None else {"database": fspath(database)}
            settings = load_settings(overrides=overrides)
        elif database is not None:
            raise InvalidInput("Pass either database or settings, not both: settings.database says the same.")
        engine = assemble(settings, clock or SystemClock(), embedder, summarizer)
        return cls(engine, owns_embedder=embedder is None)

    def user(self, user_id: str) -> UserMemory:
        """Give the part of the store that belongs to one user; it need not exist yet."""
        if not isinstance(user_id, str) or not user_id or clean(user_id) != user_id or len(user_id) > _MAX_USER_ID:
            raise InvalidInput(
                f"The user id {user_id!r} cannot be used: it must be a text of 1 to {_MAX_USER_ID} characters without "
                "control characters or outer spaces."
            )
        return UserMemory(self._engine, Scope(user_id))

    @property
    def settings(self) -> Settings:
        """The settings this store was opened with."""
        return self._engine.settings

    def stats(self) -> StoreStats:
        """Count what the whole store holds."""
        return self._engine.store.stats()

    def status(self) -> Status:
        """Say what is running on what, and what should be done about it."""
        return inspect.status(self._engine)

    def doctor(self) -> tuple[Problem, ...]:
        """Look for contradictions in the store and try the embedder; an empty answer means that all is well."""
        return inspect.doctor(self._engine)

    def maintain(self) -> Maintenance:
        """Expire what is past its time, fold and put away old conversations, index and embed what waits, tidy up.

        Safe to interrupt: each step is whole or has not happened.
        """
        return upkeep.maintain(self._engine)

    def close(self) -> None:
        """Close the store. Calling it twice is fine."""
        turns.settle(self._engine)
        self._engine.store.close()
        if self._owns_embedder and self._engine.embedder:
            self._engine.embedder.close()

    def __enter__(self) -> Self:
        """Give itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()
