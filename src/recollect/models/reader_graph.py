"""Messages of any length through the reader's graph, and what the numbers that come out of it mean.

A long message is read in windows. Each begins with the last line of the message and with its first pieces, since one of
them says whose words the rest is ("translate this: ..."; the graph expects such words first), and overlaps the window
before, so that no statement is read without what surrounds it.

Tags are ordered as O, then B and I of each type; the one rule of a path is that I-x follows B-x or I-x.
"""

import json
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from recollect.errors import ReaderError
from recollect.model.calibration import SPAN_WEIGHTS, logit, probability
from recollect.model.literals import StatementType
from recollect.model.readings import NEED_NONE, NEEDS, Need, Reading, Statement, TextSpan
from recollect.models.bundled import READER_FILE, READER_LABELS_FILE, READER_NAME, TOKENIZER_FILE
from recollect.models.runtime import ORT_ERRORS, VERSION, Graph
from recollect.models.word_pieces import BEGIN, END, load_word_pieces

PieceNumbers = NDArray[np.float32]

# The graph takes 254, but what it has learned from was no longer than this: in more it loses sight of whose words it
# reads, and finds less.
WINDOW_PIECES: Final = 128
MOST_PIECES: Final = 4_000
MOST_CHARACTERS: Final = 40_000  # a text of more is pasted, however few its pieces: counting those of megabytes is slow
_END_CHARACTERS: Final = 4_000
_END_PIECES: Final = 60
_REPEATED: Final = 30
_MOST_CLOSING: Final = 30
_OVERLAP: Final = 20
_IMPOSSIBLE: Final = -100.0
_BY_PIECE: Final = ("tag", "key", "value", "handed", "who", "needs")
_BEFORE_PIECES: Final = 24  # of the turn before, its last: with more it finds no more, and takes longer
_BEFORE_CHARACTERS: Final = 400

HANDED_OVER: Final = 0.5
LEAST_LETTERS: Final = 5
LEAST_ANSWERED: Final = 1
_LONG_RUN: Final = 25
_PART_OF_IT: Final = 0.5
_LEAST_VALUE: Final = 0.2
_NEARLY_AS_PROBABLE: Final = 0.6
_MOST_PIECES_BETWEEN: Final = 2  # such as the quotation marks between two sentences of one pasted text
_TYPES: Final[Mapping[str, StatementType]] = {
    "fact": "fact",
    "pref": "preference",
    "decision": "decision",
    "event": "event",
    "rule": "rule",
}
_NO_KEY: Final = "-"
_FRAGMENT: Final = 14  # characters
_STOPS: Final = ".!?;"
# Plain short statements get low probabilities ("I'm allergic to cats"), but far higher ones than anything else: let the
# path take them, and the weights of the calibration judge.
_TAG_BIAS: Final = np.array([3.0, *[0.0] * (2 * len(_TYPES))], dtype=np.float32)


@dataclass(frozen=True, slots=True)
class ReaderLabels:
    """What the numbers stand for: types of statements and keys, in the order of the graph."""

    types: tuple[StatementType, ...]
    keys: tuple[str, ...]

    @classmethod
    def from_json(cls, labels: Mapping[str, Sequence[str]]) -> "ReaderLabels":
        """Take over the names that the model was trained with."""
        types = tuple(_TYPES[name] for name in labels["types"])
        return cls(types, tuple("" if name == _NO_KEY else name for name in labels["keys"]))


@dataclass(frozen=True, slots=True)
class PieceScores:
    """What the graph says about each piece of a text, and where the pieces are.

    `tag` holds log-probabilities, a column for each tag; `key` probabilities, a column for each key. The others are
    probabilities that a piece belongs to the value, is not the user's own words, names whom the statement is about, and
    cannot be understood without the turn before. `about` is whom or what that turn names as the one it asks about.
    """

    tag: PieceNumbers
    key: PieceNumbers
    value: PieceNumbers
    handed: PieceNumbers
    who: PieceNumbers
    needs: PieceNumbers
    offsets: Sequence[tuple[int, int]]
    about: str = ""


@dataclass(frozen=True, slots=True)
class SpanScores:
    """A span that the tags mark, and what the graph says about it.

    `start` and `end` are numbers of pieces, spans are characters. `inside_mean` is the mean probability of any type.
    The highest probability that a piece is not the user's own words is `handed_line` in the lines of the span,
    `handed_anywhere` in the text. `value_max` and `who_max` are the highest probabilities of a piece to belong to the
    value, or to whom it is about. `pieces` is the length of the text. `needs` is the mean probability that the span
    cannot be understood without the turn before.
    """

    type: StatementType
    start: int
    end: int
    span: TextSpan
    inside_mean: float
    handed_mean: float
    handed_line: float
    handed_anywhere: float
    pieces: int
    key: str
    key_probability: float
    value: TextSpan | None
    value_max: float
    who: TextSpan | None
    who_max: float
    needs: float


def find_spans(scores: PieceScores, text: str, labels: ReaderLabels) -> list[SpanScores]:
    """Give the spans of the best path over the tags, in order and disjoint."""
    path = best_path(scores.tag - _TAG_BIAS[: scores.tag.shape[1]])
    sure = np.exp(scores.tag)
    anywhere = float(scores.handed.max())
    starts = [start for start, _ in scores.offsets]
    begins = np.flatnonzero(path % 2 == 1)
    limits = np.append(np.flatnonzero((path % 2 == 1) | (path == 0)), len(path))
    ends = limits[np.searchsorted(limits, begins, side="right")]
    found: list[SpanScores] = []
    for start, end, begin in _joined(
        zip(begins.tolist(), ends.tolist(), path[begins].tolist(), strict=True), scores, text
    ):
        span = _characters(scores.offsets, start, end, text)
        span = TextSpan(max(span.start, found[-1].span.end if found else 0), span.end)
        if span.start >= span.end:
            continue
        keys = scores.key[start:end].mean(axis=0)
        key = int(keys.argmax())
        first, last = (bisect_left(starts, place) for place in _lines(text, span))
        found.append(
            SpanScores(
                type=labels.types[begin // 2],
                start=start,
                end=end,
                span=span,
                inside_mean=float(1 - sure[start:end, 0].mean()),
                handed_mean=float(scores.handed[start:end].mean()),
                handed_line=float(scores.handed[first : max(last, first + 1)].max()),
                handed_anywhere=anywhere,
                pieces=len(starts),
                key=labels.keys[key],
                key_probability=float(keys[key]),
                value=_strongest_part(scores.value[start:end], scores.offsets[start:end], text, span, _LEAST_VALUE),
                value_max=float(scores.value[start:end].max()),
                who=_strongest_part(scores.who[start:end], scores.offsets[start:end], text, span, _PART_OF_IT),
                who_max=float(scores.who[start:end].max()),
                needs=float(scores.needs[start:end].mean()),
            )
        )
    return found


def confidence(scores: SpanScores) -> float:
    """Give the probability that a span should be kept."""
    return 0.0 if scores.handed_mean >= HANDED_OVER else probability(SPAN_WEIGHTS, span_features(scores))


def span_features(scores: SpanScores) -> dict[str, float]:
    """Give what speaks for and against a span, as the numbers that are weighed."""
    return {
        "inside": logit(scores.inside_mean),
        "handed line": logit(scores.handed_line),
        "handed anywhere": logit(scores.handed_anywhere),
        "value": logit(scores.value_max),
        "key": scores.key_probability,
        "who": scores.who_max,
        "length": log(scores.end - scores.start),
        "pieces": log(scores.pieces),
        scores.type: 1.0,
        **({"answer": 1.0, "answer length": log(scores.end - scores.start)} if scores.needs >= NEEDS else {}),
    }


def statements(spans: Sequence[SpanScores], text: str, about: str = "") -> tuple[Statement, ...]:
    """Make statements of the spans that may be kept: the user's own words, and more than a fragment.

    Answers are about whom the turn before asks about.
    """
    return tuple(
        Statement(
            *(scores.type, scores.span, sure, scores.key, scores.value, scores.who),
            needs=round(scores.needs, 3),
            about=about if scores.needs >= NEEDS else "",
        )
        for scores in spans
        if (sure := confidence(scores)) > 0 and is_long_enough(scores, text)
    )


def is_long_enough(scores: SpanScores, text: str) -> bool:
    """Tell whether a span is more than a fragment; an answer to the turn before may be a name or a number."""
    letters = sum(map(str.isalnum if scores.needs >= NEEDS else str.isalpha, scores.span.of(text)))
    return letters >= (LEAST_ANSWERED if scores.needs >= NEEDS else LEAST_LETTERS)


def handed_over(scores: PieceScores, text: str) -> tuple[TextSpan, ...]:
    """Give the parts of a text that are not the user's own words."""
    merged: list[tuple[int, int]] = []
    for start, end in _runs(scores.handed >= HANDED_OVER):
        if merged and start - merged[-1][1] <= _MOST_PIECES_BETWEEN:
            merged[-1] = merged[-1][0], end
        else:
            merged.append((start, end))
    return tuple(_disjoint(_characters(scores.offsets, start, end, text) for start, end in merged))


def first_long_run(handed: PieceNumbers) -> int | None:
    """Give the piece with which a long run that is handed over begins. It is no mere quotation, but a pasted text."""
    return next((start for start, end in _runs(handed >= HANDED_OVER) if end - start >= _LONG_RUN), None)


def best_path(tag: PieceNumbers) -> NDArray[np.intp]:
    """Give the most probable tags that follow the rule, one for each piece."""
    path: NDArray[np.intp] = tag.argmax(axis=1)
    before = np.concatenate(([0], path[:-1]))
    inside = (path > 0) & (path % 2 == 0)
    if (~inside | (before == path) | (before == path - 1)).all():
        return path  # the most probable tags of all follow it already
    return np.array(_viterbi(tag.tolist()))


def _viterbi(rows: list[list[float]]) -> list[int]:
    """Find the best path. Plain lists: eleven numbers at a time are too few for numpy to pay."""
    begins = range(1, len(rows[0]), 2)
    totals = [-inf if tag and tag % 2 == 0 else number for tag, number in enumerate(rows[0])]
    back: list[list[int]] = []
    for row in rows[1:]:
        best = max(totals)
        at = totals.index(best)
        came, reached = [at], [best + row[0]]
        for begin in begins:
            inside = begin if totals[begin] >= totals[begin + 1] else begin + 1
            came += (at, inside)
            reached += (best + row[begin], totals[inside] + row[begin + 1])
        back.append(came)
        totals = reached
    path = [totals.index(max(totals))]
    for came in reversed(back):
        path.append(came[path[-1]])
    return path[::-1]


def _strongest_part(
    probabilities: PieceNumbers, offsets: Sequence[tuple[int, int]], text: str, within: TextSpan, least: float
) -> TextSpan | None:
    """Give the run of pieces around the one that most probably belongs to it, as whole words inside a span.

    A run goes as far as pieces are more than half as probable as the best; below `least` there is none.
    """
    best = float(probabilities.max())
    if best < least:
        return None
    runs = _runs(probabilities >= min(_PART_OF_IT, max(least, best * _NEARLY_AS_PROBABLE)))
    start, end = max(runs, key=lambda run: float(probabilities[run[0] : run[1]].max()))
    part = _characters(offsets, start, end, text)
    part = TextSpan(max(part.start, within.start), min(part.end, within.end))
    return part if part.start < part.end else None


def _asked_about(who: PieceNumbers, offsets: Sequence[tuple[int, int]], text: str) -> str:
    """Give whom or what the turn before names as the one it is about; empty when it names none."""
    if not len(who):
        return ""
    part = _strongest_part(who, offsets, text, TextSpan(0, len(text)), _PART_OF_IT)
    return part.of(text) if part else ""


def _runs(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    padded: NDArray[Any] = np.zeros(len(mask) + 2, np.int8)
    padded[1:-1] = mask
    edges = np.flatnonzero(np.diff(padded)).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def _joined(spans: Iterable[tuple[int, int, int]], scores: PieceScores, text: str) -> list[tuple[int, int, int]]:
    """Join what the tags tore apart: spans with nothing between them, and fragments after a comma.

    A span is its first piece, the one after its last, and the tag it begins with; of two, that of the longer one.
    """
    joined: list[tuple[int, int, int]] = []
    for start, stop, begin in spans:
        end = stop
        while end > start + 1 and not any(map(str.isalnum, text[slice(*scores.offsets[end - 1])])):
            end -= 1  # marks at its end do not belong to a span
        if joined:
            first, last, tag = joined[-1]
            between = text[scores.offsets[last - 1][1] : scores.offsets[start][0]].strip()
            lengths = [scores.offsets[b - 1][1] - scores.offsets[a][0] for a, b in ((first, last), (start, end))]
            if not between or (len(between) == 1 and between not in _STOPS and min(lengths) < _FRAGMENT):
                joined[-1] = first, end, tag if lengths[0] >= lengths[1] else begin
                continue
        joined.append((start, end, begin))
    return joined


def _lines(text: str, span: TextSpan) -> tuple[int, int]:
    """Give where the lines of a span begin and end."""
    end = text.find("\n", span.end)
    return text.rfind("\n", 0, span.start) + 1, len(text) if end < 0 else end


def _disjoint(spans: Iterator[TextSpan]) -> Iterator[TextSpan]:
    reached = 0
    for span in spans:
        if span.end > reached:
            yield TextSpan(max(span.start, reached), span.end)
            reached = span.end


def _characters(offsets: Sequence[tuple[int, int]], first: int, last: int, text: str) -> TextSpan:
    """Give where pieces are in a text, widened to whole words."""
    start, end = offsets[first][0], offsets[last - 1][1]
    while 0 < start < len(text) and _in_a_word(text[start - 1]) and _in_a_word(text[start]):
        start -= 1
    while 0 < end < len(text) and _in_a_word(text[end]) and _in_a_word(text[end - 1]):
        end += 1
    return TextSpan(start, end)


def _in_a_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")


class ReaderGraph:
    """A loaded reader. Any number of threads may share one."""

    def __init__(self, folder: Path, *, threads: int) -> None:
        """Load the files, which must have been checked before."""
        self._labels = ReaderLabels.from_json(json.loads((folder / READER_LABELS_FILE).read_bytes()))
        self._pieces = load_word_pieces(folder / TOKENIZER_FILE)
        path = folder / READER_FILE
        try:
            self._graph = Graph(path, threads=threads)
        except ORT_ERRORS as error:
            raise ReaderError(f"onnxruntime {VERSION} cannot load the reader {path}: {error}") from error

    def read(self, text: str, before: str = "") -> Reading:
        """Read a message after the turn before it. Both must be valid Unicode."""
        if len(text) > MOST_CHARACTERS:
            text = text.strip()
            ends = (self._pieces.encode(text[:_END_CHARACTERS]).ids, self._pieces.encode(text[-_END_CHARACTERS:]).ids)
            return Reading(need=self._need_of_ends(*ends), pasted=True, reader=READER_NAME)
        encoding = self._pieces.encode(text)
        ids = encoding.ids
        if len(ids) > MOST_PIECES:
            return Reading(need=self._need_of_ends(ids, ids), pasted=True, reader=READER_NAME)
        if not ids:
            return Reading(need=NEED_NONE, reader=READER_NAME)
        scores, need = self.score(text, ids, encoding.offsets, before)
        found = statements(self.spans(scores, text), text, scores.about)
        return Reading(found, handed_over(scores, text), need, reader=READER_NAME)

    def score(
        self, text: str, ids: Sequence[int], offsets: Sequence[tuple[int, int]], before: str = ""
    ) -> tuple[PieceScores, Need]:
        """Give what the graph says about each piece of a message, and about its need of memory.

        A message that is read in windows says enough without the turn before.
        """
        if len(ids) > WINDOW_PIECES:
            need = self._need_of_ends(ids, ids)
            outputs = self._read_in_windows(ids, _closing_line(text, offsets))
        else:
            end = before[-_BEFORE_CHARACTERS:]
            asked = self._pieces.encode(end)
            outputs = self._run(ids, asked.ids[-_BEFORE_PIECES:])
            need = Need(*outputs.pop("need").tolist())
            outputs["about"] = _asked_about(outputs.pop("asked"), asked.offsets[-_BEFORE_PIECES:], end)
        return PieceScores(**outputs, offsets=offsets), need

    def spans(self, scores: PieceScores, text: str) -> list[SpanScores]:
        """Give the spans of a message that the tags mark."""
        return find_spans(scores, text, self._labels)

    def _need_of_ends(self, beginning: Sequence[int], ending: Sequence[int]) -> Need:
        """Judge a long message by its two ends: a question stands before or after what it is about."""
        ids = [*beginning[:_END_PIECES], *ending[-_END_PIECES:]]
        return Need(*self._run(ids)["need"].tolist()) if ids else NEED_NONE

    def _read_in_windows(self, ids: Sequence[int], end: int) -> dict[str, Any]:
        """Give the outputs for every piece. The closing line begins at `end`.

        What follows a long run that is handed over is handed over as well, up to the closing line, and is not read.
        """
        closing = ids[end:]
        found = self._all_handed_over(len(ids))
        reached, handed = 0, None
        while reached < end and handed is None:
            start = max(0, reached - _OVERLAP)
            context = [*closing, *ids[: _REPEATED if start else 0]]
            known = start + _OVERLAP // 2 if start else 0  # each of two windows gives the half it knows more about
            reached = min(end, start + WINDOW_PIECES - len(context))
            window = self._run([*context, *ids[start:reached]])
            for name, array in found.items():
                array[known:reached] = window[name][len(context) + known - start :]
            handed = first_long_run(found["handed"][:reached])
        if handed is not None:
            found["handed"][handed:end] = 1.0
        if closing:
            window = self._run([*ids[:_REPEATED], *closing])
            for name, array in found.items():
                array[end:] = window[name][-len(closing) :]
        return found

    def _all_handed_over(self, pieces: int) -> dict[str, Any]:
        """Give the outputs for a text that says nothing of the user's own."""
        tag = np.full((pieces, 1 + 2 * len(self._labels.types)), _IMPOSSIBLE, np.float32)
        tag[:, 0] = 0.0
        found = {name: np.zeros(pieces, np.float32) for name in ("value", "who", "needs")}
        key = np.zeros((pieces, len(self._labels.keys)), np.float32)
        return found | {"tag": tag, "key": key, "handed": np.ones(pieces, np.float32)}

    def _run(self, ids: Sequence[int], before: Sequence[int] = ()) -> dict[str, Any]:
        """Give the outputs for the pieces of one window after the turn before, without the marks around them."""
        opening = [BEGIN, *before, END] if before else [BEGIN]
        try:
            found = self._graph.run([[*opening, *ids, END]])
        except ORT_ERRORS as error:
            raise ReaderError(f"The local reader failed on {len(ids)} word pieces: {error}") from error
        if not all(np.isfinite(array).all() for array in found.values()):
            raise ReaderError(
                "The local reader gave numbers that are not finite. "
                "Please report this with your processor's name and the version of onnxruntime."
            )
        by_piece = {name: found[name][0, len(opening) : -1] for name in _BY_PIECE}
        return by_piece | {"need": found["need"][0], "asked": found["who"][0, 1 : 1 + len(before)]}


def _closing_line(text: str, offsets: Sequence[tuple[int, int]]) -> int:
    """Give the number of the piece that a short last line begins with; that of all pieces when there is none."""
    line = text.rstrip().rfind("\n")
    first = bisect_right(offsets, line, key=itemgetter(0))
    return first if line >= 0 and len(offsets) - first <= _MOST_CLOSING else len(offsets)
