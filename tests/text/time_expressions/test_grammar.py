# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""The tables are sound: every phrase can be told what its meaning asks for, and no phrase begins with another."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product

import pytest

from recollect.text import time_expressions
from recollect.text.tables import LANGUAGES
from recollect.text.time_expressions.grammar import Element, Phrase, PhraseNode, TimeGrammar
from recollect.text.time_expressions.meanings import OPEN, TimeExpression, Today, evaluate

TODAY = Today.of(datetime(2024, 5, 15, 14, 30, tzinfo=UTC))
# What numerals give, without a table.
NUMERALS = {
    "n": "2",
    "day": "7",
    "mm": "3",
    "year": "2022",
    "tens": "1990",
    "date": "2023-03-07",
    "daymonth": "3-7",
    "monthyear": "2023-03",
    "years": "2019-2021",
    "winter": "2022-23",
    "nth": "7",
    "dayrange": "5-7",
    "large": "3000",
}
POINT = TimeExpression("month", {"month": "3", "year": "2023"})
BY_LANGUAGE = pytest.mark.parametrize("language", LANGUAGES)


def rows(node: PhraseNode, before: tuple[Element, ...] = ()) -> Iterator[tuple[Phrase, tuple[Element, ...]]]:
    """Give every phrase with each row of elements that leads to it."""
    yield from ((phrase, before) for phrase in node.phrases)
    for element, further in node.edges.values():
        yield from rows(further, (*before, element))


def values(grammar: TimeGrammar) -> dict[str, set[str]]:
    """Give what the words of each class mean."""
    found = {name: {value} for name, value in NUMERALS.items()}
    for classes in grammar.lexicon.values():
        for name, value in classes.items():
            found.setdefault(name, set()).add(value)
    return found


def tellings(phrase: Phrase, row: tuple[Element, ...], known: dict[str, set[str]]) -> Iterator[TimeExpression]:
    """Give the findings a row can lead to, with every meaning of its words."""
    ways: list[list[tuple[str, str]]] = []
    for element in row:
        if not element.point and element.slots:
            way = [(slot, value) for slot, name in element.slots for value in sorted(known[name])]
            ways.append([*way, ("", "")] if element.words else way)
    points = (POINT,) * sum(element.point for element in row)
    for arguments in product(*ways):
        yield TimeExpression(
            phrase.meaning, {**phrase.arguments, **{slot: value for slot, value in arguments if slot}}, points
        )


def means_no_time(expression: TimeExpression) -> bool:
    """Tell whether it is the meaning of nothing, an hour before a feast, or the thirtieth of February."""
    too_fine = expression.meaning in ("beside", "edge") and expression.arguments.get("unit") in ("hour", "minute")
    return (
        expression.meaning == "nothing" or too_fine or {("day", "30"), ("month", "2")} <= expression.arguments.items()
    )


@BY_LANGUAGE
def test_every_phrase_means_a_time(language: str) -> None:
    grammar = TimeGrammar(language)
    known = values(grammar)
    expressions = {
        (expression.meaning, frozenset(expression.arguments.items())): expression
        for phrase, row in rows(grammar.root)
        for expression in tellings(phrase, row, known)
    }
    for expression in expressions.values():
        assert (evaluate(expression, TODAY) is None) == means_no_time(expression), expression


@BY_LANGUAGE
def test_no_phrase_is_empty_or_begins_with_another(language: str) -> None:
    root = TimeGrammar(language).root
    assert not root.phrases
    assert not root.after_point
    assert not root.at_ending


@BY_LANGUAGE
def test_context_is_of_single_words(language: str) -> None:
    for phrase, row in rows(TimeGrammar(language).root):
        assert not any(element.point or element.ending for element in row[: phrase.begins]), row
        assert len(row) > phrase.begins


@BY_LANGUAGE
def test_a_bare_phrase_can_stand_in_another(language: str) -> None:
    assert not [phrase for phrase, _ in rows(TimeGrammar(language).root) if phrase.bare and phrase.meaning in OPEN]


@BY_LANGUAGE
def test_every_class_of_words_is_used(language: str) -> None:
    grammar = TimeGrammar(language)
    named = {name for _, row in rows(grammar.root) for element in row for _, name in element.slots}
    assert set(values(grammar)) - set(NUMERALS) <= named


# Words that lead to a time, and cannot be its last.
LEADING = {
    *(",", ";", "of", "in", "at", "the", "during", "since"),
    *("в", "во", "на", "с", "со", "до", "после"),
    *("v", "ve", "na", "od", "do", "pred", "po"),
    *("im", "am", "der", "des", "dem", "vor", "bis"),
}


@BY_LANGUAGE
def test_no_phrase_ends_with_a_word_that_leads_to_a_time(language: str) -> None:
    for phrase, row in rows(TimeGrammar(language).root):
        if phrase.meaning != "nothing":
            assert not row[-1].words & LEADING, (phrase, row)


@BY_LANGUAGE
def test_every_phrase_needs_a_digit_or_a_letter_of_its_script(language: str) -> None:
    """A query without either is not searched for the phrases of that language."""
    grammar = TimeGrammar(language)
    words: dict[str, set[str]] = {}
    for word, classes in grammar.lexicon.items():
        for name in classes:
            words.setdefault(name, set()).add(word)
    needed = time_expressions._NEEDED.get(language, time_expressions._LATIN)
    for phrase, row in rows(grammar.root):
        tellers = [element for element in row if not (element.point or element.ending or element.anything)]
        forms = [element.words.union(*(words.get(name, set()) for _, name in element.slots)) for element in tellers]
        assert any(element.point for element in row) or any(all(map(needed.search, form)) for form in forms), phrase
