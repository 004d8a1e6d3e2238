"""Choosing the points of a summary: the worthiest first, no repetition, within a number of tokens.

The invariant: what is chosen depends on the statements and the budget only, and never costs more than the budget.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from recollect.model.messages import SummaryPoints
from recollect.text.summary.exchanges import TROUBLED
from recollect.text.summary.format import Section
from recollect.text.summary.reading import Sentence, alike, loosely_covers, repeats
from recollect.text.summary.statements import LASTING, Statement

_LEAST_WORTH = 1.0
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
_SHARES: dict[Section, float] = {"key_points": 0.7, "actions": 0.3, "open_items": 0.35}
_OLD_SHARE = 0.65


def in_context(statements: Iterable[Statement], sentences: Iterable[Sentence]) -> list[Statement]:
    """Weigh statements by the conversation they are from: its topic, what is said but once, and how it began.

    They get their order: what was said later comes later, and what was done in answer to it later still.
    """
    spread = Counter(term for sentence in sentences for term in sentence.terms)
    weighed = []
    for place, found in enumerate(statements):
        words = found.sentence.words
        counts = [max(spread[form] for form in forms) for forms in words]
        topical = sum(1 for count in counts if count >= _COMMON)
        rare = sum(1 for count in counts if count <= 1)
        worth = found.worth + (0.3 * topical + 0.15 * rare) / max(1, len(words))
        weighed.append(
            replace(found, worth=worth + (0.4 if found.order == 0 and len(words) >= _COMMON else 0.0), order=place)
        )
    return weighed


def without_resolved(statements: Sequence[Statement]) -> list[Statement]:
    """Leave out open items that something said or done later settles."""
    settling: defaultdict[str, list[Statement]] = defaultdict(list)
    for found in statements:
        if _settles(found):
            for term in found.sentence.terms:
                settling[term].append(found)
    opened = sorted((s for s in statements if s.section == "open_items"), key=lambda s: -s.worth)[:_MOST_OPEN]
    still = {id(item) for item in opened if not _is_resolved(item, settling)}
    return [found for found in statements if found.section != "open_items" or id(found) in still]


def _settles(found: Statement) -> bool:
    done = "done" in found.sentence.signs and not found.sentence.negated and found.section != "open_items"
    return not found.old and (done or (found.kind == "call" and TROUBLED not in found.point) or found.kind == "answer")


def _is_resolved(item: Statement, settling: defaultdict[str, list[Statement]]) -> bool:
    later = {
        id(found): found
        for term in item.sentence.terms
        for found in settling[term][-_MOST_OPEN:]
        if found.order >= item.order and (found.kind != "answer" or item.kind == "question")
    }
    return any(_resolves(found.sentence, item.sentence) for found in later.values())


def _resolves(deed: Sentence, item: Sentence) -> bool:
    """Tell whether a deed is about the open item: most of either stands in the other, and more than one word."""
    covered = loosely_covers(item, deed)
    shared = covered * len(item.words)
    return shared >= min(_LEAST_SHARED, len(item.words)) and (
        covered >= _RESOLVED or loosely_covers(deed, item) >= _CONTAINED
    )


def distinct(statements: Iterable[Statement]) -> list[Statement]:
    """Give the worthiest statements, best first. Repetitions are left out, and the more a statement resembles what is
    chosen already, and the more often, the less it is worth. Of two equals the later one stands.
    """
    ranked = sorted(statements, key=_rank)[:_MOST_CANDIDATES]
    chosen: list[Statement] = []
    for found in ranked:
        worth = found.worth - _lowered(found, chosen)
        if worth >= (_LEAST_WORTH_OLD if found.old else _LEAST_WORTH):
            chosen.append(replace(found, worth=worth))
    return sorted(chosen, key=_rank)


def _rank(found: Statement) -> tuple[float, int, str]:
    return (-found.worth, -found.order, found.point)


def _lowered(found: Statement, chosen: Iterable[Statement]) -> float:
    """Say how much a statement loses beside those that are chosen; everything, if it repeats one."""
    sentence = found.sentence
    nearest, crowd = _RESEMBLING, 0
    for other in chosen:
        if sentence.terms.isdisjoint(other.sentence.terms):
            continue
        comparable = found.section == other.section and (found.kind not in LASTING or other.kind in LASTING)
        if comparable and repeats(sentence, other.sentence):
            return found.worth
        near = alike(sentence, other.sentence)
        nearest = max(nearest, near)
        crowd += near >= _RESEMBLING
    return nearest - _RESEMBLING + _CROWDING * max(0, crowd - 1)


def within(ranked: Sequence[Statement], budget: int, count: Callable[[str], int]) -> list[Statement]:
    """Take the best statements that fit, first so that each part gets its share, then whatever still fits."""
    costs = [count(f"- {found.point}\n") for found in ranked]
    taken: set[int] = set()
    left = budget
    used: Counter[str] = Counter()
    for limited in (True, False):
        for place, (found, cost) in enumerate(zip(ranked, costs, strict=True)):
            over = used[found.section] + cost > budget * _SHARES[found.section] or (
                found.old and used["old"] + cost > budget * _OLD_SHARE
            )
            if place in taken or cost > left or (limited and over):
                continue
            taken.add(place)
            left -= cost
            used.update({found.section: cost, "old": cost if found.old else 0})
    return [ranked[place] for place in sorted(taken)]


def in_order(chosen: Iterable[Statement]) -> SummaryPoints:
    """Write the chosen points in the order in which things happened."""
    listed = sorted(chosen, key=lambda found: (found.order, found.point))

    def points(section: Section) -> tuple[str, ...]:
        return tuple(dict.fromkeys(found.point for found in listed if found.section == section))

    return SummaryPoints(points("key_points"), points("actions"), points("open_items"))
