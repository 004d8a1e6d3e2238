"""Marks: keyed hashes of what is forgotten, by which it is found again in rows and in raw bytes, and by nothing else.

How a text becomes marks is part of the format of receipts (docs/storage.md): a change needs a new version of it.
"""

import json
import re
import unicodedata
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from typing import Any, Final, Literal, NamedTuple, TypeAlias

MarkKind: TypeAlias = Literal["ids", "texts", "values", "names", "passages"]
MARK_KINDS: Final[tuple[MarkKind, ...]] = ("ids", "texts", "values", "names", "passages")

_MARK_BYTES = 9  # twelve characters
_FEWEST_WORDS = 3  # of a sentence that is looked for by itself; shorter ones are said by everything
_WINDOW = 3  # words of a passage
_MOST_PASSAGES = 8  # of one text
_MOST_NESTED = 4
_SHORT = 30  # characters; an id is longer
_MOST_SHORT = 10_000
_END = re.compile(r"[.!?;\n\r\u2026\u3002\uff01\uff1f]+")
_WORD = re.compile(r"\w+")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_RAW_ID = re.compile(_ID.pattern.encode())
# Words of ASCII or of any other letters in UTF-8, with a few signs between them.
_RAW_WORD = rb"[0-9A-Za-z\x80-\xff]+"
_RAW_GAP = rb"[\t\n\r -/:-@\[-`{-~]{1,4}"
_RAW_WORDS = re.compile(_RAW_WORD)
_RAW_RUN = re.compile(rb"(?<![0-9A-Za-z\x80-\xff])%s(?:%s%s){2,}" % (_RAW_WORD, _RAW_GAP, _RAW_WORD))


class KeyedMark(NamedTuple):
    """A keyed hash, and what kind of thing it is of."""

    kind: MarkKind
    hash: bytes

    def listed(self) -> str:
        """Give the hash as receipts list it."""
        return urlsafe_b64encode(self.hash).decode()


def read_marks(listed: Iterable[str]) -> frozenset[bytes]:
    """Read the hashes of a receipt."""
    return frozenset(map(urlsafe_b64decode, listed))


class Marker:
    """Makes marks with the key of a store."""

    def __init__(self, key: bytes) -> None:
        self._keyed = {kind: blake2b(kind.encode() + b"\0", key=key, digest_size=_MARK_BYTES) for kind in MARK_KINDS}

    def _mark(self, kind: MarkKind, data: bytes) -> KeyedMark:
        hashed = self._keyed[kind].copy()
        hashed.update(data)
        return KeyedMark(kind, hashed.digest())

    def id(self, item_id: str) -> KeyedMark:
        """Mark an id."""
        return self._mark("ids", item_id.encode())

    def name(self, name: str) -> KeyedMark:
        """Mark a name as a whole: a path, a folder, a conversation, an original."""
        return self._mark("names", name.encode("utf-8", "surrogatepass"))

    def value(self, subject: str, key: str, value: str) -> KeyedMark:
        """Mark the value of something."""
        return self._mark("values", "\x1f".join(map(_plain, (subject, key, value))).encode())

    def texts(self, text: str, *, whole: bool = True) -> Iterator[KeyedMark]:
        """Mark a text and its sentences; `whole`: the text however short it is."""
        said = _plain(text)
        if said and (whole or said.count(" ") + 1 >= _FEWEST_WORDS):
            yield self._mark("texts", said.encode())
        for part in _END.split(text):
            sentence = _plain(part)
            if sentence != said and sentence.count(" ") + 1 >= _FEWEST_WORDS:
                yield self._mark("texts", sentence.encode())

    def passages(self, text: str) -> Iterator[KeyedMark]:
        """Mark some passages of a text, as its bytes stand in a file, from all over it."""
        runs = (_RAW_WORDS.findall(run) for run in _RAW_RUN.findall(text.encode("utf-8", "surrogatepass")))
        windows = [b" ".join(words[at : at + _WINDOW]) for words in runs for at in range(len(words) - _WINDOW + 1)]
        inner = windows[1:-1] or windows  # the ends may be stuck to what stands beside the text
        step = max(1, len(inner) // _MOST_PASSAGES)
        for window in inner[::step][:_MOST_PASSAGES]:
            yield self._mark("passages", window)

    def in_bytes(self, data: bytes) -> Iterator[KeyedMark]:
        """Give the marks of the ids and of all passages that stand in bytes."""
        for item_id in set(_RAW_ID.findall(data)):
            yield self._mark("ids", item_id)
        windows: set[bytes] = set()
        for run in _RAW_RUN.findall(data):
            words = _RAW_WORDS.findall(run)
            windows.update(b" ".join(words[at : at + _WINDOW]) for at in range(len(words) - _WINDOW + 1))
        for window in windows:
            yield self._mark("passages", window)

    def in_value(self, value: str, kinds: Collection[str] = MARK_KINDS) -> Iterator[KeyedMark]:
        """Give the marks of a text, of all its sentences, and of the ids in it; JSON is looked into."""
        if "ids" in kinds:
            for item_id in set(_ID.findall(value)):
                yield self.id(item_id)
        texts = _nested(value, _MOST_NESTED) if value[:1] in ("{", "[") else (value,)
        for text in texts if "names" in kinds or "texts" in kinds else ():
            if "names" in kinds:
                yield self.name(text)
            if "texts" in kinds:
                yield from self.texts(text)


class MarkFinder:
    """Looks for marks in what a store holds. Short values, of which many are alike, are looked at once."""

    def __init__(self, marker: Marker, wanted: Mapping[MarkKind, Collection[bytes]]) -> None:
        self._marker = marker
        self._wanted = wanted
        self._kinds = frozenset(kind for kind, hashes in wanted.items() if hashes)
        self._of_short: dict[str, frozenset[KeyedMark]] = {}

    def wanted(self, marks: Iterable[KeyedMark]) -> frozenset[KeyedMark]:
        """Give those of the marks that are looked for."""
        return frozenset(mark for mark in marks if mark.hash in self._wanted.get(mark.kind, ()))

    def in_bytes(self, data: bytes) -> frozenset[KeyedMark]:
        """Give what is found in bytes."""
        return self.wanted(self._marker.in_bytes(data))

    def in_texts(self, texts: Mapping[str, str | bytes]) -> frozenset[KeyedMark]:
        """Give what is found in the columns of a row."""
        found = [self.in_bytes(value) if isinstance(value, bytes) else self._in_text(value) for value in texts.values()]
        slot = [texts.get(name) for name in ("subject", "key", "value")]
        if "values" in self._kinds and slot[2] and all(isinstance(part, str) for part in slot):
            found.append(self.wanted([self._marker.value(*map(str, slot))]))
        return frozenset().union(*found)

    def _in_text(self, value: str) -> frozenset[KeyedMark]:
        if len(value) > _SHORT:
            return self.wanted(self._marker.in_value(value, self._kinds))
        known = self._of_short.get(value)
        if known is None:
            if len(self._of_short) >= _MOST_SHORT:
                self._of_short.clear()
            known = self._of_short[value] = self.wanted(self._marker.in_value(value, self._kinds))
        return known


def _plain(text: str) -> str:
    """Give the words of a text without case, signs and the width of blanks."""
    folded = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_WORD.findall(folded))


def _nested(value: Any, depth: int) -> Iterator[str]:  # noqa: ANN401 - JSON
    if isinstance(value, str):
        parsed = None
        if value[:1] in ("{", "[") and depth:
            with suppress(ValueError, RecursionError):
                parsed = json.loads(value)
        if parsed is None:
            yield value
        else:
            yield from _nested(parsed, depth - 1)
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _nested(name, 0)
            yield from _nested(part, depth)
    elif isinstance(value, list):
        for part in value:
            yield from _nested(part, depth)
