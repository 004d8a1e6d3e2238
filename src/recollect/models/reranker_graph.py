"""Question and text through the reranker's graph, one text at a time, within a budget of processor time.

One by one, because a batch would have to be padded: that changes scores, and computing the padding takes time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from threading import Lock
from time import perf_counter, thread_time
from typing import Final

from recollect.errors import RerankerError
from recollect.models.bundled import RERANKER_FILE, TOKENIZER_FILE
from recollect.models.runtime import ORT_ERRORS, VERSION, Graph
from recollect.models.word_pieces import BEGIN, END, load_word_pieces
from recollect.ports import RerankText

_FIRST_GUESS_S: Final = 1 / 1_500  # for a piece, until this machine has been measured
_LATEST: Final = 0.3  # how much the latest measurement counts
_RESERVE: Final = 1.2  # a text is not begun unless the time is enough for so many times its expected cost
_PATIENCE: Final = 4  # on a busy machine the budget may take so many times as long by the clock
_CHARACTERS_PER_PIECE: Final = 40  # no more of a text is cut into pieces: megabytes would take seconds


@dataclass(frozen=True, slots=True)
class PieceLimits:
    """How many word pieces of each part the graph is given.

    It has learned from texts of up to 220. Long ones lose nothing by the cut to what resembles the question, and more
    of them fit a time budget.
    """

    question: int = 60
    previous: int = 40
    text: int = 96


class RerankerGraph:
    """A loaded reranker. Any number of threads may share one."""

    def __init__(
        self, folder: Path, *, threads: int, limits: PieceLimits, clock: Callable[[], float] = thread_time
    ) -> None:
        """Load the files, which must have been checked before."""
        self._pieces = load_word_pieces(folder / TOKENIZER_FILE)
        self._limits = limits
        self._clock = clock
        self._lock = Lock()
        self._piece_s = _FIRST_GUESS_S
        path = folder / RERANKER_FILE
        try:
            self._graph = Graph(path, threads=threads)
        except ORT_ERRORS as error:
            raise RerankerError(f"onnxruntime {VERSION} cannot load the reranker {path}: {error}") from error

    def score(self, question: str, texts: Sequence[RerankText], budget_s: float | None) -> list[float]:
        """Score the first texts, as many as can be expected to be done within so much processor time."""
        budget = inf if budget_s is None else budget_s
        scores: list[float] = []
        begun, latest = self._clock(), perf_counter() + _PATIENCE * budget
        for text in texts:
            ids = self.input_ids(question, text)
            started = self._clock()
            expected = _RESERVE * self._piece_s * len(ids)
            if started - begun + expected > budget or perf_counter() + expected > latest:
                if not scores:
                    self._learn(0.0)  # what was slow once is tried again soon
                break
            scores.append(self._run(ids))
            self._learn((self._clock() - started) / len(ids))
        return scores

    def input_ids(self, question: str, text: RerankText) -> list[int]:
        """Give the pieces of the question, of the turn before the text if there is one, and of the text."""
        asked = self._cut(question, self._limits.question)
        previous = self._cut(text.previous, self._limits.previous)
        context = [*previous, END] if previous else []
        return [BEGIN, *asked, END, *context, *self._window(text.text, set(asked), self._limits.text), END]

    def _cut(self, text: str, most: int) -> list[int]:
        return self._encode(text, most * _CHARACTERS_PER_PIECE)[:most]

    def _window(self, text: str, asked: set[int], most: int) -> list[int]:
        """Give the part of a text with the most pieces of the question in it; the first of several."""
        ids = self._encode(text, 4 * most * _CHARACTERS_PER_PIECE)
        if len(ids) <= most:
            return ids
        found = sum(piece in asked for piece in ids[:most])
        best, start = found, 0
        for end in range(most, len(ids)):
            found += (ids[end] in asked) - (ids[end - most] in asked)
            if found > best:
                best, start = found, end - most + 1
        return ids[start : start + most]

    def _encode(self, text: str, most_characters: int) -> list[int]:
        """Cut the beginning of a text into pieces. Half a character, which UTF-8 cannot say, becomes `?`."""
        beginning = text[:most_characters].encode("utf-8", "replace").decode()
        return list(self._pieces.encode(beginning).ids)

    def _run(self, ids: Sequence[int]) -> float:
        try:
            score = float(self._graph.run([ids])["score"][0])
        except ORT_ERRORS as error:
            raise RerankerError(f"The local reranker failed on {len(ids)} word pieces: {error}") from error
        if not isfinite(score):
            raise RerankerError(
                "The local reranker gave a score that is not finite. "
                "Please report this with your processor's name and the version of onnxruntime."
            )
        return score

    def _learn(self, piece_s: float) -> None:
        with self._lock:
            self._piece_s += _LATEST * (piece_s - self._piece_s)
