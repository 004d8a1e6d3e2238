"""Messages of any length through the reader's graph, which takes 256 pieces at once.

A longer message is read in windows. Each repeats the beginning of the message, since that is what says whose words the
rest is ("translate this: ..."), and overlaps the one before, so that no statement is read without what surrounds it.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from recollect.errors import ReaderError
from recollect.model.readings import Need, Reading
from recollect.models.bundled import READER_FILE, READER_LABELS_FILE, READER_NAME, TOKENIZER_FILE
from recollect.models.decoding import PieceScores, ReaderLabels, find_spans, handed_over, statements
from recollect.models.runtime import ORT_ERRORS, VERSION, Graph
from recollect.models.word_pieces import BEGIN, END, load_word_pieces

WINDOW_PIECES: Final = 254
MOST_PIECES: Final = 4_000
MOST_CHARACTERS: Final = 40_000  # a text of more is pasted, however few its pieces: counting those of megabytes is slow
_HEAD_CHARACTERS: Final = 4_000
_REPEATED: Final = 60
_OVERLAP: Final = 20
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
        long = len(text) > MOST_CHARACTERS
        encoding = self._pieces.encode(text.lstrip()[:_HEAD_CHARACTERS] if long else text)
        ids = encoding.ids
        if not ids:
            return Reading(need=Need(1.0, 0.0, 0.0), pasted=long, reader=READER_NAME)
        first = self._run(ids[:WINDOW_PIECES])
        need = Need(*first["need"].tolist())
        if long or len(ids) > MOST_PIECES:
            return Reading(need=need, pasted=True, reader=READER_NAME)
        scores = PieceScores(**self._all_windows(ids, first), offsets=encoding.offsets)
        found = statements(find_spans(scores, text, self._labels), text)
        return Reading(found, handed_over(scores, text), need, reader=READER_NAME)

    def _all_windows(self, ids: Sequence[int], first: dict[str, Any]) -> dict[str, Any]:
        """Give the outputs for every piece; two windows that overlap share the pieces of both between them."""
        parts = {name: [first[name]] for name in _BY_PIECE}
        reached = WINDOW_PIECES
        while reached < len(ids):
            start = reached - _OVERLAP
            reached = start + WINDOW_PIECES - _REPEATED
            window = self._run([*ids[:_REPEATED], *ids[start:reached]])
            for name, arrays in parts.items():
                arrays[-1] = arrays[-1][: -_OVERLAP // 2]
                arrays.append(window[name][_REPEATED + _OVERLAP // 2 :])
        return {name: np.concatenate(arrays) for name, arrays in parts.items()}

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
