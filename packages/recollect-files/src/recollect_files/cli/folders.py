"""The command `sync`: folders of notes and session logs that are kept in step, once or until it is stopped."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from recollect.cli import options
from recollect.cli.errors import FAILED
from recollect.cli.formatting import amounts, counted, examples, named, skipped_files
from recollect.cli.options import argument, flag, one_of, option
from recollect.cli.progress import (
    ProgressReporter,
    StepCallback,
    say_what_waits,
    show_waiting,
    stop_on_signal,
    waiting_texts,
)
from recollect.cli.runner import CommandContext, CommandResult, CommandSet
from recollect.errors import InvalidInput, RecollectError

if TYPE_CHECKING:
    from recollect.api.memory import UserMemory
    from recollect.cli.view import View
    from recollect.model.files import SkippedFile, SyncProgress, SyncReport

commands = CommandSet("Files")

_FOLDER_SOURCES = ("memory", "sessions")
_LOOK_S: Final = 0.2
_MOST_NAMED: Final = 3
_STATES: Final = {
    "missing": "there is no such folder now. Nothing was removed: what is kept of it, if anything, stays.",
    "unnamed": "it was not named on this machine, so it was not opened. `recollect sync PATH` names it.",
    "empty": "the folder is empty, though it was not. Is its disk missing? Nothing was removed. "
    "`recollect sync PATH --even-if-empty` believes it.",
    "incomplete": "not all of it could be looked into, so nothing was removed.",
}


class SyncedFolders(NamedTuple):
    """What became of folders, and how many of the user's texts wait for a vector."""

    folders: "tuple[SyncReport, ...]"
    waiting: int = 0


_INCLUDE_HELP = (
    "Only files like this, such as '*.md' or 'journal/**'; may be repeated. Without it: Markdown, text and .jsonl, or "
    "what the setting files.include says."
)
_EXCLUDE_HELP = "Leave out files and folders like this, such as 'drafts/'; may be repeated. '' clears earlier ones."


@commands.command(
    "write",
    worker_with="watch",
    examples=(
        "recollect sync ~/notes",
        "recollect sync ~/notes --exclude 'drafts/' --dry-run",
        "recollect sync ~/agent/sessions --source sessions",
        "recollect sync",
        "recollect sync --watch",
    ),
)
def sync(
    context: CommandContext,
    paths: Annotated[
        list[str] | None, argument("PATH", "Folders to sync; without any, all that were synced before.")
    ] = None,
    *,
    watch: Annotated[bool, flag("--watch", "Go on: sync again whenever something changes, until Ctrl-C.")] = False,
    source: Annotated[
        str | None,
        option(
            "SOURCE",
            "What the folder holds: memory (notes) or sessions (logs of agents, one JSON a line).",
            autocompletion=one_of(_FOLDER_SOURCES),
        ),
    ] = None,
    include: Annotated[list[str] | None, option("PATTERN", _INCLUDE_HELP)] = None,
    exclude: Annotated[list[str] | None, option("PATTERN", _EXCLUDE_HELP)] = None,
    hidden: Annotated[
        bool | None, flag("--hidden/--no-hidden", "Whether files and folders with a leading dot count.")
    ] = None,
    gitignore: Annotated[
        bool | None,
        flag("--gitignore/--no-gitignore", "Whether .gitignore and .recollectignore files in the folder are heeded."),
    ] = None,
    dry_run: Annotated[bool, flag("--dry-run", "Say what would be done, and change nothing.")] = False,
    even_if_empty: Annotated[
        bool, flag("--even-if-empty", "Believe a folder that has lost all its files, and remove what was kept.")
    ] = False,
    full: Annotated[
        bool, flag("--full", "Read every file again, also those whose size, times and inode are what they were.")
    ] = False,
    wait: options.Wait = None,
) -> "CommandResult[SyncedFolders | None]":
    """Keep folders of notes and session logs in memory.

    Only what changed is read and embedded again; what is gone is removed. The folder itself is never changed. The rules
    that you give hold for the next time, too.

    Exits with 1 when a folder is missing, was never named by its path on this machine, is empty all of a sudden, or
    could not be seen whole: then nothing is removed from it. With --watch and --json each sync is one line of JSON.
    """
    if watch and dry_run:
        raise InvalidInput("--watch and --dry-run do not go together: one goes on, the other changes nothing.")
    rules: dict[str, Any] = {
        "source": source,
        "include": _patterns(include),
        "exclude": _patterns(exclude),
        "hidden": hidden,
        "gitignore": gitignore,
    }
    if watch:
        _watch(context, paths or (), rules, even_if_empty=even_if_empty, full=full, wait=bool(wait))
        return CommandResult(None, _show_synced)
    with say_what_waits(context), context.progress.steps() as step, report_vectors(context.me, step) as tell:
        reports = context.me.files.sync(
            *(paths or ()), **rules, even_if_empty=even_if_empty, full=full, dry_run=dry_run, wait=wait, tell=tell
        )
    incomplete = any(report.state != "synced" for report in reports)
    return CommandResult(SyncedFolders(reports, waiting_texts(context)), _show_synced, FAILED if incomplete else 0)


def _patterns(given: Sequence[str] | None) -> list[str] | None:
    """Give the patterns that were typed; an empty one takes back those of the last time."""
    return [pattern for pattern in given if pattern] if given else None


@contextmanager
def report_vectors(me: "UserMemory", step: StepCallback) -> "Iterator[Callable[[SyncProgress], None]]":
    """Report files as they are read; once all are, or the first vectors are made, the queue shows how far these are."""
    read, over = Event(), Event()

    def tell(progress: "SyncProgress") -> None:
        step("Reading files", progress.done, progress.total)
        if progress.done >= progress.total:
            read.set()

    def follow() -> None:
        most = 0
        while not over.wait(_LOOK_S):
            try:
                waiting = me.stats().pending_jobs
            except RecollectError:  # the sync itself reports it
                return
            most = max(most, waiting)
            if waiting < most or (most and read.is_set()):
                step("Making vectors", most - waiting, most)

    follower = Thread(target=follow, name="recollect-progress", daemon=True)
    follower.start()
    try:
        yield tell
    finally:
        over.set()
        follower.join()


def _watch(
    context: CommandContext,
    paths: Sequence[str],
    rules: Mapping[str, Any],
    *,
    even_if_empty: bool,
    full: bool,
    wait: bool,
) -> None:
    """Sync folders, and again whenever they change. Vectors are made meanwhile, by the worker thread."""
    progress = context.progress
    log = _SyncLog(progress)
    with stop_on_signal(progress) as stop:
        with progress.steps() as step:
            reports = context.me.files.sync(
                *paths,
                **rules,
                even_if_empty=even_if_empty,
                full=full,
                wait=wait,
                tell=lambda read: step("Reading files", read.done, read.total),
            )
        for report in reports:
            log.report(report)
        named_here = [report.root for report in reports if report.state != "unnamed"]  # to pass a path is to name it
        if not named_here:
            return
        progress.say(f"Watching {counted(len(named_here), 'folder', 'folders')}. Ctrl-C ends it.")
        context.me.files.watch(*named_here, stop=stop, tell=log.report_news, **rules)


class _SyncLog:
    """Reports each sync that did something; what is as it was is not reported again."""

    def __init__(self, progress: ProgressReporter) -> None:
        self._progress = progress
        self._latest: dict[str, SyncReport] = {}
        self._failure = ""

    def report(self, report: "SyncReport") -> None:
        """Report a folder, whatever happened to it."""
        before = self._latest.get(report.root)
        self._latest[report.root] = report
        self._progress.announce(sync_line(report, before.trouble if before else ()), report)

    def report_news(self, outcome: "SyncReport | RecollectError") -> None:
        """Report the outcome of a sync, if that is new."""
        if isinstance(outcome, RecollectError):
            if str(outcome) != self._failure:
                self._failure = str(outcome)
                self._progress.announce(f"It is tried again later: {outcome}", outcome)
            return
        self._failure = ""
        before = self._latest.get(outcome.root)
        unchanged = before is not None and (outcome.state, outcome.trouble) == (before.state, before.trouble)
        if outcome.writes > outcome.touched or not unchanged:
            self.report(outcome)


def _show_synced(view: "View", synced: SyncedFolders | None) -> None:
    for report in synced.folders if synced else ():
        view.line(named(report.root), "bold")
        if report.state not in ("missing", "unnamed", "empty"):
            view.fields((f"  {name}", text) for name, text in _described(report))
        warning = _warning(report)
        if warning:
            view.print(view.indent(view.text(f"{warning[:1].upper()}{warning[1:]}", "yellow")))
    show_waiting(view, synced.waiting if synced else 0)


def _described(report: "SyncReport") -> Iterator[tuple[str, str]]:
    yield "files", f"{report.seen:,} seen, {report.unchanged:,} unchanged"
    yield "changes", _changes(report)
    if report.written or report.kept:
        yield "chunks", amounts((report.written, "written", "written"), (report.kept, "kept", "kept"))
    if report.embedded:
        yield "vectors", f"{report.embedded:,} made"
    if report.forgotten:
        yield "forgotten", f"{report.forgotten:,} before, and left alone; `recollect add` brings a file back"
    if report.skipped:
        yield "left out", skipped_files(report.skipped)
    if report.trouble:
        yield "for example", "\n".join(examples([f"{named(file.path)}: {file.reason}" for file in report.trouble]))


def _warning(report: "SyncReport") -> str:
    """Say what kept a sync from seeing all of a folder; nothing when it was seen whole."""
    return _STATES.get(report.state, "")


def _changes(report: "SyncReport") -> str:
    """Say what was done with the files of a folder."""
    done = [
        f"{amount:,} {name}"
        for amount, name in (
            (report.added, "added"),
            (report.changed, "changed"),
            (report.renamed, "renamed"),
            (report.removed, "removed"),
            (report.touched, "saved again as it was"),
        )
        if amount
    ]
    if done:
        return f"{'would be ' if report.dry_run else ''}{', '.join(done)}"
    return "nothing to do" if report.seen else "no files to sync"


def sync_line(report: "SyncReport", known_trouble: Collection["SkippedFile"] = ()) -> str:
    """Say what a sync did, and what it could not do; trouble that is `known_trouble` is not mentioned again."""
    parts = [] if report.state in ("missing", "unnamed", "empty") else [_changes(report)]
    if report.written:
        parts.append(f"{counted(report.written, 'chunk', 'chunks')} written")
    told = ", ".join(parts)
    trouble = [f"{named(one.path)} ({one.reason})" for one in report.trouble if one not in known_trouble]
    more = ", …" if len(trouble) > _MOST_NAMED else ""
    unread = f"; not read: {', '.join(trouble[:_MOST_NAMED])}{more}" if trouble else ""
    caught = _warning(report)
    return f"{named(report.root)}: {told}{unread}{'; ' if told and caught else ''}{caught}"
