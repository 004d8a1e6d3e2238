"""Counts tokens with the tokenizer that comes with the package: real, local, and rather too many than too few.

Models have tokenizers of their own, and a window must not overflow in any of them. On English text and code the count
agrees with a common model's to a few per cent. Other scripts and what the tokenizer does not know (long hashes, emoji)
are longer in most models than here, so their pieces count by their bytes.
"""

import re
from math import ceil
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from recollect.models.bundled import FOLDER, TOKENIZER_FILE

if TYPE_CHECKING:
    from tokenizers import Encoding

    from recollect.models.word_pieces import WordPieces

# Measured against a vocabulary of a hundred thousand pieces that many models share.
_BYTES_PER_TOKEN = {"foreign": 4.2, "accented": 2.2, "unaccented": 5.0, "unknown": 1.7}
_UNKNOWN = "[UNK]"
_LATIN_END = "\u0250"
_SPACED_NUMBER = re.compile(r"\s(?=\d)")  # a blank before a number is a token of its own


class LocalTokenizer:
    """Counts tokens; loads its vocabulary at the first text. Any number of threads may share one."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._lock = Lock()
        self._pieces: WordPieces | None = None

    def count(self, text: str) -> int:
        """Say how many tokens a model would read, at most."""
        encoding = self._loaded().encode(text)
        blanks = len(_SPACED_NUMBER.findall(text))
        if text.isascii() and _UNKNOWN not in encoding.tokens:
            return len(encoding.ids) + blanks
        return _careful_count(text, encoding) + blanks

    def _loaded(self) -> "WordPieces":
        with self._lock:
            if self._pieces is None:
                # Imported late on purpose: a program that only recalls counts no tokens.
                from recollect.models.word_pieces import load_word_pieces  # noqa: PLC0415

                self._pieces = load_word_pieces(self._folder / TOKENIZER_FILE)
            return self._pieces


def _careful_count(text: str, encoding: "Encoding") -> int:
    accented = any("\x7f" < character < _LATIN_END for character in text)
    tokens = zip(encoding.tokens, encoding.offsets, strict=True)
    return sum(ceil(_weight(token, text[start:end], accented=accented)) for token, (start, end) in tokens)


def _weight(token: str, piece: str, *, accented: bool) -> float:
    """Say how many tokens a piece is elsewhere: the less of it is plain English, the more."""
    size = len(piece.encode())
    if token == _UNKNOWN:
        return size / _BYTES_PER_TOKEN["unknown"]
    if piece.isascii():
        return size / _BYTES_PER_TOKEN["unaccented"] if accented else 1
    return size / _BYTES_PER_TOKEN["accented" if max(piece) < _LATIN_END else "foreign"]
