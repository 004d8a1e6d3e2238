from collections.abc import Mapping
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.ranking.ordering import _ALIKE, fold, overlap, spread
from recollect.text.repetition import same_statement
from recollect.text.terms import index_terms
from tests.rows import every

words = st.frozensets(st.sampled_from(("tea", "green", "anna", "lamp", "12", "13")), max_size=5)
rows = st.dictionaries(st.sampled_from([f"m{i}" for i in range(8)]), st.tuples(st.floats(0.0, 1.0), words))
untimed = settings(deadline=None)

LONG = "the green lamp above the old desk in the quiet office beside our large kitchen window belongs to {}"


def folded(*texts: str) -> dict[int, list[int]]:
    """Fold texts that come in this order; they are known by their place, from 1."""
    numbered = dict(enumerate(texts, 1))
    said = {row: frozenset(index_terms(text)) for row, text in numbered.items()}
    return fold(numbered, numbered, said, lambda one, other: same_statement(numbered[one], numbered[other]))


def always(_one: object, _other: object) -> bool:
    return True


def never(_one: object, _other: object) -> bool:
    return False


def test_overlap_is_the_share_of_common_words() -> None:
    assert overlap({"a", "b"}, {"b", "c"}) == pytest.approx(1 / 3)
    assert overlap({"a"}, {"a"}) == 1.0
    assert overlap({"a"}, set()) == overlap(set(), set()) == 0.0


def test_what_is_said_twice_is_shown_once_at_its_best_place() -> None:
    assert folded("tea", "lamp", "tea", "tea") == {1: [3, 4], 2: []}


def test_equal_texts_without_words_are_the_same() -> None:
    assert folded("🎂", "🎈", "🎂") == {1: [3], 2: []}


def test_nearly_the_same_words_are_a_repetition() -> None:
    kept, changed = LONG.format("anna"), LONG.format("anna").replace("large", "huge").replace("quiet ", "")
    assert overlap(set(index_terms(kept)), set(index_terms(changed))) < _ALIKE
    assert folded(kept, changed) == {1: [], 2: []}
    assert folded(kept, f"{kept} really") == {1: [2]}
    assert folded(f"{kept} really", kept) == {1: [2]}


@every(("one", "other"), [("12", "13"), ("12", ""), ("2026-03-01", "2026-03-02"), ("b2", "b3")])
def test_another_number_is_another_thing(one: str, other: str) -> None:
    assert folded(f"{LONG} {LONG.upper()} {one}", f"{LONG} {LONG.upper()} {other}") == {1: [], 2: []}


@every(
    ("one", "other"),
    [
        ("Anna eats peanuts", "Anna does not eat peanuts"),
        ("The office light is on", "The office light is off"),
        ("Take the pill before lunch", "Take the pill after lunch"),
        ("Anna trusts Petr", "Petr trusts Anna"),
        ("Анна ест орехи", "Анна не ест орехи"),
    ],
)
def test_the_opposite_is_no_repetition(one: str, other: str) -> None:
    assert folded(one, other) == {1: [], 2: []}


def test_nearly_the_same_words_are_no_repetition_unless_they_state_the_same() -> None:
    texts, said = {"a": "tea, green", "b": "green tea"}, {"a": {"green", "tea"}, "b": {"green", "tea"}}
    assert fold(texts, texts, said, always) == {"a": ["b"]}
    assert fold(texts, texts, said, never) == {"a": [], "b": []}


def test_equal_texts_are_a_repetition_and_other_words_none_whatever_they_state() -> None:
    texts = {"a": "tea", "b": "tea", "c": "lamp"}
    said = {"a": {"tea"}, "b": {"tea"}, "c": {"lamp"}}
    for same in (always, never):
        assert fold(texts, texts, said, same) == {"a": ["b"], "c": []}


def test_equal_words_of_another_saying_are_no_repetition_unless_they_state_the_same() -> None:
    sayings = {"a": ("tea", "Anna"), "b": ("tea", "Petr"), "c": ("tea", "Anna")}
    said = dict.fromkeys(sayings, frozenset({"tea"}))
    assert fold(sayings, sayings, said, never) == {"a": ["c"], "b": []}
    assert fold(sayings, sayings, said, always) == {"a": ["b", "c"]}


def test_the_best_of_several_that_state_the_same_has_them_all() -> None:
    texts = {"a": "green tea", "b": "lamp", "c": "tea green", "d": "tea, green", "e": "tea green"}
    said = {row: frozenset(index_terms(text)) for row, text in texts.items()}
    assert fold(texts, texts, said, always) == {"a": ["c", "d", "e"], "b": []}


def test_variety_puts_a_repetition_behind_something_else() -> None:
    said = {"a": {"tea", "green"}, "b": {"tea", "green", "cup"}, "c": {"lamp"}}
    scores = {"a": 1.0, "b": 0.9, "c": 0.8}
    assert spread(scores, said, 1.0) == ["a", "b", "c"]
    assert spread(scores, said, 0.7) == ["a", "c", "b"]
    assert spread({**scores, "c": 0.1}, said, 0.7) == ["a", "b", "c"]


def test_nothing_is_spread_to_nothing() -> None:
    assert spread({}, {}, 0.5) == []
    assert fold((), {}, {}, never) == {}
    assert spread({"a": 0.0, "b": 0.0}, {"a": set(), "b": set()}, 0.5) == ["a", "b"]


@untimed
@given(rows, st.floats(0.0, 1.0))
def test_spreading_keeps_every_row_and_the_best_first(
    found: Mapping[str, tuple[float, frozenset[str]]], balance: float
) -> None:
    scores, said = {row: one for row, (one, _) in found.items()}, {row: one for row, (_, one) in found.items()}
    order = spread(scores, said, balance)
    assert sorted(order) == sorted(found)
    assert not order or scores[order[0]] == max(scores.values()) or balance < 1e-6
    assert [scores[row] for row in spread(scores, said, 1.0)] == sorted(scores.values(), reverse=True)


@untimed
@given(rows, st.floats(0.0, 1.0), st.randoms(use_true_random=False))
def test_spreading_does_not_ask_in_which_order_rows_with_other_scores_came(
    found: Mapping[str, tuple[float, frozenset[str]]], balance: float, random: Random
) -> None:
    scores = {row: (number + 1) / 10 for number, row in enumerate(sorted(found))}
    said = {row: one for row, (_, one) in found.items()}
    shuffled = dict(random.sample(list(scores.items()), len(scores)))
    assert spread(shuffled, said, balance) == spread(scores, said, balance)


@untimed
@given(rows, st.booleans())
def test_folding_loses_nobody_and_keeps_the_order(
    found: Mapping[str, tuple[float, frozenset[str]]],
    agree: bool,  # noqa: FBT001 - drawn by Hypothesis
) -> None:
    texts = {row: " ".join(sorted(one)) for row, (_, one) in found.items()}
    said = {row: one for row, (_, one) in found.items()}
    groups = fold(found, texts, said, always if agree else never)
    assert sorted([*groups, *(row for group in groups.values() for row in group)]) == sorted(found)
    order = list(found)
    assert list(groups) == sorted(groups, key=order.index)
    assert all(order.index(best) < order.index(row) for best, group in groups.items() for row in group)
    assert len({texts[row] for row in groups}) == len(groups)
