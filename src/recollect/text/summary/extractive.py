"""The summariser that needs no model: it chooses sentences that were said, and writes none of its own.

The invariant: the same turns give the same points on every machine, in a time that grows with the length of the text,
and there is always something to say, because a compaction that fails would leave the conversation too long for good.
The worthiest come first, without repetition, and what is chosen never costs more than the budget.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from recollect.model.messages import Summarized, SummaryPoints, SummaryTask
from recollect.text.summary.exchanges import TROUBLED, SummarizedExchange, exchanges, names_are_capital
from recollect.text.summary.format import SECTIONS, SummarySection, fit, tidy, tokens_of
from recollect.text.summary.sentences import SentenceFeatures, alike, loosely_covers, repeats
from recollect.text.summary.statements import LASTING, Remark, find_statements, old_statement

_LEAST_WORTH = 0.8
_LEAST_WORTH_OLD = 0.3  # it was worth a point once, and goes when there is no room
_MOST_CANDIDATES = 160
_MOST_OPEN = 80
_RESEMBLING = 0.5
_CROWDING = 0.2  # for each statement after the first that is much like it
_RESOLVED = 0.5
_CONTAINED = 0.65
_LEAST_SHARED = 2
_COMMON = 3  # sentences that share a term of the topic

# How much of the room a part may take before the others have had theirs.
_SHARES: dict[SummarySection, float] = {"key_points": 0.7, "actions": 0.45, "open_items": 0.35}
_OLD_SHARE = 0.65
_PRICE = 0.012  # of a token: of two points that are worth the same, the shorter one

SMALL_TALK = "Small talk; nothing was decided."

_LEAST_TOKENS = 160
_MOST_OF_TALK = 0.75  # what is nearly as long as the conversation is no summary of it


def weigh_in_context(statements: Iterable[Remark], sentences: Iterable[SentenceFeatures]) -> list[Remark]:
    """Weigh statements by the conversation they are from: its topic, what is said but once, and how it began.

    They get their order: what was said later comes later, and what was done in answer to it later still.
    """
    spread = Counter(term for sentence in sentences for term in sentence.terms)
    weighed = []
    for place, candidate in enumerate(statements):
        words = candidate.sentence.words
        counts = [max(spread[form] for form in forms) for forms in words]
        topical = sum(1 for count in counts if count >= _COMMON)
        rare = sum(1 for count in counts if count <= 1)
        worth = candidate.worth + (0.3 * topical + 0.15 * rare) / max(1, len(words))
        weighed.append(
            replace(
                candidate, worth=worth + (0.4 if candidate.order == 0 and len(words) >= _COMMON else 0.0), order=place
            )
        )
    return weighed


def drop_resolved(statements: Sequence[Remark]) -> list[Remark]:
    """Leave out open items that something said or done later settles."""
    settling: defaultdict[str, list[Remark]] = defaultdict(list)
    for candidate in statements:
        if _settles(candidate):
            for term in candidate.sentence.terms:
                settling[term].append(candidate)
    opened = sorted((s for s in statements if s.section == "open_items"), key=lambda s: -s.worth)[:_MOST_OPEN]
    still = {id(item) for item in opened if not _is_resolved(item, settling)}
    return [candidate for candidate in statements if candidate.section != "open_items" or id(candidate) in still]


def _settles(candidate: Remark) -> bool:
    done = "done" in candidate.sentence.signs and not candidate.sentence.negated and candidate.section != "open_items"
    return not candidate.old and (
        done or (candidate.kind == "call" and TROUBLED not in candidate.point) or candidate.kind == "answer"
    )


def _is_resolved(item: Remark, settling: defaultdict[str, list[Remark]]) -> bool:
    later = {
        id(candidate): candidate
        for term in item.sentence.terms
        for candidate in settling[term][-_MOST_OPEN:]
        if candidate.order >= item.order and (candidate.kind != "answer" or item.kind == "question")
    }
    return any(_resolves(candidate.sentence, item.sentence) for candidate in later.values())


def _resolves(deed: SentenceFeatures, item: SentenceFeatures) -> bool:
    """Tell whether a deed is about the open item: most of either stands in the other, and more than one word."""
    covered = loosely_covers(item, deed)
    shared = covered * len(item.words)
    return shared >= min(_LEAST_SHARED, len(item.words)) and (
        covered >= _RESOLVED or loosely_covers(deed, item) >= _CONTAINED
    )


def drop_repetitions(statements: Iterable[Remark]) -> list[Remark]:
    """Give the worthiest statements, best first. Repetitions are left out, and the more a statement resembles what is
    chosen already, and the more often, the less it is worth. Of two equals the later one stands.
    """
    ranked = sorted(statements, key=_rank)[:_MOST_CANDIDATES]
    chosen: list[Remark] = []
    for candidate in ranked:
        worth = candidate.worth - _lowered(candidate, chosen)
        if worth >= (_LEAST_WORTH_OLD if candidate.old else _LEAST_WORTH):
            chosen.append(replace(candidate, worth=worth))
    return sorted(chosen, key=_rank)


def _rank(candidate: Remark) -> tuple[float, int, str]:
    return (-candidate.worth, -candidate.order, candidate.point)


def _lowered(candidate: Remark, chosen: Iterable[Remark]) -> float:
    """Say how much a statement loses beside those that are chosen; everything, if it repeats one."""
    sentence = candidate.sentence
    nearest, crowd = _RESEMBLING, 0
    for other in chosen:
        if sentence.terms.isdisjoint(other.sentence.terms):
            continue
        comparable = candidate.section == other.section and (candidate.kind not in LASTING or other.kind in LASTING)
        if comparable and repeats(sentence, other.sentence):
            return candidate.worth
        near = alike(sentence, other.sentence)
        nearest = max(nearest, near)
        crowd += near >= _RESEMBLING
    return nearest - _RESEMBLING + _CROWDING * max(0, crowd - 1)


def fill_budget(ranked: Sequence[Remark], budget: int, count: Callable[[str], int]) -> list[Remark]:
    """Take the best statements that fit, first so that each part gets its share, then whatever still fits."""
    costs = [count(f"- {candidate.point}\n") for candidate in ranked]
    order = sorted(range(len(ranked)), key=lambda place: (_PRICE * costs[place] - ranked[place].worth, place))
    ranked, costs = [ranked[place] for place in order], [costs[place] for place in order]
    taken: set[int] = set()
    left = budget
    used: Counter[str] = Counter()
    for limited in (True, False):
        for place, (candidate, cost) in enumerate(zip(ranked, costs, strict=True)):
            over = used[candidate.section] + cost > budget * _SHARES[candidate.section] or (
                candidate.old and used["old"] + cost > budget * _OLD_SHARE
            )
            if place in taken or cost > left or (limited and over):
                continue
            taken.add(place)
            left -= cost
            used.update({candidate.section: cost, "old": cost if candidate.old else 0})
    return [ranked[place] for place in sorted(taken)]


def in_order(chosen: Iterable[Remark]) -> SummaryPoints:
    """Write the chosen points in the order in which things happened."""
    listed = sorted(chosen, key=lambda candidate: (candidate.order, candidate.point))
    points = ((candidate.point for candidate in listed if candidate.section == section) for section in SECTIONS)
    return SummaryPoints(*map(tuple, map(dict.fromkeys, points)))


class ExtractiveSummarizer:
    """Summarises with rules for English, Russian, Czech and German; elsewhere by numbers, names and rare words."""

    name = "extractive"
    costs = False

    def __init__(self, count: Callable[[str], int]) -> None:
        """Take the counter of tokens by which the summary must fit."""
        self._count = count

    def summarize(self, task: SummaryTask) -> Summarized:
        """Choose the points of a summary, those of the previous one included as far as they are worth it."""
        talk = exchanges(task.turns)
        statements = drop_resolved([*_old(task.previous), *_new(talk)])
        form = tokens_of(SummaryPoints(("…",), ("…",), ("…",)), self._count)
        room, spoken = task.max_tokens, sum(turn.tokens for turn in task.turns)
        if spoken:  # not longer than is worth for what was said
            earlier = tokens_of(task.previous, self._count) if task.previous else 0
            room = min(room, max(_LEAST_TOKENS, int(spoken * _MOST_OF_TALK)) + earlier)
        chosen = fill_budget(drop_repetitions(statements), room - form, self._count)
        points = in_order(chosen)
        while len(chosen) > 1 and tokens_of(points, self._count) > task.max_tokens:
            chosen = sorted(chosen, key=lambda found: -found.worth)[:-1]
            points = in_order(chosen)
        return Summarized(fit(points or SummaryPoints(key_points=(SMALL_TALK,)), task.max_tokens, self._count))


def _old(previous: SummaryPoints) -> list[Remark]:
    points = tidy(previous)
    capital = names_are_capital([point.partition(": ")[2] for point in points.key_points])
    return [
        old_statement(section, point, place, len(listed) - place - 1, names_are_capital=capital)
        for section, listed in zip(SECTIONS, points, strict=True)
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
