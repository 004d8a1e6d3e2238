"""What of embedding runs on this machine, without a key and without a network: our own encoders and the tokenizer.

The invariant: nothing is loaded before the first text arrives, so that commands which need no vectors start at once.
"""

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from recollect.embedding.known_models import LANGUAGES, LATEST, BundledEncoder
from recollect.errors import EmbeddingError, SettingsError
from recollect.model.memories import Space, Vector
from recollect.models.bundled import FOLDER, TOKENIZER_FILE, WORDS_FILE, check_files
from recollect.ports import Role

if TYPE_CHECKING:
    from recollect.embedding.onnx import Encoder
    from recollect.models.word_pieces import WordPieces

# A memory works beside the agent it serves and must leave it room, however many cores there are.
_MOST_THREADS: Final = 4

# Measured against a vocabulary of a hundred thousand pieces that many models share.
_BYTES_PER_TOKEN = {"foreign": 4.2, "accented": 2.2, "unaccented": 5.0, "unknown": 1.7}
_UNKNOWN = "[UNK]"
_LATIN_END = "\u0250"
_WORDS_KEPT: Final = 20_000
_LONGEST_KEPT: Final = 40  # characters
_SPACED_NUMBER = re.compile(r"\s(?=\d)")  # a blank before a number is a token of its own


class LocalEmbedder:
    """Makes vectors with an encoder of this project. Any number of threads may share one.

    A text gets the same vector, bit for bit, whatever other texts it comes with and in whatever order: nothing is
    padded, and texts of the same length share a batch only where that makes no difference. The tests hold it to that
    on the machine they run on. Another processor or another version of onnxruntime may round differently, so between
    those only expect the numbers of a vector to agree to about 5e-3, and cosines to about 1e-2.

    A text is read up to its 256th word piece; the rest does not influence the vector.
    """

    def __init__(
        self,
        *,
        threads: int | None = None,
        batch_size: int = 32,
        folder: Path | None = None,
        encoder: BundledEncoder = LATEST,
    ) -> None:
        """Take note of the settings; the model is loaded by the first `embed`.

        `threads` is how many threads one call computes with, by default up to four of the cores this process may use.
        `batch_size` is the most texts per batch. `folder` holds the encoder's files, by default the installed ones.
        """
        self._threads = _at_least_one("threads", _default_threads() if threads is None else threads)
        self._batch_size = _at_least_one("batch_size", batch_size)
        self._folder = folder
        self._model = encoder
        self._space = encoder.space
        self._lock = Lock()
        self._encoder: Encoder | None = None

    @property
    def space(self) -> Space:
        """The space of the encoder, known without loading it."""
        return self._space

    @property
    def languages(self) -> frozenset[str]:
        """The twelve it has learned."""
        return LANGUAGES

    def embed(self, texts: Sequence[str], role: Role) -> Vector:  # noqa: ARG002 - the encoder knows no prefixes
        """Give one row of 384 numbers per text; the role makes no difference.

        Raises ModelDamaged when the files are not the released ones, and EmbeddingError for anything else.
        """
        return self._loaded().embed(texts)

    def close(self) -> None:
        """Let go of the model; embedding again would load it again."""
        with self._lock:
            self._encoder = None

    def _loaded(self) -> "Encoder":
        with self._lock:
            if self._encoder is None:
                self._encoder = self._load()
            return self._encoder

    def _load(self) -> "Encoder":
        model, folder = self._model, self._folder or self._model.folder()
        check_files(folder, model.files)
        check_files(FOLDER, model.shared)
        return _import_encoder()(
            folder / model.graph,
            (FOLDER if TOKENIZER_FILE in model.shared else folder) / TOKENIZER_FILE,
            words=(FOLDER if WORDS_FILE in model.shared else folder) / WORDS_FILE,
            threads=self._threads,
            batch_size=self._batch_size,
            entries=model.session_entries,
        )


def _import_encoder() -> "type[Encoder]":
    try:
        # Imported late on purpose: onnxruntime and its like take 0.2 s that most commands need not spend.
        from recollect.embedding.onnx import Encoder  # noqa: PLC0415
    except ImportError as error:
        raise EmbeddingError(
            f"The local encoder cannot run, because a library cannot be imported: {error}. Reinstall the package, "
            "or set the embedding provider to none."
        ) from error
    return Encoder


def _default_threads() -> int:
    # Containers and taskset leave a process fewer cores than the machine has; only Linux can say how many.
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, _MOST_THREADS)


def _at_least_one(name: str, number: int) -> int:
    if number < 1:
        raise SettingsError(f"{name} is {number}, expected at least 1.")
    return number


class LocalTokenizer:
    """Counts tokens: real, local, and rather too many than too few. Any number of threads may share one.

    Models have tokenizers of their own, and a window must not overflow in any of them. On English text and code the
    count agrees with a common model's to a few per cent. Other scripts and what the tokenizer does not know (long
    hashes, emoji) are longer in most models than here, so their pieces count by their bytes.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._lock = Lock()
        self._pieces: WordPieces | None = None
        self._count_known = lru_cache(_WORDS_KEPT)(self._count_word)  # pieces never span a blank

    def count(self, text: str) -> int:
        """Say how many tokens a model would read, at most."""
        accented = not text.isascii() and any(letter.isalpha() for letter in text if "\x7f" < letter < _LATIN_END)
        known, other = self._count_known, self._count_word
        words = (
            known(word, accented) if len(word) <= _LONGEST_KEPT else other(word, accented) for word in text.split()
        )
        return sum(words) + len(_SPACED_NUMBER.findall(text))

    def _count_word(self, word: str, accented: bool) -> int:  # noqa: FBT001 - what is cached is called by place
        encoding = self._loaded().encode(word)
        tokens = zip(encoding.tokens, encoding.offsets, strict=True)
        return sum(ceil(_weight(token, word[start:end], accented=accented)) for token, (start, end) in tokens)

    def _loaded(self) -> "WordPieces":
        with self._lock:
            if self._pieces is None:
                # Imported late on purpose: a program that only recalls counts no tokens.
                from recollect.models.word_pieces import load_word_pieces  # noqa: PLC0415

                self._pieces = load_word_pieces(self._folder / TOKENIZER_FILE)
            return self._pieces


def _weight(token: str, piece: str, *, accented: bool) -> float:
    """Say how many tokens a piece is elsewhere: the less of it is plain English, the more."""
    size = len(piece.encode())
    if token == _UNKNOWN:
        return size / _BYTES_PER_TOKEN["unknown"]
    if piece.isascii():
        return size / _BYTES_PER_TOKEN["unaccented"] if accented else 1
    return size / _BYTES_PER_TOKEN["accented" if max(piece) < _LATIN_END else "foreign"]
