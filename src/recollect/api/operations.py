"""What only doors ask of a store: answers given before, what is new, and the log of what was done."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from recollect.engine.audit import audit_log
from recollect.engine.audit.idempotency import IdempotentRequest
from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import scope_of
from recollect.engine.maintenance import store_status
from recollect.engine.search import live
from recollect.engine.search.live import LiveMatches, LiveQuery
from recollect.model.literals import USUAL_SOURCES, MemoryType, Source
from recollect.model.memories import Scope
from recollect.model.stats import AuditLine, Problem, SearchFigures
from recollect.ports import STORE, ChangeNotifier, Observer

MOST_NEWS = 200


class StoreOperations:
    """The part of an open store that HTTP, MCP and the command line need besides the verbs of a user."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def now(self) -> datetime:
        """Say what time it is for this store."""
        return self._engine.clock.now()

    def observe(self, observer: Observer | None) -> None:
        """Tell somebody from now on how long searches take and what they go without; None tells nobody."""
        self._engine.observed.observer = observer

    def insist_reachable(self) -> None:
        """Raise StoreError if the store cannot be asked; next to nothing is asked of it."""
        self._engine.store.schema_version()

    def model_trouble(self) -> str:
        """Try whoever makes the vectors that are searched; says what is wrong, or nothing. It may take long."""
        return store_status.model_trouble(self._engine)

    def addresses(self) -> tuple[int, int]:
        """Say how much waits for an address, and how much was given up on."""
        return self._engine.store.geocoding_counts()

    def asks_others(self) -> bool:
        """Tell whether the vectors that are searched are made behind a network."""
        return store_status.asks_others(self._engine)

    def insist_new(self, user_id: str, once: IdempotentRequest) -> None:
        """Raise AlreadyProcessed if this request was carried out before; the transaction looks once more."""
        now = self._engine.clock.now()
        self._engine.store.read(scope_of(user_id), lambda reader: once.insist_new(reader, now))

    def keep_answer(self, user_id: str, once: IdempotentRequest, answer: str) -> None:
        """Keep what a request was answered, unless it was kept word for word when it was carried out."""
        if once.answered == answer:
            return
        now = self._engine.clock.now()
        self._engine.store.write(scope_of(user_id), lambda writer: once.complete(writer, answer, now))
        once.answered = answer

    def watch(
        self,
        user_id: str,
        query: str = "",
        *,
        min_score: float = live.MIN_SCORE,
        sources: Sequence[Source] = USUAL_SOURCES,
        types: Sequence[MemoryType] = (),
    ) -> LiveQuery:
        """Prepare a query to be held against what is new; without one, everything that is new matches."""
        return live.watch(self._engine, scope_of(user_id), query, min_score=min_score, sources=sources, types=types)

    def position(self, user_id: str) -> int:
        """Give the place of a user's newest change."""
        return live.position(self._engine, scope_of(user_id))

    def news(self, user_id: str, watch: LiveQuery, after: int, *, limit: int = MOST_NEWS) -> LiveMatches:
        """Give what matches among a user's changes after a place, in order."""
        return live.news(self._engine, scope_of(user_id), watch, after, limit)

    def bell(self) -> ChangeNotifier:
        """Give something to wait with until anybody has written anything, in this process or in another."""
        return self._engine.store.bell()

    def audit(self, user_id: str = "", *, last: int = 0) -> tuple[AuditLine, ...]:
        """Give the log of what was done for a user, or with keys; of the `last` so many lines, or of all."""
        lines = tuple(audit_log.lines(self._engine, _whose(user_id)))
        return lines[-last:] if last else lines

    def audit_flaws(self) -> tuple[Problem, ...]:
        """Say whose log was changed after it was written; an empty answer means nobody's."""
        return tuple(store_status.audit_flaws(self._engine))

    def search_figures(self, user_id: str, *, days: int = 7) -> tuple[SearchFigures, ...]:
        """Say what a user's searches of late were like, if `serve.search_log` keeps figures."""
        since = self._engine.clock.now() - timedelta(days=days)
        return tuple(self._engine.store.read(scope_of(user_id), lambda reader: reader.search_figures(since)))


def _whose(user_id: str) -> Scope:
    return scope_of(user_id) if user_id else STORE
