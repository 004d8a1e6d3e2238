"""From a message and its reading to what is worth keeping of it, and how sure that is.

The invariant: a secret never becomes a memory, whatever else the sentence says and whichever rule would keep it. The
weights by which a statement is judged are in `model/calibration`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Final

from recollect.model.calibration import CERTAIN, KEEP, STATEMENT_WEIGHTS, logit, probability
from recollect.model.literals import STATEMENT_TYPES, MemoryType, StatementType
from recollect.model.readings import (
    ASSISTANT,
    USER,
    Captured,
    Reading,
    SkippedStatement,
    SkipReason,
    Statement,
    TextSpan,
)
from recollect.text.capture.contents import (
    content_span,
    has_content,
    is_impersonal,
    located_thing,
    names_first_person,
    whom,
    with_person,
)
from recollect.text.capture.exact import (
    NONE,
    CompiledPatterns,
    ExactFindings,
    find_exact,
    judge_by_patterns,
    merge_statements,
)
from recollect.text.capture.own_words import MAX_MESSAGE_CHARACTERS, OwnWords
from recollect.text.capture.replies import AnsweredQuestion
from recollect.text.capture.values import (
    CONTACTS,
    LOCATION,
    THINGS,
    clean_value,
    is_current,
    is_one_of_many,
    may_replace,
    statement_of_words,
)
from recollect.text.capture.words import folded as folded_words
from recollect.text.capture.words import phrases_of
from recollect.text.clean import fold_spelling
from recollect.text.regex import LazyRegex
from recollect.text.secrets import REDACTION_MARK

ASKED: Final = "asked"
EXACT: Final = "exact"

_ASKED_IMPORTANCE: Final = 0.95
_IMPORTANCE: Final = {"rule": 0.9, "decision": 0.85, "preference": 0.75, "fact": 0.75, "event": 0.7}
_VITAL: Final = frozenset({"name", "birthday", "home", "allergy", "medicine", "health", "diet"})
_VITAL_IMPORTANCE: Final = 0.9

_MOST_EMOJI = 3
_CHARACTERS_PER_EMOJI = 100

_EMOJI_FROM = "\u2600"
_EMOJI_PLANE = "\U0001f000"

_MARK = REDACTION_MARK.rstrip(": ")  # a reader may cut a statement off at the colon
_SECRET = LazyRegex(
    r"(?:password|passwort|passphrase|kennwort|heslo|парол[ьяе]|api[ _-]?key|secret[ _-]?key|private key|access token)"
    r"(?:\W+[\pL\pN._-]+){0,4}?\W*(?:[:=-]|\W(?:is|ist|lautet|je|zni)\W)"
    r"|(?:^|\W)(?:cvv|cvc|pin|пин)(?:[ -]?(?:code|kod|код))?"
    r"(?:(?: [\pL]+){0,4}?(?:\s*[:=]|\s-+\s|\W(?:is|ist|lautet|je|zni)\W)|\W+\d{3})"
    r"|парол[ьяе] |sk-[a-z0-9_-]{16}|gh[pousr]_[a-z0-9]{16}|akia[a-z0-9]{12}|xox[abp]-|-begin [a-z ]*private key"
    r"|(?:\d[ -]?){15,18}\d"
)

_WORD = LazyRegex(r"\pL{3,}")
_MOST_LINES: Final = 3
_QUOTATION_MARKS: Final = '"\u201e\u201c\u00ab'


@dataclass(frozen=True, slots=True)
class CaptureRules:
    """What a user lets capture keep: from which confidence on, which types, and by which patterns of their own."""

    confidence: float = KEEP
    types: tuple[StatementType, ...] = STATEMENT_TYPES
    patterns: CompiledPatterns = NONE


_DEFAULT = CaptureRules()


def capture(
    text: str, reading: Reading | None, rules: CaptureRules = _DEFAULT, before: str = "", *, limit: int = 20
) -> tuple[Captured, ...]:
    """Give what a user's message teaches, the most important first; without a reading, what exact phrases say."""
    return judge(text, reading, rules, before, limit=limit)[0]


def judge(
    text: str, reading: Reading | None, rules: CaptureRules = _DEFAULT, before: str = "", *, limit: int = 20
) -> tuple[tuple[Captured, ...], tuple[SkippedStatement, ...]]:
    """Give what a user's message teaches after the turn before it, and the statements that are skipped."""
    reading = reading or Reading()
    if len(text) > MAX_MESSAGE_CHARACTERS or reading.pasted or is_impersonal(text) or is_shouted(text):
        return (), tuple(_skipped(statement, statement.span.of(text), "pasted") for statement in reading.statements)
    found: dict[str, Captured] = {}
    skipped: list[SkippedStatement] = []
    for one in _findings(text, reading, rules, before):
        if isinstance(one, SkippedStatement):
            skipped.append(one)
        else:
            found.setdefault(fold_spelling(one.content).rstrip(" .!"), one)
    return tuple(sorted(found.values(), key=lambda one: -one.importance)[: max(limit, 0)]), tuple(skipped)


def _findings(text: str, reading: Reading, rules: CaptureRules, before: str) -> Iterator[Captured | SkippedStatement]:
    layout = OwnWords.of(text, reading.handed_over)
    folded = fold_spelling(text)
    for sentence in layout.sentences() if rules.patterns else ():
        if (matched := judge_by_patterns(sentence.of(text), rules.patterns)) and not is_secret(matched.content):
            yield replace(matched, span=sentence)
    # A reader may take plain statements for an example; what is exact by its form needs no reader.
    exact = find_exact(OwnWords.of(text) if layout.is_plain() else layout, folded)
    yield from _things(exact, rules)
    whole = _uncut(layout, (statement_of_words(text, statement) for statement in reading.statements))
    read = [part for statement in whole for part in _by_sentence(layout, statement)]
    own = [statement for statement in read if not layout.is_foreign(statement.span)]
    foreign = [statement for statement in read if layout.is_foreign(statement.span)]
    yield from (_skipped(statement, statement.span.of(text), "handed_over") for statement in foreign)
    statements = _asked(merge_statements(text, own, exact.statements), exact.asked)
    who: str | None = None
    for place, statement in enumerate(statements):
        low = statements[place - 1].span.end if place else 0
        high = statements[place + 1].span.start if place + 1 < len(statements) else len(text)
        asked = next((span for span in exact.asked if span.start <= statement.span.start < span.end), None)
        content = content_span(layout, statement, max(low, asked.start) if asked else low, high)
        joined = place > 0 and layout.sentence(statements[place - 1].span) == layout.sentence(statement.span)
        who = whom(layout, statement, content, who if joined else None)
        answered = AnsweredQuestion.of(before, layout, statement, content, low)
        sure = _sureness(layout, statement, content, exact, answered, asked=asked is not None)
        doubted = asked is not None and statement.confidence < rules.confidence  # kept, but not for what was read in it
        judged = replace(statement, confidence=sure, key="" if doubted else statement.key)
        said = answered.said if answered else text[_mark_before(text, content.start) : content.end]
        if reason := _objection(judged, said, answered, rules):
            yield _skipped(judged, answered.with_answer if answered else said, reason)
        else:
            captured = _captured(text, judged, content, who, ASKED if asked else reading.reader)
            yield _answering(captured, judged, answered) if answered else captured


def _uncut(layout: OwnWords, statements: Iterable[Statement]) -> Iterator[Statement]:
    """Join what a reader took for two statements because of the point of a date: "by 31.3. we move"."""
    held: Statement | None = None
    for statement in statements:
        if held and held.type == statement.type and _is_cut_date(layout, held.span.end, statement.span.start):
            held = replace(held, span=TextSpan(held.span.start, statement.span.end), who=held.who or statement.who)
            continue
        if held:
            yield held
        held = statement
    if held:
        yield held


def _is_cut_date(layout: OwnWords, end: int, start: int) -> bool:
    """Tell whether between two places there is nothing but the point after a number, and no end of a sentence."""
    if not 0 <= start - end <= len(". "):
        return False
    between = layout.text[max(0, end - len("1.")) : start].rstrip()
    return between.endswith(".") and between[-2:-1].isdigit() and not layout.stops_in(TextSpan(end - 1, start + 1))


def _by_sentence(layout: OwnWords, statement: Statement) -> Iterator[Statement]:
    """Cut a statement where a sentence ends; the part with the value keeps the key."""
    start, value = statement.span.start, statement.value
    inside = [stop for stop in layout.stops_in(statement.span) if stop.of(layout.text).strip()]  # no mere line break
    if not inside:
        yield statement
        return
    for stop in (*inside, TextSpan(statement.span.end, statement.span.end)):
        mine = value is None or start <= value.start < stop.start
        key = statement.key if mine else ""
        yield replace(statement, span=TextSpan(start, stop.start), key=key, value=value if mine else None, who=None)
        start = stop.end


def _asked(statements: Sequence[Statement], asked: Sequence[TextSpan]) -> list[Statement]:
    """Add what the user asks to remember where a reader found nothing in it, and let what it found begin there."""
    found = list(statements)
    for span in asked:
        inside = [place for place, one in enumerate(found) if one.span.start < span.end and span.start < one.span.end]
        if not inside:
            found.append(Statement("fact", span, CERTAIN))
        for place in inside:
            begin = max(found[place].span.start, span.start)
            found[place] = replace(found[place], span=TextSpan(begin, found[place].span.end))
    return sorted(found, key=lambda statement: statement.span)


def _sureness(
    layout: OwnWords,
    statement: Statement,
    content: TextSpan,
    exact: ExactFindings,
    answered: AnsweredQuestion | None,
    *,
    asked: bool,
) -> float:
    """Give how sure it is that a statement should be kept; what the user asks for and exact phrases are."""
    by_phrase = any((statement.key, statement.value) == (phrase.key, phrase.value) for phrase in exact.statements)
    if asked or (by_phrase and statement.confidence >= CERTAIN):
        return CERTAIN
    return confidence_of(statement_features(layout, statement, content, answered))


def _objection(
    statement: Statement, said: str, answered: AnsweredQuestion | None, rules: CaptureRules
) -> SkipReason | None:
    """Give the first reason not to keep a statement, if there is one."""
    if answered:
        said = answered.with_answer
    folded, rule = fold_spelling(said), statement.type == "rule"
    reasons: tuple[tuple[SkipReason, bool], ...] = (
        ("secret", is_secret(said) or (answered is not None and answered.tells_secret(statement))),
        ("type", statement.type not in rules.types),
        ("injection", rule and is_injection(folded)),
        ("once", rule and phrases_of("one-off").search(folded) is not None),
        ("short", not has_content(said)),
        ("confidence", statement.confidence < rules.confidence),
    )
    return next((reason for reason, holds in reasons if holds), None)


def _skipped(statement: Statement, said: str, reason: SkipReason) -> SkippedStatement:
    sure = round(statement.confidence, 3)
    return SkippedStatement(" ".join(said.split()), statement.type, sure, reason, statement.span, statement.key)


def _captured(text: str, statement: Statement, span: TextSpan, who: str | None, rule: str) -> Captured:
    said = " ".join(span.of(text).split())
    subject = ASSISTANT if statement.type == "rule" else USER if who is None else who
    captured = Captured(
        said if statement.type == "rule" else with_person(said, who or ""),
        _memory_type(statement),
        subject,
        importance=_ASKED_IMPORTANCE if rule == ASKED else _importance(statement),
        confidence=round(statement.confidence, 3),
        rule=rule or EXACT,
        span=statement.span,
        standing=statement.type == "rule" and not _is_conditional(said),
    )
    return _with_value(captured, statement, clean_value(text, statement, span), said)


def _with_value(captured: Captured, statement: Statement, value: str, said: str) -> Captured:
    """Add the value of a statement, and its key where it may replace a value, or stand beside others."""
    about_user, is_fact = captured.subject == USER, statement.type == "fact"
    replaces = is_fact and may_replace(statement.key, value, said, statement.confidence, about_user=about_user)
    many = is_fact and is_one_of_many(statement.key, value, said)
    key = statement.key if replaces or many else ""
    about_thing = is_fact and about_user and captured.rule != ASKED and statement.key in THINGS
    if about_thing and value and is_current(value, said) and (thing := located_thing(said)):
        return replace(captured, subject=thing, key=LOCATION, value=value, property=LOCATION)
    return replace(captured, key=key, value=value, property=statement.key if is_current(value, said) else "", many=many)


def _answering(captured: Captured, statement: Statement, answered: AnsweredQuestion) -> Captured:
    """Put an answer after its question, in the words in which both were said."""
    unnamed = captured.subject in (USER, statement.key, captured.value)
    subject = answered.about if unnamed and answered.about else captured.subject
    statement, value = answered.settled(statement, captured.value, about_user=subject == USER)
    whole = replace(
        captured,
        content=answered.with_answer,
        subject=subject,
        confidence=round(statement.confidence, 3),
        question=answered.place,
        standing=captured.standing and has_content(answered.said),
    )
    return _with_value(whole, statement, value, answered.stated)


def _memory_type(statement: Statement) -> MemoryType:
    if statement.type == "rule":
        return "preference"
    return "entity" if statement.type == "fact" and statement.key in CONTACTS else statement.type


def _importance(statement: Statement) -> float:
    return _VITAL_IMPORTANCE if statement.key in _VITAL else _IMPORTANCE[statement.type]


def _is_conditional(text: str) -> bool:
    return not folded_words("conditions").isdisjoint(fold_spelling(text).split())


def _things(exact: ExactFindings, rules: CaptureRules) -> Iterator[Captured]:
    """Give what things at home are called."""
    for span, thing, name in exact.things if "fact" in rules.types else ():
        yield Captured(
            f"{thing}: {name}",
            "entity",
            thing,
            "nickname",
            name,
            importance=0.8,
            confidence=CERTAIN,
            rule=EXACT,
            span=span,
        )


def is_shouted(text: str) -> bool:
    """Tell whether a message is mostly emoji, or at least full of them."""
    return sum(map(_is_emoji, text)) > max(_MOST_EMOJI, len(text) // _CHARACTERS_PER_EMOJI)


def is_secret(said: str) -> bool:
    """Tell whether a text holds a password, a key or the number of a card, or held one before it was redacted."""
    return _MARK in said or _SECRET.search(fold_spelling(said)) is not None


def _mark_before(text: str, start: int) -> int:
    """Give where the mark of a redacted secret begins, if a place is inside of it; otherwise the place itself."""
    begin = text.rfind(_MARK, 0, start)
    return begin if begin >= 0 and text.find("]", begin) >= start else start


def _is_emoji(letter: str) -> bool:
    return letter >= _EMOJI_PLANE or _EMOJI_FROM <= letter <= "\u27bf"


def statement_features(
    layout: OwnWords, statement: Statement, content: TextSpan, answered: AnsweredQuestion | None = None
) -> dict[str, float]:
    """Give what the words around a statement say about it, as the numbers that are weighed."""
    start = statement.span.start
    return {
        "certainty": logit(statement.confidence),
        "words": log(max(1, sum(1 for _ in _WORD.finditer(content.of(layout.text))))),
        "announced": float(layout.is_announced(start)),
        "lines": float(min(_MOST_LINES, layout.text.strip().count("\n"))),
        "quotation": float(any(mark in layout.text[:start] for mark in _QUOTATION_MARKS)),
        "first person": float(names_first_person(content.of(layout.text))),
        "asks": float(layout.sentence(content).of(layout.text).rstrip().endswith("?")),
        **(answered.features if answered else {}),
    }


def confidence_of(features: dict[str, float]) -> float:
    """Give the probability that a statement should be kept."""
    return probability(STATEMENT_WEIGHTS, features)


def is_injection(folded: str) -> bool:
    """Tell whether a text tries to instruct a model; that is no rule of the user's."""
    return phrases_of("injections").search(folded) is not None
