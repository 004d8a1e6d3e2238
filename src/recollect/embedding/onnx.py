"""Runs the encoder: word pieces in, vectors out.

Importing it is slow, so only `LocalEmbedder` does, when the first text arrives.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np

from recollect.errors import EmbeddingError
from recollect.model.memories import Vector
from recollect.models.runtime import ORT_ERRORS, VERSION, Graph
from recollect.models.word_pieces import BEGIN, END, load_word_pieces

DIMENSIONS: Final = 384
MAX_PIECES: Final = 256
# More pieces at once than this made nothing faster, and long texts slower; it also bounds the memory of a batch.
BATCH_PIECES: Final = 512
_MANY: Final = 4  # batches for each thread, from which it pays to open the graph once more
# Pairs of texts of as many pieces as it takes for the paths of a single text and of a batch to differ, where they do:
# processors compute four or eight rows at once, and what is left over in another way.
_PROBES: Final = tuple((range(1_000, 1_000 + length), range(2_000, 2_000 + length)) for length in (5, 12))


class Encoder:
    """A loaded model with its tokenizer. Both may be used from several threads at once."""

    def __init__(
        self, graph: Path, vocabulary: Path, *, words: Path, threads: int, batch_size: int, entries: Mapping[str, str]
    ) -> None:
        """Load the files, which must have been checked before; `words` may be missing where the graph has its own."""
        self._pieces = load_word_pieces(vocabulary)
        self._path, self._words, self._entries, self._threads = graph, words, entries, threads
        self._graph = self._open(threads)
        # One text keeps several threads busy only in part, so many texts are shared out: each thread runs its own.
        self._single = self._graph if threads == 1 else None
        self._opening = Lock()
        self._batch_size = batch_size
        self._exact_batches: bool | None = None

    def embed(self, texts: Sequence[str]) -> Vector:
        """Give one row per text."""
        # One by one: the tokenizer's own batches start threads that do not survive a fork.
        pieces = [self._split(text, number) for number, text in enumerate(texts, start=1)]
        vectors = np.empty((len(pieces), DIMENSIONS), dtype=np.float32)
        batch_size = self._batch_size if len(pieces) > 1 and self._has_exact_batches() else 1
        parts = list(batches([len(ids) for ids in pieces], batch_size))
        if self._threads > 1 and len(parts) >= _MANY * self._threads:
            self._run_shared_out(pieces, parts, vectors)
        else:
            for rows in parts:
                vectors[rows] = self._run([pieces[row] for row in rows])
        require_usable(vectors)
        return vectors

    def _run_shared_out(self, pieces: Sequence[Sequence[int]], parts: Sequence[list[int]], vectors: Vector) -> None:
        """Run many batches, one on each of the threads; the longest first, so that no thread ends with one alone."""
        with self._opening:
            if self._single is None:
                self._single = self._open(1)
            graph = self._single

        def run(rows: list[int]) -> None:
            vectors[rows] = self._run([pieces[row] for row in rows], graph)

        longest_first = sorted(parts, key=lambda rows: len(rows) * len(pieces[rows[0]]), reverse=True)
        with ThreadPoolExecutor(self._threads, thread_name_prefix="recollect-encoder") as pool:
            for done in [pool.submit(run, rows) for rows in longest_first]:
                done.result()

    def _open(self, threads: int) -> Graph:
        try:
            return Graph(self._path, threads=threads, entries=self._entries, words=self._words)
        except ORT_ERRORS as error:
            raise EmbeddingError(f"onnxruntime {VERSION} cannot load the encoder {self._path}: {error}") from error

    def _has_exact_batches(self) -> bool:
        """Tell whether a batch is computed bit for bit like its texts one by one.

        It is on ARM. On x86 onnxruntime takes another path for a single text, and sums are rounded differently.
        """
        if self._exact_batches is None:
            self._exact_batches = all(
                np.array_equal(np.vstack([self._run([ids]) for ids in probe]), self._run(probe)) for probe in _PROBES
            )
        return self._exact_batches

    def _split(self, text: str, number: int) -> list[int]:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise EmbeddingError(
                f"Text {number} is not valid Unicode: a lone surrogate, U+{ord(text[error.start]):04X}, at character "
                f"{error.start}. Decode it with errors='replace' where it comes from."
            ) from None
        return [BEGIN, *self._pieces.encode(text).ids[: MAX_PIECES - 2], END]

    def _run(self, pieces: Sequence[Sequence[int]], graph: Graph | None = None) -> Vector:
        try:
            vectors: Vector = (graph or self._graph).run(pieces)["embedding"]
        except ORT_ERRORS as error:
            size = f"{len(pieces)} texts of {len(pieces[0])} word pieces"
            raise EmbeddingError(f"The local encoder failed on a batch of {size}: {error}") from error
        return vectors


def batches(lengths: Sequence[int], batch_size: int) -> Iterator[list[int]]:
    """Group row numbers into batches of texts of the same length, in pieces.

    Padding would be cheap, but it changes how sums are rounded: a vector would depend on its neighbours in its last
    bits. Without it short texts are also faster, since no time goes into computing the padding.
    """
    rows_by_length = defaultdict[int, list[int]](list)
    for row, length in enumerate(lengths):
        rows_by_length[length].append(row)
    for length, rows in rows_by_length.items():
        size = max(1, min(batch_size, BATCH_PIECES // length))
        for start in range(0, len(rows), size):
            yield rows[start : start + size]


def require_usable(vectors: Vector) -> None:
    """Refuse vectors that no search could use, rather than store them."""
    usable = np.isfinite(vectors).all(axis=1) & vectors.any(axis=1)
    if not usable.all():
        number = int(np.argmin(usable)) + 1
        raise EmbeddingError(
            f"The local encoder gave an unusable vector for text {number}: all zeros, or not finite. "
            "Please report this with your processor's name and the version of onnxruntime."
        )
