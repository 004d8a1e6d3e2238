"""Numbers turned into spans: the best path, whole words, values, and what counts as handed over."""

from dataclasses import replace
from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.model.calibration import SPAN_WEIGHTS
from recollect.model.readings import TextSpan
from recollect.models.reader_graph import (
    PieceNumbers,
    PieceScores,
    ReaderLabels,
    best_path,
    confidence,
    find_spans,
    first_long_run,
    handed_over,
    span_features,
    statements,
)
from tests.rows import every

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


def scores(tags: str, *, sure: float = 0.9, text: str = TEXT, **marked: dict[int, float]) -> PieceScores:
    """Give scores for a text of PIECES: a tag for each piece, and probabilities of single pieces."""
    chosen = [TAGS.index(tag) for tag in tags.split()]
    rest = (1 - sure) / (len(TAGS) - 1)
    tag = np.full((len(chosen), len(TAGS)), np.log(rest), np.float32)
    tag[np.arange(len(chosen)), chosen] = np.log(sure)
    key = np.tile(np.array([0.2, 0.7, 0.1], np.float32), (len(chosen), 1))
    single = {name: np.zeros(len(chosen), np.float32) for name in ("value", "handed", "who", "needs")}
    for name, places in marked.items():
        for place, probability in places.items():
            single[name][place] = probability
    return PieceScores(
        *(tag, key, single["value"], single["handed"], single["who"], single["needs"]), offsets(text, PIECES)
    )


OWN = "O O B-fact I-fact I-fact I-fact O O O B-pref I-pref I-pref O"


def test_spans_are_widened_to_whole_words() -> None:
    first, second = find_spans(scores(OWN), TEXT, LABELS)
    assert (first.type, first.span.of(TEXT), first.start, first.end) == ("fact", "I live in Brno", 2, 6)
    assert (second.type, second.span.of(TEXT), second.start, second.end) == ("preference", "I love tea", 9, 12)
    assert first.key == "home"
    numbers = (first.key_probability, first.inside_mean, first.handed_mean, first.pieces)
    assert numbers == pytest.approx((0.7, 0.975, 0, 13))


def test_a_key_of_none_is_empty() -> None:
    numbers = scores(OWN)
    numbers.key[:, 0] = 1.0
    assert [span.key for span in find_spans(numbers, TEXT, LABELS)] == ["", ""]


def test_the_value_is_the_run_around_its_strongest_piece_as_whole_words() -> None:
    numbers = scores(OWN, value={2: 0.45, 4: 0.51, 5: 0.6}, who={11: 0.8, 12: 0.9})
    first, second = find_spans(numbers, TEXT, LABELS)
    assert first.value == TextSpan(TEXT.index("in Brno"), TEXT.index("in Brno") + 7)
    assert first.who is None
    assert (first.value_max, first.who_max) == pytest.approx((0.6, 0))
    assert (second.who and second.who.of(TEXT), second.value) == ("tea", None)


def test_spans_with_nothing_between_them_are_one_of_the_longer_ones_type() -> None:
    tags = "O O B-fact I-fact B-pref I-pref I-pref O O B-pref I-pref B-fact O"
    assert [(span.type, span.span.of(TEXT)) for span in find_spans(scores(tags), TEXT, LABELS)] == [
        ("preference", "I live in Brno"),
        ("preference", "I love tea"),
    ]


def test_a_fragment_is_joined_over_a_comma_and_two_statements_are_not() -> None:
    tags = "B-fact O B-fact I-fact I-fact I-fact I-fact O B-pref I-pref I-pref I-pref I-pref"
    spans = find_spans(scores(tags), TEXT, LABELS)
    assert [span.span.of(TEXT) for span in spans] == ["hello, I live in Brno", "and I love tea"]


def test_spans_that_meet_inside_a_word_do_not_overlap() -> None:
    text = "hello, I live in Brno, and I lovetea"
    tags = "O O O O O O O O B-pref I-pref I-pref O B-fact"
    assert [span.span.of(text) for span in find_spans(scores(tags, text=text), text, LABELS)] == ["and I lovetea"]


def test_a_plain_statement_is_taken_though_the_tags_doubt_it() -> None:
    numbers = scores("O O O O O O O O O O O O O")
    fact = (range(2, 7), [TAGS.index(tag) for tag in ("B-fact", *["I-fact"] * 4)])
    numbers.tag[fact] = log(0.06)
    (span,) = find_spans(numbers, TEXT, LABELS)
    assert span.span.of(TEXT) == "I live in Brno"
    assert span.inside_mean == pytest.approx(0.1, abs=1e-6)
    numbers.tag[fact] = log(0.04)  # less than a twentieth of what speaks for no statement
    assert find_spans(numbers, TEXT, LABELS) == []


def test_what_is_handed_over_is_told_of_the_line_and_of_the_whole_text() -> None:
    text = TEXT.replace(", and", ",\nand")
    first, second = find_spans(scores(OWN, text=text, handed={0: 0.3, 8: 0.8}), text, LABELS)
    assert (first.handed_mean, first.handed_line, first.handed_anywhere) == pytest.approx((0, 0.3, 0.8))
    assert (second.handed_mean, second.handed_line, second.handed_anywhere) == pytest.approx((0, 0.8, 0.8))


def test_a_span_of_pieces_that_are_handed_over_is_no_statement() -> None:
    numbers = scores(OWN, handed=dict.fromkeys(range(2, 5), 0.9))
    first, second = find_spans(numbers, TEXT, LABELS)
    assert confidence(first) == 0.0
    assert 0 < confidence(second) < 1
    assert [found.span.of(TEXT) for found in statements([first, second], TEXT)] == ["I love tea"]


def test_the_confidence_of_a_span_is_its_features_weighed() -> None:
    span, _ = find_spans(scores(OWN, value={5: 0.9}, who={2: 0.25}), TEXT, LABELS)
    odds = {"inside": log(0.975 / 0.025), "value": log(9), "handed line": log(1 / 999), "handed anywhere": log(1 / 999)}
    plain = {"key": 0.7, "who": 0.25, "length": log(4), "pieces": log(13), "fact": 1.0}
    assert span_features(span) == pytest.approx(odds | plain, abs=1e-4)
    total = SPAN_WEIGHTS["constant"] + sum(
        SPAN_WEIGHTS.get(name, 0) * number for name, number in span_features(span).items()
    )
    assert confidence(span) == pytest.approx(1 / (1 + exp(-total)))
    assert [found.confidence for found in statements([span], TEXT)] == [confidence(span)]


def test_a_span_is_surer_the_more_it_is_a_statement_and_the_less_its_line_is_handed_over() -> None:
    span, _ = find_spans(scores(OWN), TEXT, LABELS)
    assert confidence(replace(span, inside_mean=0.5)) < confidence(replace(span, inside_mean=0.9))
    assert confidence(replace(span, handed_line=0.9)) < confidence(replace(span, handed_line=0.1))
    assert confidence(replace(span, value_max=0.0)) < confidence(replace(span, value_max=1.0))


def test_a_fragment_is_no_statement() -> None:
    tags = "O O B-fact O O O O O O B-pref I-pref O O"
    spans = find_spans(scores(tags), TEXT, LABELS)
    assert [span.span.of(TEXT) for span in spans] == ["I", "I love"]
    assert [found.span.of(TEXT) for found in statements(spans, TEXT)] == ["I love"]


def test_what_is_handed_over_is_merged_over_small_gaps() -> None:
    numbers = scores(OWN, handed={0: 0.9, 2: 0.6, 5: 0.5, 6: 0.5, 10: 0.9, 11: 0.7})
    assert [span.of(TEXT) for span in handed_over(numbers, TEXT)] == ["hello, I live in Brno", "love tea"]


@every(("length", "begins"), [(24, None), (25, 40), (60, 40)])
def test_a_long_run_is_pasted_text(length: int, begins: int | None) -> None:
    handed = np.zeros(120, np.float32)
    handed[3:20] = 0.9
    handed[40 : 40 + length] = 0.9
    assert first_long_run(handed) == begins


def every_path(tag: PieceNumbers) -> tuple[int, ...]:
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
