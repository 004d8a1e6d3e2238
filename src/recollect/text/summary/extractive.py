"""The summariser that needs no model: it chooses sentences that were said, and writes none of its own.

The invariant: the same turns give the same points on every machine, in a time that grows with the length of the text,
and there is always something to say, because a compaction that fails would leave the conversation too long for good.
"""

from collections.abc import Callable

from recollect.model.messages import Summarized, SummaryPoints, SummaryTask
from recollect.text.summary.exchanges import SummarizedExchange, exchanges, names_are_capital
from recollect.text.summary.format import SummarySection, fit, tidy, tokens_of
from recollect.text.summary.selection import drop_repetitions, drop_resolved, fill_budget, in_order, weigh_in_context
from recollect.text.summary.sentence_features import SentenceFeatures
from recollect.text.summary.statements import Remark, find_statements, old_statement

SMALL_TALK = "Small talk; nothing was decided."

_LEAST_TOKENS = 160
_MOST_OF_TALK = 0.75  # what is nearly as long as the conversation is no summary of it


class ExtractiveSummarizer:
    """Summarises with rules for English, Russian, Czech and German; elsewhere by numbers, names and rare words."""

    def __init__(self, count: Callable[[str], int]) -> None:
        """Take the counter of tokens by which the summary must fit."""
        self._count = count

    @property
    def name(self) -> str:
        return "extractive"

    @property
    def costs(self) -> bool:
        return False

    def summarize(self, task: SummaryTask) -> Summarized:
        """Choose the points of a summary, those of the previous one included as far as they are worth it."""
        talk = exchanges(task.turns)
        statements = drop_resolved([*_old(task.previous), *_new(talk)])
        form = tokens_of(SummaryPoints(("…",), ("…",), ("…",)), self._count)
        chosen = fill_budget(drop_repetitions(statements), self._room(task) - form, self._count)
        return Summarized(self._fitted(chosen, task.max_tokens))

    def _room(self, task: SummaryTask) -> int:
        """Say how long the summary may become: not longer than asked, nor than is worth for what was said."""
        spoken = sum(turn.tokens for turn in task.turns)
        if not spoken:
            return task.max_tokens
        earlier = tokens_of(task.previous, self._count) if task.previous else 0
        return min(task.max_tokens, max(_LEAST_TOKENS, int(spoken * _MOST_OF_TALK)) + earlier)

    def _fitted(self, chosen: list[Remark], max_tokens: int) -> SummaryPoints:
        points = in_order(chosen)
        while len(chosen) > 1 and tokens_of(points, self._count) > max_tokens:
            chosen = sorted(chosen, key=lambda found: -found.worth)[:-1]
            points = in_order(chosen)
        return fit(points or SummaryPoints(key_points=(SMALL_TALK,)), max_tokens, self._count)


def _old(previous: SummaryPoints) -> list[Remark]:
    points = tidy(previous)
    sections: tuple[tuple[SummarySection, tuple[str, ...]], ...] = (
        ("key_points", points.key_points),
        ("actions", points.actions),
        ("open_items", points.open_items),
    )
    capital = names_are_capital([point.partition(": ")[2] for point in points.key_points])
    return [
        old_statement(section, point, place, len(listed) - place - 1, names_are_capital=capital)
        for section, listed in sections
        for place, point in enumerate(listed)
        if point != SMALL_TALK
    ]


def _new(talk: list[SummarizedExchange]) -> list[Remark]:
    found: list[Remark] = []
    before: SentenceFeatures | None = None
    for exchange in talk:
        found += find_statements(exchange, before)
        before = next((sentence for sentence in reversed(exchange.said) if not sentence.idle), before)
    return weigh_in_context(found, (sentence for exchange in talk for sentence in exchange.sentences()))
