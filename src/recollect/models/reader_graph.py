"""Messages of any length through the reader's graph.

A long message is read in windows. Each begins with the last line of the message and with its first pieces, since one of
them says whose words the rest is ("translate this: ..."; the graph expects such words first), and overlaps the window
before, so that no statement is read without what surrounds it.
"""

import json
from bisect import bisect_right
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import numpy as np

from recollect.errors import ReaderError
from recollect.model.readings import NEED_NONE, Need, Reading
from recollect.models.bundled import READER_FILE, READER_LABELS_FILE, READER_NAME, TOKENIZER_FILE
from recollect.models.decoding import (
    PieceScores,
    ReaderLabels,
    SpanScores,
    find_spans,
    first_long_run,
    handed_over,
    statements,
)
from recollect.models.runtime import ORT_ERRORS, VERSION, Graph
from recollect.models.word_pieces import BEGIN, END, load_word_pieces

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
_BY_PIECE: Final = ("tag", "key", "value", "handed", "who")


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

    def read(self, text: str) -> Reading:
        """Read a message, which must be valid Unicode."""
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
        scores, need = self.score(text, ids, encoding.offsets)
        found = statements(self.spans(scores, text), text)
        return Reading(found, handed_over(scores, text), need, reader=READER_NAME)

    def score(self, text: str, ids: Sequence[int], offsets: Sequence[tuple[int, int]]) -> tuple[PieceScores, Need]:
        """Give what the graph says about each piece of a message, and about its need of memory."""
        if len(ids) > WINDOW_PIECES:
            need = self._need_of_ends(ids, ids)
            outputs = self._read_in_windows(ids, _closing_line(text, offsets))
        else:
            outputs = self._run(ids)
            need = Need(*outputs.pop("need").tolist())
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
        found = {name: np.zeros(pieces, np.float32) for name in ("value", "who")}
        key = np.zeros((pieces, len(self._labels.keys)), np.float32)
        return found | {"tag": tag, "key": key, "handed": np.ones(pieces, np.float32)}

    def _run(self, ids: Sequence[int]) -> dict[str, Any]:
        """Give the outputs for the pieces of one window, without the marks around them."""
        try:
            found = self._graph.run([[BEGIN, *ids, END]])
        except ORT_ERRORS as error:
            raise ReaderError(f"The local reader failed on {len(ids)} word pieces: {error}") from error
        if not all(np.isfinite(array).all() for array in found.values()):
            raise ReaderError(
                "The local reader gave numbers that are not finite. "
                "Please report this with your processor's name and the version of onnxruntime."
            )
        return {name: found[name][0, 1:-1] for name in _BY_PIECE} | {"need": found["need"][0]}


def _closing_line(text: str, offsets: Sequence[tuple[int, int]]) -> int:
    """Give the number of the piece that a short last line begins with; that of all pieces when there is none."""
    line = text.rstrip().rfind("\n")
    first = bisect_right(offsets, line, key=itemgetter(0))
    return first if line >= 0 and len(offsets) - first <= _MOST_CLOSING else len(offsets)
