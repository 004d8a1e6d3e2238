"""What only doors ask of a store: answers given before, what is new, and the log of what was done."""

from collections.abc import Sequence
from datetime import timedelta

from recollect.engine import audit, live
from recollect.engine.context import Engine
from recollect.engine.deeds import Once
from recollect.engine.live import News, Watch
from recollect.engine.scopes import scope_of
from recollect.figures import AuditLine, Problem, SearchFigures
from recollect.ports import STORE, Bell
from recollect.types import Scope
from recollect.vocabulary import USUAL_SOURCES, MemoryType, Source

MOST_NEWS = 200


class Doors:
    """The part of an open store that HTTP, MCP and the command line need besides the verbs of a user."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def insist_new(self, user_id: str, once: Once) -> None:
        """Raise Repeated if this request was carried out before. What decides is the look inside the transaction."""
        now = self._engine.clock.now()
        self._engine.store.read(scope_of(user_id), lambda reader: once.insist_new(reader, now))

    def keep_answer(self, user_id: str, once: Once, answer: str) -> None:
        """Keep what a request was answered, unless it was kept word for word when it was carried out."""
        if once.answered == answer:
            return
        now = self._engine.clock.now()
        self._engine.store.write(scope_of(user_id), lambda writer: once.keep(writer, answer, now))
        once.answered = answer

    def watch(
        self,
        user_id: str,
        query: str = "",
        *,
        min_score: float = live.MIN_SCORE,
        sources: Sequence[Source] = USUAL_SOURCES,
        types: Sequence[MemoryType] = (),
    ) -> Watch:
        """Prepare a query to be held against what is new; without one, everything that is new matches."""
        return live.watch(self._engine, scope_of(user_id), query, min_score=min_score, sources=sources, types=types)

    def position(self, user_id: str) -> int:
        """Give the place of a user's newest change."""
        return live.position(self._engine, scope_of(user_id))

    def news(self, user_id: str, watch: Watch, after: int, *, limit: int = MOST_NEWS) -> News:
        """Give what matches among a user's changes after a place, in order."""
        return live.news(self._engine, scope_of(user_id), watch, after, limit)

    def bell(self) -> Bell:
        """Give something to wait with until anybody has written anything, in this process or in another."""
        return self._engine.store.bell()

    def audit(self, user_id: str = "", *, last: int = 0) -> tuple[AuditLine, ...]:
        """Give the log of what was done for a user, or with keys; of the `last` so many lines, or of all."""
        lines = tuple(audit.lines(self._engine, _whose(user_id)))
        return lines[-last:] if last else lines

    def audit_flaws(self) -> tuple[Problem, ...]:
        """Say whose log was changed after it was written; an empty answer means nobody's."""
        flaws = ((scope, audit.first_flaw(self._engine, scope)) for scope in self._engine.store.audited())
        return tuple(
            Problem(
                "audit_log",
                1,
                f"From line {line} on, the log of {scope.user_id or 'the keys'} is not as it was written.",
            )
            for scope, line in flaws
            if line is not None
        )

    def search_figures(self, user_id: str, *, days: int = 7) -> tuple[SearchFigures, ...]:
        """Say what a user's searches of late were like, if `service.search_log` keeps figures."""
        since = self._engine.clock.now() - timedelta(days=days)
        return tuple(self._engine.store.read(scope_of(user_id), lambda reader: reader.search_figures(since)))


def _whose(user_id: str) -> Scope:
    return scope_of(user_id) if user_id else STORE
