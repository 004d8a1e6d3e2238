"""From a message and its reading to what is worth keeping of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from recollect.model.calibration import CERTAIN, KEEP
from recollect.model.literals import STATEMENT_TYPES, MemoryType, StatementType
from recollect.model.readings import Captured, Reading, Statement, TextSpan
from recollect.text.capture.contents import (
    bare_noun,
    content_span,
    has_content,
    is_impersonal,
    named_person,
    names_first_person,
    with_person,
)
from recollect.text.capture.exact import ExactFindings, find_exact, merge_statements
from recollect.text.capture.gate import is_secret, is_shouted
from recollect.text.capture.judging import confidence_of, is_injection, statement_features
from recollect.text.capture.keys import CONTACTS, is_current, may_replace
from recollect.text.capture.own_words import MAX_MESSAGE_CHARACTERS, OwnWords
from recollect.text.capture.spelling import fold_spelling
from recollect.text.capture.user_patterns import NONE, CompiledPatterns, judge_by_patterns
from recollect.text.capture.values import clean_value
from recollect.text.capture.words import folded as folded_words
from recollect.text.capture.words import phrases_of

USER: Final = "user"
ASSISTANT: Final = "assistant"  # the subject of standing instructions
ASKED: Final = "asked"
EXACT: Final = "exact"

_ASKED_IMPORTANCE: Final = 0.95
_IMPORTANCE: Final = {"rule": 0.9, "decision": 0.85, "preference": 0.75, "fact": 0.75, "event": 0.7}
_VITAL: Final = frozenset({"name", "birthday", "home", "allergy", "medicine", "health", "diet"})
_VITAL_IMPORTANCE: Final = 0.9


@dataclass(frozen=True, slots=True)
class CaptureRules:
    """What a user lets capture keep: from which confidence on, which types, and by which patterns of their own."""

    confidence: float = KEEP
    types: tuple[StatementType, ...] = STATEMENT_TYPES
    patterns: CompiledPatterns = NONE


_DEFAULT = CaptureRules()


def capture(
    text: str, reading: Reading | None, rules: CaptureRules = _DEFAULT, *, limit: int = 20
) -> tuple[Captured, ...]:
    """Give what a user's message teaches, the most important first; without a reading, what exact phrases say."""
    pasted = len(text) > MAX_MESSAGE_CHARACTERS or (reading is not None and reading.pasted) or is_impersonal(text)
    if pasted or is_shouted(text):
        return ()
    found: dict[str, Captured] = {}
    for captured in _findings(text, reading or Reading(), rules):
        found.setdefault(fold_spelling(captured.content), captured)
    return tuple(sorted(found.values(), key=lambda captured: -captured.importance)[: max(limit, 0)])


def _findings(text: str, reading: Reading, rules: CaptureRules) -> Iterator[Captured]:
    layout = OwnWords.of(text, reading.handed_over)
    folded = fold_spelling(text)
    for sentence in layout.sentences() if rules.patterns else ():
        if (matched := judge_by_patterns(sentence.of(text), rules.patterns)) and not is_secret(matched.content):
            yield matched
    exact = find_exact(layout, folded)
    yield from _things(exact, rules)
    own = [statement for statement in reading.statements if not layout.is_foreign(statement.span)]
    statements = _asked(merge_statements(own, exact.statements), exact.asked)
    who = ""
    for place, statement in enumerate(statements):
        low = statements[place - 1].span.end if place else 0
        high = statements[place + 1].span.start if place + 1 < len(statements) else len(text)
        asked = next((span for span in exact.asked if span.start <= statement.span.start < span.end), None)
        content = content_span(layout, statement, max(low, asked.start) if asked else low, high)
        who = _person(layout, statement, statements[place - 1] if place else None, who, content)
        sure = _sureness(layout, statement, content, exact, asked=asked is not None)
        if sure >= rules.confidence and statement.type in rules.types and _may_be_kept(statement, content.of(text)):
            yield _captured(text, replace(statement, confidence=sure), content, who, ASKED if asked else reading.reader)


def _asked(statements: Sequence[Statement], asked: Sequence[TextSpan]) -> list[Statement]:
    """Add what the user asks to remember where a reader found nothing in it."""
    found = list(statements)
    for span in asked:
        if not any(statement.span.start < span.end and span.start < statement.span.end for statement in found):
            found.append(Statement("fact", span, CERTAIN))
    return sorted(found, key=lambda statement: statement.span)


def _person(layout: OwnWords, statement: Statement, before: Statement | None, who: str, content: TextSpan) -> str:
    """Give whom a statement is about: the one it names, or the one of the clause before it, unless the user speaks."""
    named = bare_noun(statement.who.of(layout.text)) if statement.who else ""
    if named or (named := named_person(content.of(layout.text))):
        return named
    same_sentence = before is not None and layout.sentence(before.span) == layout.sentence(statement.span)
    return who if same_sentence and not names_first_person(content.of(layout.text)) else ""


def _sureness(layout: OwnWords, statement: Statement, content: TextSpan, exact: ExactFindings, *, asked: bool) -> float:
    """Give how sure it is that a statement should be kept; what the user asks for and exact phrases are."""
    by_phrase = any(statement.span.start == phrase.span.start for phrase in exact.statements)
    if asked or (by_phrase and statement.confidence >= CERTAIN):
        return CERTAIN
    return confidence_of(statement_features(layout, statement, content))


def _may_be_kept(statement: Statement, said: str) -> bool:
    folded = fold_spelling(said)
    no_rule = statement.type == "rule" and (is_injection(folded) or phrases_of("one-off").search(folded) is not None)
    return has_content(said) and not is_secret(said) and not no_rule


def _captured(text: str, statement: Statement, span: TextSpan, who: str, rule: str) -> Captured:
    said = " ".join(span.of(text).split())
    value = clean_value(text, statement, span)
    subject = ASSISTANT if statement.type == "rule" else who or USER
    replaces = statement.type == "fact" and may_replace(
        statement.key, value, said, statement.confidence, about_user=subject == USER
    )
    return Captured(
        with_person(said, who),
        _memory_type(statement),
        subject,
        statement.key if replaces else "",
        value,
        importance=_ASKED_IMPORTANCE if rule == ASKED else _importance(statement),
        confidence=round(statement.confidence, 3),
        rule=rule or EXACT,
        property=statement.key if is_current(value, said) else "",
        span=statement.span,
        standing=statement.type == "rule" and not _is_conditional(said),
    )


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
