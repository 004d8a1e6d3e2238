"""A process that reads and cuts files for another one: `python -m recollect.disk.hand`.

The invariant: it gives one answer per wish, in order, and ends when whoever started it is gone. Both ends are our own
processes, joined by pipes that nobody else can open, so what travels is pickled.
"""

import gc
import os
import pickle
import struct
import sys
from collections.abc import Callable
from typing import BinaryIO, Final, NamedTuple

from recollect.disk.beneath import Beneath, Identities
from recollect.disk.reading import Detect, Later, Reader
from recollect.model.files import IndexedTextPiece, SkippedFile, TextPiece
from recollect.ports.files import ChunkingRecipe, FileReading, ReadFile, ReadRequest

_LENGTH: Final = struct.Struct("<Q")
_PROTOCOL: Final = 5


class Errand(NamedTuple):
    """What a hand is told first."""

    root: str
    own: Identities
    recipe: ChunkingRecipe
    detect: Detect


def send(stream: BinaryIO, payload: bytes) -> None:
    """Send a message. Raises OSError when nobody listens."""
    stream.write(_LENGTH.pack(len(payload)))
    stream.write(payload)
    stream.flush()


def receive(stream: BinaryIO) -> bytes | None:
    """Wait for a message; None when the other end is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    payload = stream.read(length)
    return payload if len(payload) == length else None


def packed(answer: ReadFile | SkippedFile | Later) -> bytes:
    """Write an answer down. Pieces travel as plain tuples, of which many are read much faster than named ones."""
    if isinstance(answer, ReadFile) and answer.reading:
        reading = answer.reading
        pieces = [(tuple(piece), content_hash, terms) for piece, content_hash, terms in reading.pieces]
        bare = FileReading(
            reading.kind, reading.mime, (), reading.lines, reading.metadata, reading.dated_at, reading.notes,
            reading.external,
        )  # fmt: skip
        answer = ReadFile(answer.path, answer.size, answer.mtime_ns, answer.digest, bare)
        return pickle.dumps((answer, pieces), _PROTOCOL)
    return pickle.dumps((answer, None), _PROTOCOL)


def unpacked(payload: bytes) -> ReadFile | SkippedFile | Later:
    """Read an answer."""
    answer, pieces = pickle.loads(payload)  # noqa: S301 -- it comes from our own process
    if pieces:
        new: Callable[..., IndexedTextPiece] = tuple.__new__
        make: Callable[..., TextPiece] = tuple.__new__
        indexed = [new(IndexedTextPiece, (make(TextPiece, piece), key, terms)) for piece, key, terms in pieces]
        object.__setattr__(answer.reading, "pieces", indexed)
    found: ReadFile | SkippedFile | Later = answer
    return found


def main() -> None:
    """Answer wishes until there are no more."""
    gc.disable()  # what is made here never refers to itself, and looking for it takes time
    wishes_from, answers_to = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whoever prints something must not get in between
    first = receive(wishes_from)
    if first is None:
        return
    errand: Errand = pickle.loads(first)  # noqa: S301
    reader = Reader(errand.recipe, errand.detect, None)
    while (payload := receive(wishes_from)) is not None:
        wishes: list[ReadRequest] = pickle.loads(payload)  # noqa: S301
        with Beneath(errand.root, errand.own) as beneath:
            for wish in wishes:
                send(answers_to, packed(reader.read(beneath, wish)))


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        # Nobody waits for the answer any more; the interpreter must not try to send the rest of it.
        os._exit(0)
