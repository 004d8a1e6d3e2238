"""What can become a point of a summary, how it is written, and what it is worth.

The invariant: a point's worth can be told from its text, so that points of an earlier summary, which have nothing but
their text, are weighed on the same scales as new ones.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from recollect.text.summary.exchanges import TROUBLED, DescribedCall, SummarizedExchange, describe_calls
from recollect.text.summary.format import LONGEST_POINT, SummarySection, shorten
from recollect.text.summary.sentences import (
    SentenceFeatures,
    coverage,
    loosely_covers,
    read_sentence,
    repeats,
    words_of,
)
from recollect.text.tables import read_words

StatementKind: TypeAlias = Literal[
    "decision", "preference", "identity", "wish", "fact", "task", "question", "promise", "reply", "answer", "found",
    "done", "failure", "noted", "pasted", "said", "prose", "call",
]  # fmt: skip

_WORTH: Mapping[StatementKind, float] = {
    "decision": 2.8, "preference": 2.6, "identity": 2.8, "wish": 1.9, "fact": 1.5, "task": 2.2, "question": 1.9,
    "promise": 1.9, "reply": 2.2, "answer": 0.9, "found": 1.2, "done": 1.6, "failure": 2.2, "noted": 1.1, "pasted": 1.2,
    "said": 1.1, "prose": 0.2, "call": 1.4,
}  # fmt: skip
LASTING: frozenset[StatementKind] = frozenset(("decision", "preference", "identity"))
_OLD_FACTOR = 0.9  # an old point is worth less than a new one of its kind, unless it is of a kind that lasts
_FADING = 0.03  # for every point that came after it

_LABELS: tuple[tuple[str, StatementKind], ...] = (
    ("Decision: ", "decision"),
    ("User preference: ", "preference"),
    ("User asked: ", "answer"),
    ("User pasted: ", "pasted"),
    ("User: ", "fact"),
    ("Assistant: ", "answer"),
    ("User agreed: ", "reply"),
    ("User answered: ", "reply"),
    ("Called ", "call"),
)

_ABOUT = re.compile(r"^User \(on “.{1,80}”\): ")
_BEFORE = -1_000_000_000  # old points come before all new ones
_PLENTY = 3
# The first of these that a sentence shows is what it is.
_BY_SIGN: tuple[StatementKind, ...] = ("decision", "identity", "preference", "task", "wish", "promise")
_NEW_LABELS: dict[StatementKind, str] = {
    "decision": "Decision: ",
    "preference": "User preference: ",
    "pasted": "User pasted: ",
}
_SHORT_REPLY = 5  # content words
_LONG_QUESTION = 4  # content words; a shorter one may be a part of the question before it
_LONGEST_QUESTION = 100
_LONGEST_CONTEXT = 45
_LONGEST_OPTION = 80
_COVERED, _UNCOVERED = 0.4, 0.15
_TAKEN_UP = 0.6
_ANSWERS: frozenset[StatementKind] = frozenset(("reply", "answer", "found"))
_ASKED = 0.6  # what was asked for is worth less beside what came of it
_ADVICE = 0.8  # what is true for all people need not be remembered
_JEST = 1.0
_IDLE = 0.5  # what got an answer that says nothing
_LEAST_WORDS = 2


@dataclass(frozen=True, slots=True)
class Remark:
    """A point that may get into a summary. `order` is its place in time; old points come before all others."""

    section: SummarySection
    kind: StatementKind
    point: str
    sentence: SentenceFeatures
    worth: float
    order: int
    old: bool = False


def worth_of(kind: StatementKind, sentence: SentenceFeatures) -> float:
    """Weigh a sentence by its kind, its numbers and names, and whether it is long enough to mean something."""
    worth = _WORTH[kind]
    if kind == "call":
        return worth  # consists of names, which therefore say nothing
    worth += 0.2 * min(len(sentence.numbers), 2) + 0.2 * bool(sentence.numbers)
    worth += (0.1 if kind == "prose" else 0.2) * min(sentence.names, _PLENTY)
    if kind in {"said", "fact"}:
        # A date or a price that the user names is more than one in an answer, and so is what the user rules out.
        worth += 0.3 * bool(sentence.numbers) + 0.25 * sentence.negated
    if len(sentence.words) < (_LEAST_WORDS if sentence.numbers else _PLENTY):
        worth -= 0.2 if kind == "said" and not sentence.numbers else 0.6
    if len(sentence.words) >= 2 * _PLENTY:
        worth += 0.15
    if sentence.text.endswith(":"):
        worth -= 0.8  # announces something that is not there any more
    if "laughter" in sentence.signs and kind in {"said", "fact"}:
        worth -= _JEST
    if "generic" in sentence.signs and kind in {"answer", "noted", "prose"}:
        worth -= _ADVICE
    if len(sentence.text) > LONGEST_POINT:
        worth -= 0.3
    return worth


def statement(
    section: SummarySection, kind: StatementKind, label: str, sentence: SentenceFeatures, order: int
) -> Remark:
    """Make a point of a sentence."""
    point = shorten(f"{label}{sentence.text}", LONGEST_POINT)
    return Remark(section, kind, point, sentence, worth_of(kind, sentence), order)


def old_statement(section: SummarySection, point: str, place: int, later: int, *, names_are_capital: bool) -> Remark:
    """Weigh a point of an earlier summary, which stood in this place with `later` points after it."""
    label, kind = next(((label, kind) for label, kind in _LABELS if point.startswith(label)), ("", None))
    sentence = read_sentence(_ABOUT.sub("", point, count=1).removeprefix(label), names_are_capital=names_are_capital)
    if section == "actions":
        kind = "call" if kind == "call" else "failure" if "failed" in sentence.signs else "done"
    elif section == "open_items":
        kind = "question" if sentence.asks else "task"
    else:
        kind = _kind_of_old(kind, sentence)
    worth = worth_of(kind, sentence)
    if kind not in LASTING:
        worth = worth * _OLD_FACTOR - _FADING * later
    return Remark(section, kind, shorten(point, LONGEST_POINT), sentence, worth, place + _BEFORE, old=True)


def _kind_of_old(labelled: StatementKind | None, sentence: SentenceFeatures) -> StatementKind:
    if labelled not in (None, "fact"):
        return labelled
    lasting: tuple[StatementKind, ...] = ("identity", "decision", "preference")
    for kind in lasting:
        if kind in sentence.signs:
            return kind
    return "wish" if "wish" in sentence.signs else "fact"


def find_statements(exchange: SummarizedExchange, before: SentenceFeatures | None = None) -> Iterator[Remark]:
    """Give everything that may become a point. `before` is what the user last said before this exchange."""
    outcomes = [*_deeds(exchange), *_failures(exchange)]
    for found in _all_statements(exchange, before):
        if found.section == "actions" or found.kind in LASTING or found.kind in _ANSWERS:
            yield found
        elif not any(repeats(found.sentence, told) for told in outcomes):
            asked = any(loosely_covers(found.sentence, told) >= _COVERED for told in outcomes)
            yield replace(found, worth=found.worth - (_ASKED if asked else 0.0))


def _all_statements(exchange: SummarizedExchange, before: SentenceFeatures | None) -> Iterator[Remark]:
    said = list(exchange.said)
    reply = _reply(exchange)
    if reply:
        said.pop(0)
        yield reply
    wants = [sentence for sentence in said if _is_want(sentence)]
    for sentence in said:
        if not sentence.idle and not _is_want(sentence):
            yield _of_user(sentence, exchange, before)
        before = before if sentence.idle and not sentence.asks else sentence
    for sentence in [pasted for pasted in exchange.pasted if pasted.words][:1]:
        yield statement("key_points", "pasted", _NEW_LABELS["pasted"], sentence, exchange.order)
    yield from _reasons(exchange, wants)
    yield from _answers(exchange, wants)
    yield from _of_assistant(exchange, wants)


def _is_want(sentence: SentenceFeatures) -> bool:
    stated = sentence.negated or not sentence.signs.isdisjoint(("decision", "identity", "preference", "wish"))
    return sentence.asks or ("request" in sentence.signs and not stated)


def _of_user(sentence: SentenceFeatures, exchange: SummarizedExchange, before: SentenceFeatures | None) -> Remark:
    kind = _kind_of_new(sentence)
    if (
        kind in {"said", "fact"}
        and "yes" in sentence.signs
        and any(coverage(sentence, heard) >= _TAKEN_UP for heard in exchange.heard)
    ):
        kind = "decision"
    idle = exchange.is_small_talk and kind in {"said", "fact"} and not (sentence.numbers or sentence.names)
    label = _NEW_LABELS.get(kind, "User: ")
    if before and label == "User: " and not read_words("summary", "pronouns").isdisjoint(words_of(sentence.text)[:1]):
        label = f"User (on “{shorten(before.text, _LONGEST_CONTEXT)}”): "
    section: SummarySection = "open_items" if kind in {"task", "promise"} else "key_points"
    new_point = statement(section, kind, label, sentence, exchange.order)
    return replace(new_point, worth=new_point.worth - _IDLE) if idle else new_point


def _kind_of_new(sentence: SentenceFeatures) -> StatementKind:
    if "laughter" in sentence.signs and "identity" in sentence.signs and not (sentence.names or sentence.numbers):
        return "said"  # lol my cat
    for kind in _BY_SIGN:
        if kind in sentence.signs:
            return kind
    if "request" in sentence.signs:
        return "wish"  # what not to do; what to do would be a want
    if "done" in sentence.signs and not sentence.negated:
        return "done"
    return "fact" if "fact" in sentence.signs else "said"


def _reply(exchange: SummarizedExchange) -> Remark | None:
    """Join a short answer to the question it answers; alone it would say nothing."""
    question = exchange.offered
    first = exchange.said[0] if exchange.said else None
    own = ("task", "wish", "decision", "preference", "identity")  # says enough by itself
    if not question or not first or first.asks or len(first.words) > _SHORT_REPLY or not first.signs.isdisjoint(own):
        return None
    agreed, refused = "yes" in first.signs, "no" in first.signs
    if refused and len(first.words) > _LEAST_WORDS:
        return None  # says what is to be instead
    if first.idle and not (agreed or refused) and len(first.words) > 1:
        return None
    option = exchange.options.get((words_of(first.text) or [""])[0])
    meant = f" ({shorten(option, _LONGEST_OPTION)})" if option else ""
    joined = read_sentence(f"{shorten(question.text, _LONGEST_QUESTION)} — {first.text.rstrip('.')}{meant}")
    new_point = statement(
        "key_points", "reply", "User agreed: " if agreed else "User answered: ", joined, exchange.order
    )
    if refused or (agreed and _deeds(exchange)):
        return replace(new_point, worth=new_point.worth - (2.0 if refused and not option else 1.2))
    return new_point


def _deeds(exchange: SummarizedExchange) -> list[SentenceFeatures]:
    """Give the sentences that tell what was done: by their words, or because a tool had just done it."""
    by_tools = [
        outcome.sentence
        for outcome in exchange.outcomes
        if not outcome.trouble and any(call.acts for call in outcome.calls)
    ]
    return [
        sentence
        for sentence in exchange.replied
        if _is_deed(sentence) or (sentence in by_tools and "generic" not in sentence.signs)
    ]


def _failures(exchange: SummarizedExchange) -> list[SentenceFeatures]:
    """Give the sentences that tell what could not be done."""
    after_calls = [outcome.sentence for outcome in exchange.outcomes if outcome.trouble]
    return [
        sentence for sentence in after_calls if sentence.negated or not sentence.signs.isdisjoint(("failed", "unsure"))
    ]


def _is_deed(sentence: SentenceFeatures) -> bool:
    unreal = not sentence.signs.isdisjoint(("unsure", "if", "formula", "generic", "failed"))
    return "done" in sentence.signs and not unreal and not sentence.asks and not sentence.negated


def _reasons(exchange: SummarizedExchange, wants: Sequence[SentenceFeatures]) -> Iterator[Remark]:
    """Give the requests that say more than what came of them: why, for whom, until when."""
    outcomes = [*_deeds(exchange), *_failures(exchange)]
    for want in wants if outcomes else ():
        told = max(loosely_covers(want, outcome) for outcome in outcomes)
        if not want.asks and not want.idle and len(want.words) >= _LONG_QUESTION and told < _TAKEN_UP:
            yield statement("key_points", "said", "User: ", want, exchange.order)


def _answers(exchange: SummarizedExchange, wants: Sequence[SentenceFeatures]) -> Iterator[Remark]:
    """Give the telling sentence of each answer; what got none is open."""
    told = [sentence for sentence in exchange.replied if _is_telling(sentence)]
    deeds = [*_deeds(exchange), *_failures(exchange)]
    covered = [max((coverage(want, sentence) for sentence in exchange.replied), default=0.0) for want in wants]
    for place, (want, cover) in enumerate(zip(wants, covered, strict=True)):
        is_long = len(want.words) >= _LONG_QUESTION
        passed_over = cover < _UNCOVERED and max(covered) > _COVERED and is_long
        if passed_over or not _is_served(want, exchange):
            if not want.idle:
                yield statement("open_items", "question", "User asked: ", want, exchange.order)
        elif told and not (deeds or exchange.is_small_talk) and (is_long or not place):
            yield _answer(want, told, exchange)


def _is_telling(sentence: SentenceFeatures) -> bool:
    silent = sentence.idle or sentence.asks or sentence.text.endswith(":")
    return not silent and sentence.signs.isdisjoint(("unsure", "promise"))


def _is_served(want: SentenceFeatures, exchange: SummarizedExchange) -> bool:
    """Tell whether something was done or said about what the user wants. For a question any word will do."""
    if exchange.works or any(_is_telling(sentence) or _is_deed(sentence) for sentence in exchange.replied):
        return True
    if "request" in want.signs:
        return any(not call.looks and not call.trouble for call in exchange.calls)
    return bool(exchange.replied) and all(s.signs.isdisjoint(("unsure", "promise")) for s in exchange.replied)


def _answer(want: SentenceFeatures, told: Sequence[SentenceFeatures], exchange: SummarizedExchange) -> Remark:
    def telling(item: tuple[int, SentenceFeatures]) -> float:
        place, sentence = item
        worth = coverage(want, sentence) + 0.4 * bool(sentence.numbers) + 0.1 * min(sentence.names, 3)
        worth += 0.4 if place == 0 else 0.0
        worth -= 0.8 * ("generic" in sentence.signs)
        return worth - 0.3 * ("if" in sentence.signs) - 0.8 * ("hedge" in sentence.signs)

    kind: StatementKind = "found" if exchange.calls else "answer"
    best = max(enumerate(told), key=telling)[1]
    label = "Assistant: "
    if coverage(want, best) * len(want.words) < 1 or len(best.words) <= _LEAST_WORDS:
        joined = read_sentence(f"{shorten(want.text, _LONGEST_QUESTION)} — {best.text}")
        label, best = "User asked: ", joined._replace(asks=False, numbers=best.numbers, names=best.names)
    answer = statement("key_points", kind, label, best, exchange.order)
    return answer if best.numbers or best.names else replace(answer, worth=answer.worth - 0.3)


def _of_assistant(exchange: SummarizedExchange, wants: Sequence[SentenceFeatures]) -> Iterator[Remark]:
    order = exchange.order
    deeds, failures = _deeds(exchange), _failures(exchange)
    for sentence in exchange.replied:
        if not sentence.idle and not sentence.asks and sentence not in deeds and sentence not in failures:
            yield from _prose(sentence, exchange, asked=bool(wants))
    for sentence in failures:
        yield statement("actions", "failure", "", sentence, order)
    done = [sentence for sentence in deeds if len(sentence.words) >= _LEAST_WORDS and not sentence.idle]
    label = ""
    told = any(map(_is_telling, exchange.replied))
    if not done and (deeds or (exchange.works and not told)):
        done, label = _as_asked(exchange, wants), "Done as asked: "
    lines = describe_calls(call for call in exchange.calls if _is_worth_a_line(call, [*done, *failures]))
    if len(done) == len(lines) == 1 and TROUBLED not in lines[0]:
        # One deed, one call: the words of the assistant and the names that the tool knows belong together.
        line = lines.pop()
        if any(call.identifier for call in exchange.calls):
            done = [read_sentence(f"{done[0].text.rstrip('.')} — c{line[1:]}")]
    for sentence in done:
        yield statement("actions", "done", label, sentence, order)
    for line in lines:
        new_point = statement("actions", "call", "", read_sentence(line), order)
        # What was called hardly matters once the assistant has said what came of it.
        yield replace(
            new_point, worth=new_point.worth - (0.9 if done or told else 0.0) + (0.4 if TROUBLED in line else 0.0)
        )


def _is_worth_a_line(call: DescribedCall, told: Sequence[SentenceFeatures]) -> bool:
    """Tell whether a call says more than what was told: who changed what is in a sentence already, mostly."""
    if call.trouble:
        return not any("failed" in sentence.signs or sentence.negated for sentence in told)
    if call.identifier and not call.looks:
        return not any(call.identifier in sentence.text for sentence in told)
    about = read_sentence(call.argument.partition(" ")[2])
    return not call.looks and not any(about.words and coverage(about, sentence) >= _TAKEN_UP for sentence in told)


def _as_asked(exchange: SummarizedExchange, wants: Sequence[SentenceFeatures]) -> list[SentenceFeatures]:
    """Say what was done when the assistant only said that it was."""
    agreed = exchange.offered if exchange.said and "yes" in exchange.said[0].signs else None
    asked = [want for want in wants if not want.idle and "request" in want.signs]
    return (asked or ([agreed] if agreed else []))[:1]


def _prose(sentence: SentenceFeatures, exchange: SummarizedExchange, *, asked: bool) -> Iterator[Remark]:
    order = exchange.order
    agreed = any(not said.signs.isdisjoint(("decision", "yes", "wish")) for said in exchange.said)
    if agreed and "decision" in sentence.signs and sentence.signs.isdisjoint(("if", "generic")):
        new_point = statement("key_points", "decision", "Decision: ", sentence, order)
        yield replace(new_point, worth=new_point.worth - 0.7)
    elif "noted" in sentence.signs and len(sentence.words) >= _LEAST_WORDS and not sentence.text.endswith("!"):
        yield statement("key_points", "noted", "Assistant: ", sentence, order)
    elif "promise" in sentence.signs and sentence.signs.isdisjoint(("if", "generic")):
        if not asked:
            new_point = statement("open_items", "promise", "Assistant: ", sentence, order)
            yield replace(new_point, worth=new_point.worth - (0.0 if sentence.numbers or sentence.names else 0.7))
    else:
        # That something could not be done is worth more than prose, and less than what could.
        new_point = statement("key_points", "prose", "Assistant: ", sentence, order)
        yield replace(new_point, worth=new_point.worth + (0.4 if "unsure" in sentence.signs else 0.0))
