"""Cuts texts into the pieces that all models share. The only module that knows tokenizers; importing it is slow.

A vocabulary takes 0.06 s to load and some 15 MB, so one process loads the same vocabulary once.
"""

import hashlib
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

from tokenizers import Encoding, Tokenizer

from recollect.forking import module_lock

BEGIN: Final = 2
END: Final = 3


class WordPieces:
    """A vocabulary. Any number of threads may share one, since nothing about it can be changed."""

    def __init__(self, vocabulary: bytes) -> None:
        """Load a vocabulary from the content of its file."""
        self._tokenizer = Tokenizer.from_buffer(vocabulary)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def encode(self, text: str) -> Encoding:
        """Cut a text into pieces, without marks for its beginning and its end. It must be valid Unicode."""
        return self._tokenizer.encode(text, add_special_tokens=False)


_lock = module_lock()
_in_use: WeakValueDictionary[bytes, WordPieces] = WeakValueDictionary()


def load_word_pieces(path: Path) -> WordPieces:
    """Load a vocabulary, or share it if it is in use already."""
    content = path.read_bytes()
    digest = hashlib.sha256(content).digest()
    with _lock:
        pieces = _in_use.get(digest)
        if pieces is None:
            pieces = _in_use[digest] = WordPieces(content)
        return pieces
