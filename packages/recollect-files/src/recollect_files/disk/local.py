"""The disk of this machine, as the engine asks for it.

The invariant: a request is answered once, and what is given of a file was true at one moment of it.
"""

import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, suppress
from functools import partial
from hashlib import sha256
from typing import Final, NamedTuple

from recollect.model.files import FileRecord, KnownFile, NamedRoot, SkippedFile
from recollect.model.literals import FileState
from recollect.ports import ChunkingRecipe
from recollect_files.disk import safe_open, skip_reasons
from recollect_files.disk.file_reader import Detect, Extract, FileReaderOfRoot, RetryLater, kind_of, shown_text
from recollect_files.disk.folder_walk import WalkedFolders, walk
from recollect_files.disk.reader_pool import ReaderPool, RequestPool, can_travel, spare_cores
from recollect_files.disk.reader_process import ReaderTask
from recollect_files.disk.safe_open import BeneathRoot, FileRefused, Identities, read_bytes
from recollect_files.ports import FolderWalk, FolderWatch, ReadFile, ReadRequest, SyncRules

# How much there must seem to be left before another process is worth its start, and the part of it that tells.
_WORTH_BYTES: Final = 4 * 2**20
_TELLING: Final = 4

# How often files are waited for that have only just changed.
_ROUNDS: Final = 3


_Read = Callable[[ReadRequest], ReadFile | SkippedFile | RetryLater]


class _RootInfo(NamedTuple):
    """What the last walk of a root was told."""

    rules: SyncRules
    own: Identities


class LocalDisk:
    """Reads and watches folders. `extract` reads what is no plain text; `detect` should be a function of a module.

    When about `worth_bytes` are left to read, as many processes as `hands` help; usually the cores decide.
    """

    def __init__(
        self, *, detect: Detect, extract: Extract, hands: int | None = None, worth_bytes: int = _WORTH_BYTES
    ) -> None:
        self._worth_bytes = worth_bytes
        self._detect = detect
        self._extract = extract
        self._hands = (spare_cores() if hands is None else hands) if can_travel(detect) else 0
        self._known: dict[str, _RootInfo] = {}

    def name(self, path: str) -> NamedRoot:
        """Give a folder's one absolute path, with `~` and links resolved, as one that this machine's owner names."""
        return safe_open.named(os.path.realpath(os.path.expanduser(path)))  # noqa: PTH111 -- a port speaks of texts

    def is_named(self, root: NamedRoot) -> bool:
        """Say whether a root was named on this machine."""
        return safe_open.is_named(root)

    def walk(self, root: NamedRoot, rules: SyncRules, own: Identities) -> FolderWalk:
        """Look through a folder. `own` are the device and inode of files that must not even be opened."""
        self._known[root] = _RootInfo(rules, own)
        return walk(root, rules, own)

    def read(
        self, root: NamedRoot, requests: Sequence[ReadRequest], recipe: ChunkingRecipe
    ) -> Iterator[ReadFile | SkippedFile]:
        """Read files and cut them, in any order; with processes beside this one if there is much to do.

        Files that have only just changed come last, once their next change would show.
        """
        reader = FileReaderOfRoot(recipe, self._detect, self._extract)
        with BeneathRoot(root, self._own_of(root)) as beneath:
            young: list[RetryLater] = []
            with closing(self._answers(root, requests, recipe, partial(reader.read, beneath))) as answers:
                yield from _settled(answers, young)
            for attempt in range(1, _ROUNDS + 1):
                if not young:
                    return
                beneath.leave()
                time.sleep(max(later.wait_s for later in young))
                read = partial(reader.read, beneath, last=attempt == _ROUNDS)
                waiting, young = young, []
                yield from _settled((read(later.request) for later in waiting), young)

    def text(
        self, root: NamedRoot, file: FileRecord | KnownFile, recipe: ChunkingRecipe, own: Identities
    ) -> tuple[str, str]:
        """Give the text of a file that a sync has seen, as it is cut, and its digest. A turn stays on one line.

        Raises OSError; InvalidDocument for what has no lines of its own, such as a PDF.
        """
        if not (file.ctime_ns or file.inode):
            raise FileRefused(skip_reasons.UNNAMED)
        data = read_bytes(root, file.path, recipe.most_bytes, own).data
        kind, _ = kind_of(file.path.rpartition("/")[2], data, self._detect)
        return shown_text(data, kind, recipe), sha256(data).hexdigest()

    def states(self, root: NamedRoot, files: Sequence[FileRecord]) -> Mapping[str, FileState]:
        """Say by their ids which files have changed or gone; nothing of those that cannot be looked at."""
        if not files or not self.is_named(root):
            return {}
        found: dict[str, FileState] = {}
        with BeneathRoot(root, frozenset()) as beneath:
            for file in files:
                with suppress(OSError):
                    status = beneath.status(file.path) if file.mtime_ns else None
                    if status and (status.st_size, status.st_mtime_ns) != (file.size, file.mtime_ns):
                        found[file.id] = "changed"
                    elif status is None and file.mtime_ns:
                        found[file.id] = "gone"
        return found

    def watch(self, roots: Sequence[NamedRoot], debounce_s: float) -> AbstractContextManager[FolderWatch]:
        """Begin to watch folders."""
        from recollect_files.disk.folder_watch import watching  # noqa: PLC0415 -- takes 20 ms, which only those who watch pay

        return watching(roots, debounce_s, self._about)

    def _about(self, root: NamedRoot) -> WalkedFolders:
        known = self._known.get(root)
        return (
            WalkedFolders(root, known.rules, known.own)
            if known
            else WalkedFolders(root, SyncRules(hidden=True), frozenset())
        )

    def _own_of(self, root: str) -> Identities:
        known = self._known.get(root)
        return known.own if known else frozenset()

    def _answers(
        self, root: NamedRoot, requests: Sequence[ReadRequest], recipe: ChunkingRecipe, read: _Read
    ) -> Generator[ReadFile | SkippedFile | RetryLater, None, None]:
        """Answer each request once, alone or with others."""
        pool = RequestPool(requests)
        yield from _alone(pool, read, self._worth_bytes if self._hands else None)
        if len(pool):
            task = ReaderTask(root, self._own_of(root), recipe, self._detect)
            yield from _together(ReaderPool(self._hands, task, pool), pool, read)


def _settled(
    answers: Iterable[ReadFile | SkippedFile | RetryLater], young: list[RetryLater]
) -> Iterator[ReadFile | SkippedFile]:
    """Pass on what is settled; what is not is added to `young`."""
    for answer in answers:
        if isinstance(answer, RetryLater):
            young.append(answer)
        else:
            yield answer


def _alone(pool: RequestPool, read: _Read, worth_bytes: int | None) -> Iterator[ReadFile | SkippedFile | RetryLater]:
    """Answer requests in this process; if help can be had, only until it is clear that it is worth it."""
    files = size = 0
    while request := pool.one():
        answer = read(request)
        yield answer
        if isinstance(answer, ReadFile):
            files += 1
            size += answer.size if answer.reading else 0  # what is known already costs next to nothing
        if worth_bytes is not None and size * _TELLING > worth_bytes and len(pool) * size // files > worth_bytes:
            return


def _together(readers: ReaderPool, pool: RequestPool, read: _Read) -> Iterator[ReadFile | SkippedFile | RetryLater]:
    """Pass on the answers of others, and answer requests here while there are none."""
    try:
        while True:
            all_taken = not len(pool)
            answer = readers.answer(wait=all_taken)
            if isinstance(answer, RetryLater) and answer.elsewhere:
                yield read(answer.request)
            elif answer is not None:
                yield answer
            elif request := pool.one():
                yield read(request)
            elif all_taken:
                return
    finally:
        readers.close()
