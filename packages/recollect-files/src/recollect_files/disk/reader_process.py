"""A process that reads and cuts files for another one: `python -m recollect_files.disk.reader_process`.

The invariant: it gives one answer per request, in order, and ends with its parent process. Both ends are processes of
ours, joined by private pipes, so messages are pickled.
"""

import gc
import os
import pickle
import struct
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO, Final, NamedTuple

from recollect.model.files import IndexedTextPiece, NamedRoot, SkippedFile, TextPiece
from recollect.ports import ChunkingRecipe, FileReading
from recollect_files.disk.file_reader import Detect, FileReaderOfRoot, RetryLater
from recollect_files.disk.safe_open import BeneathRoot, Identities
from recollect_files.ports import ReadFile, ReadRequest

_LENGTH: Final = struct.Struct("<Q")
_PROTOCOL: Final = 5


class ReaderTask(NamedTuple):
    """The first message to a reader process: the root and how its files are read."""

    root: NamedRoot
    own: Identities
    recipe: ChunkingRecipe
    detect: Detect


def send(stream: BinaryIO, payload: bytes) -> None:
    """Send a message. Raises OSError when the other end is closed."""
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


def packed(answer: ReadFile | SkippedFile | RetryLater) -> bytes:
    """Write an answer down. Pieces travel as plain tuples, of which many are read much faster than named ones."""
    if isinstance(answer, ReadFile) and answer.reading:
        reading = answer.reading
        pieces = [(tuple(piece), content_hash, terms) for piece, content_hash, terms in reading.pieces]
        bare = FileReading(
            reading.kind, reading.mime, (), reading.lines, reading.metadata, reading.dated_at, reading.notes,
            reading.external,
        )  # fmt: skip
        answer = replace(answer, reading=bare)
        return pickle.dumps((answer, pieces), _PROTOCOL)
    return pickle.dumps((answer, None), _PROTOCOL)


def unpacked(payload: bytes) -> ReadFile | SkippedFile | RetryLater:
    """Read an answer."""
    answer, pieces = pickle.loads(payload)  # noqa: S301 -- it comes from our own process
    if pieces:
        new: Callable[..., IndexedTextPiece] = tuple.__new__
        make: Callable[..., TextPiece] = tuple.__new__
        indexed = [new(IndexedTextPiece, (make(TextPiece, piece), key, terms)) for piece, key, terms in pieces]
        object.__setattr__(answer.reading, "pieces", indexed)
    found: ReadFile | SkippedFile | RetryLater = answer
    return found


def main() -> None:
    """Answer requests until there are no more."""
    gc.disable()  # what is made here never refers to itself, and looking for it takes time
    requests_from, answers_to = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not end up among the answers
    first = receive(requests_from)
    if first is None:
        return
    task: ReaderTask = pickle.loads(first)  # noqa: S301
    reader = FileReaderOfRoot(task.recipe, task.detect, None)
    while (payload := receive(requests_from)) is not None:
        requests: list[ReadRequest] = pickle.loads(payload)  # noqa: S301
        with BeneathRoot(task.root, task.own) as beneath:
            for request in requests:
                send(answers_to, packed(reader.read(beneath, request)))


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        # The parent is gone; the interpreter must not try to flush the rest of the answer.
        os._exit(0)
