"""Verbs of `UserMemory` about how a memory is used, and what could be tidied up."""

from collections.abc import Iterable, Sequence
from typing import cast

from recollect.api.scoped import Scoped, check_limit
from recollect.engine.maintenance import insights
from recollect.engine.maintenance.insights import TidyRequest
from recollect.engine.search import recall
from recollect.errors import InvalidInput
from recollect.model.insights import TIDY_RULES, Insights, Tidying, TidyRule


class InsightVerbs(Scoped):
    """How a memory is used, and what could go."""

    def insights(self, *, days: int = 90, limit: int = 10) -> Insights:
        """Return what is asked of this user's memory, and what it holds, with at most `limit` entries in each list.

        Queries, programs and recalled items come from the search log of the last `days`, at most 90, if
        `serve.search_log` is on. Coverage says what can be found by meaning, growth what was stored in each month.
        """
        if not 1 <= days <= recall.LOG_KEPT.days:
            raise InvalidInput(f"days is {days}; it must be from 1 to {recall.LOG_KEPT.days}.")
        return insights.insights(self._reading, self._scope, days=days, limit=check_limit(limit))

    def tidy(
        self, *, rules: TidyRule | Sequence[TidyRule] = (), limit: int = 100, apply: Iterable[str] = ()
    ) -> Tidying:
        """Suggest what could go: `noise` without words, what is too `short`, lines of a `system`, and `old_chat`.

        Nothing goes by itself. `apply` takes ids of suggestions: what is suggested still is then forgotten for good, or
        archived if it is a conversation, whose messages stay. What has a subject or key, was rated up, or has taught
        something is never suggested, nor is a message of the last 30 days or a conversation of the last year.
        """
        if isinstance(apply, str):
            raise InvalidInput(f"apply is the text {apply!r}; give the ids of suggestions, for example ({apply!r},).")
        wanted = TidyRequest(_checked(rules), check_limit(limit), frozenset(apply))
        return insights.tidy(self._engine, self._scope, wanted)


def _checked(given: TidyRule | Sequence[TidyRule]) -> tuple[TidyRule, ...]:
    """Return rules of `tidy` as a tuple, all when none is given. Raises InvalidInput for an unknown rule."""
    rules = cast("tuple[TidyRule, ...]", (given,) if isinstance(given, str) else tuple(given))
    for name in rules:
        if name not in TIDY_RULES:
            raise InvalidInput(f"Unknown rule {name!r}. Rules are: {', '.join(TIDY_RULES)}.")
    return rules or TIDY_RULES
