"""What the commands for files do. Nothing is printed here."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import Final

from recollect.api.memory import UserMemory
from recollect.cli.edge import FAILED
from recollect.cli.errand import Answer, Errand, VerbFunction
from recollect.cli.keeping import keep_in_step
from recollect.cli.watching import Steps
from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.model.files import AddedFile, FilePage, FileText, FolderStatus, SyncProgress, SyncReport

_PLACE: Final = re.compile(r"(?s:(.+)):(\d+)(?:-(\d*))?")
_RANGE: Final = re.compile(r"\s*(\d{1,9})\s*(?:-\s*(\d{0,9})\s*)?")
_END: Final = 10**9  # beyond the last line of any file
_LOOK_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Synced:
    """What became of folders, and how many of the user's texts wait for a vector."""

    folders: tuple[SyncReport, ...]
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Offered:
    """A document that was to be added, and what became of it."""

    path: str
    added: AddedFile | None = None
    error: InvalidInput | None = None


@dataclass(frozen=True, slots=True)
class AddedFiles:
    """All documents that were to be added, and how many texts wait for a vector."""

    files: tuple[Offered, ...]
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Filed:
    """A page of files, and the folders that are synced."""

    page: FilePage
    folders: tuple[FolderStatus, ...]


def sync(errand: Errand) -> Answer:
    """Keep folders in step, once or until somebody asks to stop."""
    asked = errand.asked
    paths = asked["paths"] or ()
    if asked["watch"] and asked["dry_run"]:
        raise InvalidInput("--watch and --dry-run do not go together: one goes on, the other changes nothing.")
    wishes = {name: asked[name] for name in ("source", "hidden", "gitignore", "even_if_empty")}
    wishes |= {name: _patterns(asked[name]) for name in ("include", "exclude")}
    if asked["watch"]:
        keep_in_step(errand, paths, wishes)
        return Answer(None)
    with errand.watch.steps() as step, _vectors_shown(errand.me, step) as tell:
        reports = errand.me.sync(*paths, **wishes, dry_run=asked["dry_run"], wait=asked["wait"], tell=tell)
    unseen = any(report.state != "synced" for report in reports)
    return Answer(Synced(reports, _waiting(errand)), FAILED if unseen else 0)


def _patterns(given: Sequence[str] | None) -> list[str] | None:
    """Give the patterns that were typed; an empty one takes back those of the last time."""
    return [pattern for pattern in given if pattern] if given else None


@contextmanager
def _vectors_shown(me: UserMemory, step: Steps) -> Iterator[Callable[[SyncProgress], None]]:
    """Give whom to tell of files that were read; once all are, it is the queue of vectors that shows how far it is."""
    read, over = Event(), Event()

    def tell(progress: SyncProgress) -> None:
        step("Reading files", progress.done, progress.total)
        if progress.done >= progress.total:
            read.set()

    def follow() -> None:
        read.wait()
        most = 0
        while not over.wait(_LOOK_S):
            try:
                waiting = me.stats().pending_jobs
            except RecollectError:  # whoever does the work will say so
                return
            most = max(most, waiting)
            if most:
                step("Making vectors", most - waiting, most)

    follower = Thread(target=follow, name="recollect-progress", daemon=True)
    follower.start()
    try:
        yield tell
    finally:
        over.set()
        read.set()
        follower.join()


def _waiting(errand: Errand) -> int:
    return 0 if errand.settings.embedding.provider == "none" else errand.me.stats().pending_jobs


def add(errand: Errand) -> Answer:
    """Add documents; one that cannot be read does not keep out the others."""
    asked = errand.asked
    paths: Sequence[str] = asked["files"]
    if asked["name"] is not None and len(paths) > 1:
        raise InvalidInput("--name names one document. Add several one by one, or without it.")
    if "-" in paths and asked["name"] is None:
        raise InvalidInput("What comes from standard input needs a name: recollect add - --name manual.pdf")
    offered = []
    with errand.watch.steps() as step:
        for done, path in enumerate(paths):
            step("Adding documents", done, len(paths))
            offered.append(_offered(errand, path))
    failed = any(one.error is not None for one in offered)
    return Answer(AddedFiles(tuple(offered), _waiting(errand)), FAILED if failed else 0)


def _offered(errand: Errand, path: str) -> Offered:
    asked = errand.asked
    file = _standard_input(errand) if path == "-" else path
    shown = asked["name"] or path
    try:
        added = errand.me.add_file(file, name=asked["name"], replace=asked["replace"], wait=asked["wait"])
    except InvalidInput as error:
        return Offered(shown, error=error)
    return Offered(shown, added)


def _standard_input(errand: Errand) -> bytes:
    return sys.stdin.buffer.read(errand.settings.files.document_mb * 2**20 + 1)


def files(errand: Errand) -> Answer:
    """List files and folders."""
    asked = errand.asked
    page = errand.me.files(limit=asked["limit"], cursor=asked["cursor"], source=asked["source"])
    return Answer(Filed(page, errand.me.folders(look=asked["look"])))


def read(errand: Errand) -> Answer:
    """Give the text of a file."""
    path, lines = errand.asked["path"], errand.asked["lines"]
    return Answer(errand.me.read(path, _lines(lines)) if lines is not None else _read_place(errand.me, path))


def _read_place(me: UserMemory, path: str) -> FileText:
    """Read a path as hits show it, with lines behind a colon; some files are called like that."""
    place = _PLACE.fullmatch(path)
    if place is None:
        return me.read(path)
    try:
        return me.read(place[1], _lines(path[len(place[1]) + 1 :]))
    except NotFound:
        return me.read(path)


def _lines(text: str) -> tuple[int, int]:
    found = _RANGE.fullmatch(text)
    if found is None:
        raise InvalidInput(f"--lines is {text!r}; expected lines such as 12-30, 12, or 12- to the end.")
    first = int(found[1])
    if found[2] is None:
        return first, first
    return first, int(found[2]) if found[2] else _END


VERBS: dict[str, VerbFunction] = {"sync": sync, "add": add, "files": files, "read": read}
