"""Numbers turned into spans: the best path, whole words, values, and what counts as handed over."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.model.readings import TextSpan
from recollect.models.decoding import (
    Floats,
    PieceScores,
    ReaderLabels,
    best_path,
    confidence,
    find_spans,
    first_long_run,
    handed_over,
    statements,
)

LABELS = ReaderLabels.from_json({"types": ["fact", "pref"], "keys": ["-", "home", "child"]})
TAGS = ("O", "B-fact", "I-fact", "B-pref", "I-pref")
TEXT = "hello, I live in Brno, and I love tea"
PIECES = ("hello", ",", "I", "live", "in", "Br", "no", ",", "and", "I", "love", "te", "a")


def offsets(text: str, pieces: tuple[str, ...]) -> list[tuple[int, int]]:
    found, reached = [], 0
    for piece in pieces:
        start = text.index(piece, reached)
        reached = start + len(piece)
        found.append((start, reached))
    return found


def scores(tags: str, *, sure: float = 0.9, **marked: dict[int, float]) -> PieceScores:
    """Give scores for TEXT: a tag for each piece, and probabilities of single pieces."""
    chosen = [TAGS.index(tag) for tag in tags.split()]
    rest = (1 - sure) / (len(TAGS) - 1)
    tag = np.full((len(chosen), len(TAGS)), np.log(rest), np.float32)
    tag[np.arange(len(chosen)), chosen] = np.log(sure)
    key = np.tile(np.array([0.2, 0.7, 0.1], np.float32), (len(chosen), 1))
    single = {name: np.zeros(len(chosen), np.float32) for name in ("value", "handed", "who")}
    for name, places in marked.items():
        for place, probability in places.items():
            single[name][place] = probability
    return PieceScores(tag=tag, key=key, offsets=offsets(TEXT, PIECES), **single)


OWN = "O O B-fact I-fact I-fact I-fact O O O B-pref I-pref I-pref O"


def test_spans_are_widened_to_whole_words() -> None:
    first, second = find_spans(scores(OWN), TEXT, LABELS)
    assert (first.type, first.span.of(TEXT), first.start, first.end) == ("fact", "I live in Brno", 2, 6)
    assert (second.type, second.span.of(TEXT), second.start, second.end) == ("preference", "I love tea", 9, 12)
    assert first.key == "home"
    numbers = (first.key_probability, first.tag_mean, first.tag_min, first.handed_mean)
    assert numbers == pytest.approx((0.7, 0.9, 0.9, 0))


def test_a_key_of_none_is_empty() -> None:
    numbers = scores(OWN)
    numbers.key[:, 0] = 1.0
    assert [span.key for span in find_spans(numbers, TEXT, LABELS)] == ["", ""]


def test_the_value_is_the_strongest_run_as_whole_words() -> None:
    numbers = scores(OWN, value={2: 0.95, 4: 0.51, 5: 0.6}, who={11: 0.8, 12: 0.9})
    first, second = find_spans(numbers, TEXT, LABELS)
    assert first.value == TextSpan(TEXT.index("in Brno"), TEXT.index("in Brno") + 7)
    assert first.who is None
    assert (first.value_max, first.who_max) == pytest.approx((0.95, 0))
    assert (second.who and second.who.of(TEXT), second.value) == ("tea", None)


def test_spans_that_meet_inside_a_word_stay_apart() -> None:
    tags = "O O B-fact I-fact I-fact I-fact B-pref I-pref I-pref O O B-fact B-fact"
    spans = [span.span.of(TEXT) for span in find_spans(scores(tags), TEXT, LABELS)]
    assert spans == ["I live in Brno", ", and", "tea"]


def test_a_span_of_pieces_that_are_handed_over_is_no_statement() -> None:
    numbers = scores(OWN, handed=dict.fromkeys(range(2, 5), 0.9))
    spans = find_spans(numbers, TEXT, LABELS)
    assert [confidence(span) for span in spans] == [0.0, pytest.approx(0.9)]
    assert [found.span.of(TEXT) for found in statements(spans, TEXT)] == ["I love tea"]


def test_a_fragment_is_no_statement() -> None:
    tags = "B-fact O O O O O O O O B-pref I-pref O O"
    spans = find_spans(scores(tags), TEXT, LABELS)
    assert [span.span.of(TEXT) for span in spans] == ["hello", "I love"]
    assert statements(spans, TEXT) == ()


def test_what_is_handed_over_is_merged_over_small_gaps() -> None:
    numbers = scores(OWN, handed={0: 0.9, 2: 0.6, 5: 0.5, 6: 0.5, 10: 0.9, 11: 0.7})
    assert [span.of(TEXT) for span in handed_over(numbers, TEXT)] == ["hello, I live in Brno", "love tea"]


@pytest.mark.parametrize(("length", "begins"), [(24, None), (25, 40), (60, 40)])
def test_a_long_run_is_pasted_text(length: int, begins: int | None) -> None:
    handed = np.zeros(120, np.float32)
    handed[3:20] = 0.9
    handed[40 : 40 + length] = 0.9
    assert first_long_run(handed) == begins


def every_path(tag: Floats) -> tuple[int, ...]:
    """Try all paths that follow the rule."""
    allowed = (
        path
        for path in product(range(tag.shape[1]), repeat=len(tag))
        if all(now in {0, 1, 3} or before in {now, now - 1} for before, now in zip((0, *path), path, strict=False))
    )
    return max(allowed, key=lambda path: float(tag[np.arange(len(path)), path].sum()))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), length=st.integers(1, 5))
def test_the_best_path_is_the_best_of_all_that_follow_the_rule(seed: int, length: int) -> None:
    tag = np.random.default_rng(seed).normal(size=(length, 5)).astype(np.float32)
    assert tuple(best_path(tag)) == every_path(tag)
