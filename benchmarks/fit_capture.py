"""Fits the weights of `recollect.model.calibration` to labelled messages, and prints them with what they reach.

    python -m benchmarks.fit_capture PATH...

A PATH is a file of labelled messages, or a folder of them; some are replies, with the turn before them. A message that
teaches nothing weighs threefold: to believe what was never said is worse than to miss something. The project's own
lines (`data/lines`) say what short plain messages look like; each weighs a tenth. Figures are of a cross-validation in
five parts, so that no message is judged by weights that have seen it.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.labelled_messages import LINES, CaptureScore, LabelledMessage, load_lines, load_messages, says
from recollect.model.readings import Captured, Statement, TextSpan
from recollect.models.bundled import FOLDER, TOKENIZER_FILE
from recollect.models.reader_graph import HANDED_OVER, ReaderGraph, SpanScores, handed_over, span_features
from recollect.models.word_pieces import load_word_pieces
from recollect.text.capture.capturing import statement_features
from recollect.text.capture.contents import content_span, has_content
from recollect.text.capture.own_words import OwnWords
from recollect.text.capture.replies import AnsweredQuestion, asked_in

Numbers = NDArray[np.float64]
PARTS = 5
SILENT_WEIGHT = 2.5
LINE_WEIGHT = 0.1
REGULARIZATION = 0.02


class Candidate(NamedTuple):
    """A span of a message that could be kept."""

    message: int
    content: str
    right: bool
    span: Mapping[str, float]
    around: Mapping[str, float]


def candidates(graph: ReaderGraph, messages: Sequence[LabelledMessage]) -> list[Candidate]:
    """Give every span of every message with its features."""
    pieces = load_word_pieces(FOLDER / TOKENIZER_FILE)
    found: list[Candidate] = []
    for number, message in enumerate(messages):
        encoding = pieces.encode(message.text)
        scores, _ = graph.score(message.text, encoding.ids, encoding.offsets, asked_in(message.before))
        layout = OwnWords.of(message.text, handed_over(scores, message.text))
        spans = [
            span
            for span in graph.spans(scores, message.text)
            if span.handed_mean < HANDED_OVER and not layout.is_foreign(span.span)
        ]
        for place, span in enumerate(spans):
            low = spans[place - 1].span.end if place else 0
            high = spans[place + 1].span.start if place + 1 < len(spans) else len(message.text)
            statement = _statement(span)
            content = content_span(layout, statement, low, high)
            answered = AnsweredQuestion.of(message.before, layout, statement, content, low)
            said = answered.said if answered else content.of(message.text)
            if answered or has_content(said):
                right = any(says(said, fact) for fact in message.facts)
                around = statement_features(layout, statement, content, answered)
                found.append(Candidate(number, said, right, span_features(span), around))
    return found


def line_candidates(graph: ReaderGraph) -> list[Candidate]:
    """Give the spans of the lines that teach something, as right, and of those that teach nothing, as wrong.

    The lines call what happens once no memory, other than the messages: their events are left out.
    """
    lines = load_lines(LINES, "tuned")
    found = candidates(graph, lines)
    return [
        candidate._replace(right=bool(lines[candidate.message].facts))
        for candidate in found
        if lines[candidate.message].facts or "event" not in candidate.span
    ]


def _statement(span: SpanScores) -> Statement:
    return Statement(span.type, span.span, 0.5, span.key, span.value, span.who, needs=span.needs)


def fit(rows: Numbers, right: Numbers, weights: Numbers) -> Numbers:
    """Fit a logistic regression by Newton's method; the constant is in the first column."""
    scale = rows.std(axis=0) + 1e-9
    scale[0] = 1
    scaled = rows / scale
    found = np.zeros(rows.shape[1])
    penalty = np.eye(rows.shape[1]) * REGULARIZATION * len(rows) / 10
    penalty[0, 0] = 0
    for _ in range(30):
        sure = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (weights * (sure - right)) + penalty @ found
        found -= np.linalg.solve((scaled.T * (weights * sure * (1 - sure))) @ scaled + penalty, slope)
    unscaled: Numbers = found / scale
    return unscaled


def table(features: Sequence[Mapping[str, float]]) -> tuple[list[str], Numbers]:
    """Give the names of the features and a row for each, after a constant."""
    names = list(dict.fromkeys(name for row in features for name in row if name != "fact"))
    return ["constant", *names], np.array([[1.0, *(row.get(name, 0.0) for name in names)] for row in features])


def logit(share: Numbers) -> Numbers:
    """Give the logarithm of the odds."""
    bounded = np.clip(share, 1e-3, 1 - 1e-3)
    odds: Numbers = np.log(bounded / (1 - bounded))
    return odds


def both_stages(
    first: Numbers, second: Numbers, right: Numbers, weights: Numbers, chosen: Numbers
) -> tuple[Numbers, Numbers]:
    """Fit the reader's confidence, then that of capture on top of it."""
    stage_one = fit(first[chosen], right[chosen], weights[chosen])
    second = second.copy()
    second[:, 1] = logit(1 / (1 + np.exp(-first @ stage_one)))
    return stage_one, fit(second[chosen], right[chosen], weights[chosen])


def main() -> None:
    """Fit, print what thresholds reach, and print the weights."""
    messages = [message for path in sys.argv[1:] for message in load_messages(Path(path))]
    graph = ReaderGraph(FOLDER, threads=1)
    found, lines = candidates(graph, messages), line_candidates(graph)
    names, first = table([candidate.span for candidate in (*found, *lines)])
    around_names, second = table([candidate.around for candidate in (*found, *lines)])
    assert around_names[1] == "certainty"  # noqa: S101 - the column that the first stage fills
    right = np.array([float(candidate.right) for candidate in (*found, *lines)])
    silent = [SILENT_WEIGHT if not messages[candidate.message].facts else 1.0 for candidate in found]
    weights = np.array([*silent, *[LINE_WEIGHT] * len(lines)])
    drawn = np.random.default_rng(0)
    parts = drawn.integers(0, PARTS, len(messages))[[candidate.message for candidate in found]]
    part = np.concatenate([parts, drawn.integers(0, PARTS, len(lines))])
    sure = np.zeros(len(part))
    for number in range(PARTS):
        one, two = both_stages(first, second, right, weights, part != number)
        rows = second.copy()
        rows[:, 1] = logit(1 / (1 + np.exp(-first @ one)))
        sure[part == number] = (1 / (1 + np.exp(-rows @ two)))[part == number]
    for threshold in np.arange(0.45, 0.75, 0.025):
        for name, replies in (("alone", False), ("replies", True)):
            counted = _score(messages, found, sure[: len(found)] >= threshold, replies=replies)
            print(f"{threshold:.3f}  {name:7}  {counted.line}")
    one, two = both_stages(first, second, right, weights, np.ones(len(part), dtype=bool))
    for name, labels, numbers in (("SPAN_WEIGHTS", names, one), ("STATEMENT_WEIGHTS", around_names, two)):
        print(f"{name} = {{")
        print("".join(f'    "{label}": {number:.3f},\n' for label, number in zip(labels, numbers, strict=True)) + "}")


def _score(
    messages: Sequence[LabelledMessage],
    found: Sequence[Candidate],
    kept: Any,  # noqa: ANN401
    *,
    replies: bool,
) -> CaptureScore:
    by_message: list[list[Captured]] = [[] for _ in messages]
    for candidate, keep in zip(found, kept, strict=True):
        if keep:
            by_message[candidate.message].append(Captured(candidate.content, "fact", span=TextSpan(0, 0)))
    counted = CaptureScore()
    for message, memories in zip(messages, by_message, strict=True):
        if bool(message.before) == replies:
            counted.add(message, memories)
    return counted


if __name__ == "__main__":
    main()
