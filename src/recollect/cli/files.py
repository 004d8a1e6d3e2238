"""Commands for the files that are kept, for the text of files and messages, and for what other systems exported."""

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, cast

from recollect import plugins
from recollect.cli.formatting import ago, counted, examples, folder_errors, folder_state, named, size
from recollect.cli.hooks import read_message
from recollect.cli.json_output import fields_of
from recollect.cli.options import Before, argument, flag, one_of, option
from recollect.cli.permissions import admit, is_admin
from recollect.cli.progress import StepCallback, show_waiting, waiting_texts
from recollect.cli.runner import CommandContext, CommandResult, CommandSet, given_text
from recollect.errors import InvalidInput, NotFound
from recollect.model.files import CUT
from recollect.model.literals import FILE_SOURCES, FileSource, Trust

if TYPE_CHECKING:
    from rich.text import Text

    from recollect.api.memory import UserMemory
    from recollect.cli.view import View
    from recollect.model.backups import ImportReport
    from recollect.model.files import FilePage, FileRecord, FileText, FolderStatus
    from recollect.model.readings import ExplainedReading

commands = CommandSet("Files")

_FORMATS = ("basic-memory", "chatgpt", "claude", "mem0", "recollect")
_PLACE: Final = re.compile(r"(?s:(.+)):(\d+)(?:-(\d*))?")
_RANGE: Final = re.compile(r"\s*(\d{1,9})\s*(?:-\s*(\d{0,9})\s*)?")
_END: Final = 10**9  # beyond the last line of any file
_NO_FILES = "No files yet. `recollect sync FOLDER` keeps a folder in memory, `recollect add FILE` a document."


def described(file: "FileRecord") -> str:
    """Give a file on one line: its id, its kind, and how much of it there is."""
    details = [file.kind, size(file.size), counted(file.chunks, "chunk", "chunks"), *([CUT] if file.cut else [])]
    return f"{file.id}  {' · '.join(details)}"


class FileList(NamedTuple):
    """A page of files, and the folders that are synced."""

    page: "FilePage"
    folders: "tuple[FolderStatus, ...]"

    def document(self) -> dict[str, object]:
        """Give the page with the folders."""
        return {**fields_of(self.page), "folders": self.folders}


@commands.command(
    "read",
    busy="Looking",
    examples=("recollect files", "recollect files --source document", "recollect files --no-look --json"),
)
def files(
    context: CommandContext,
    *,
    limit: Annotated[int, option("N", "At most this many files at once.", "--limit", "-n")] = 50,
    cursor: Annotated[str | None, option("ID", "Go on where the last page ended; it shows what to type.")] = None,
    source: Annotated[
        str | None,
        option(
            "SOURCE",
            "Only files of notes (memory), of session logs (sessions), or documents (document).",
            autocompletion=one_of(FILE_SOURCES),
        ),
    ] = None,
    look: Annotated[bool, flag("--look/--no-look", "Whether to look how far the folders have changed since.")] = True,
) -> CommandResult[FileList]:
    """List files and the folders they come from, newest first."""
    page = context.me.files.list(limit=limit, cursor=cursor, source=cast("FileSource | None", source))
    nothing = "Nothing matches." if source or cursor else _NO_FILES
    return CommandResult(
        FileList(page, context.me.files.folders(look=look)), partial(_show_files, nothing=nothing, looked=look)
    )


def _show_files(view: "View", listed: FileList, *, nothing: str, looked: bool) -> None:
    if not listed.page.items:
        view.line(nothing)
    for file in listed.page.items:
        view.print(_listed(view, file))
    if listed.page.cursor:
        view.line(f"There is more: add --cursor {listed.page.cursor}", "yellow")
    if listed.folders:
        view.line("Synced folders", "bold")
    for status in listed.folders:
        view.line(named(status.folder.root))
        view.line(folder_state(status, view.now, looked=looked), "dim")
        trouble = folder_errors(status)
        if trouble:
            view.line(trouble, "yellow")


def _listed(view: "View", file: "FileRecord") -> "Text":
    """Show a file with its whole path, ready to be read, and its id below."""
    folder = view.text(named(f"{file.root.rstrip('/')}/") if file.root else "", "dim")
    entry = folder.append_text(view.text(named(file.path)))
    entry.append_text(view.text(f"  {ago(file.dated_at or file.updated_at, view.now)}", "dim"))
    return entry.append("\n").append_text(view.text(described(file), "dim"))


@commands.command(
    "read",
    examples=(
        "recollect read setup.md",
        "recollect read notes/setup.md --lines 12-30",
        "recollect read a.md:7-9",
        'recollect read "I moved to Brno. Please answer in Czech from now on."',
        'recollect read Jana --before "What is your sister called?"',
    ),
)
def read(
    context: CommandContext,
    path: Annotated[
        str,
        argument(
            "PATH",
            "A path, as much of its end as only one file has, an id, or a place in a hit, such as home.md:5-8. "
            "Or a message: - reads one from standard input.",
        ),
    ],
    *,
    lines: Annotated[
        str | None, option("FIRST-LAST", "Only these lines, such as 12-30, 12, or 12- to the end.")
    ] = None,
    before: Before = None,
) -> "CommandResult[FileText] | CommandResult[ExplainedReading]":
    """Show the text of a file, or what a message teaches.

    From where the file lies; from the store when it is gone. Secrets and private parts are masked, as they are in
    memory. Several words that name no file are a message, and so is a reply to something said before: it is shown with
    what would be remembered of it, what would not and why, and whether an answer needs memory. Nothing is stored.
    """
    if lines is not None:
        return CommandResult(context.me.files.read(path, _line_range(lines)), _show_text)
    if path == "-" or before is not None:
        return read_message(context, given_text(path), before or "")
    try:
        return CommandResult(_read_place(context.me, path), _show_text)
    except NotFound:
        if len(path.split()) == 1:
            raise
    return read_message(context, path, "")


def _read_place(me: "UserMemory", path: str) -> "FileText":
    """Read a path as hits show it, with lines behind a colon; some files are called like that."""
    place = _PLACE.fullmatch(path)
    if place is None:
        return me.files.read(path)
    try:
        return me.files.read(place[1], _line_range(path[len(place[1]) + 1 :]))
    except NotFound:
        return me.files.read(path)


def _line_range(text: str) -> tuple[int, int]:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise InvalidInput(f"--lines is {text!r}; expected lines such as 12-30, 12, or 12- to the end.")
    first = int(match[1])
    if match[2] is None:
        return first, first
    return first, int(match[2]) if match[2] else _END


def _show_text(view: "View", text: "FileText") -> None:
    """Print lines: with their numbers on a terminal, and as they are for a program that reads them."""
    content = text.text.removesuffix("\n")
    if not view.console.is_terminal:
        sys.stdout.write(f"{view.text(content).plain}\n")
        return
    table = view.grid("number", "text")
    for number, line in zip(_numbers(text), content.split("\n"), strict=False):
        table.add_row(number, view.text(line))
    view.print(table)
    if text.origin == "store" and text.file.root:
        view.line("From the store: the file cannot be read where it was.", "yellow")
    elif not text.current:
        view.line("It has changed since it was synced; `recollect sync` brings it in step.", "yellow")


def _numbers(text: "FileText") -> Iterable[str]:
    """Give the numbers of lines; none for a session, in which one line of the file may say several."""
    is_plain = text.text.count("\n") == text.last - text.first
    return map(str, range(text.first, text.last + 1)) if is_plain else repeat("")


@commands.command(
    "write",
    name="import",
    examples=(
        "recollect import ~/Downloads/chatgpt-export.zip --dry-run",
        "recollect import ~/Downloads/claude-export.zip",
        "recollect import mem0.json --of-user anna",
        "recollect import ~/basic-memory --format basic-memory --trusted",
        "recollect import anna.zip --as anna2",
    ),
)
def import_export(
    context: CommandContext,
    path: Annotated[
        str, argument("PATH", "The archive as it was downloaded, a file of it, or the folder it was unpacked into.")
    ],
    *,
    format: Annotated[
        str | None,
        option(
            "FORMAT",
            f"Which system it is from: {', '.join(_FORMATS)}. Without it, the content shows.",
            autocompletion=one_of(_FORMATS),
        ),
    ] = None,
    trusted: Annotated[
        bool, flag("--trusted", "Trust its memories as if you had said them here; otherwise they replace nothing.")
    ] = False,
    of_user: Annotated[str | None, option("NAME", "Whose memories are meant, in an export of several users.")] = None,
    as_user: Annotated[
        str | None,
        option(
            "NAME",
            "Into whose memory an export of Recollect goes; that of the user it is of, unless you say. "
            "`--user` before the command says the same.",
            "--as",
        ),
    ] = None,
    identity: Annotated[str | None, option("FILE", "The file with the key of an encrypted export.")] = None,
    passphrase_file: Annotated[
        str | None, option("FILE", "A file whose first line is the passphrase of an encrypted export.")
    ] = None,
    dry_run: Annotated[bool, flag("--dry-run", "Say what would be brought, and store nothing.")] = False,
) -> "CommandResult[ImportReport]":
    """Bring what another system, or `export`, has written.

    Exports of ChatGPT, Claude, mem0 and basic-memory; and of Recollect, with ids, history and times. Doing so again
    brings only what is new. You are told what was brought, what was left out, and why.
    """
    from recollect.api.backups import is_own_export

    if format == "recollect" or (format is None and is_own_export(path)):
        opened: dict[str, Any] = {"of_user": of_user, "identity": identity, "dry_run": dry_run}
        if passphrase_file is not None:
            from recollect.encryption import read_passphrase

            opened["passphrase"] = read_passphrase(passphrase_file)
        return CommandResult(_import_own(context, path, as_user, opened), show_import)
    if as_user is not None:
        raise InvalidInput("--as belongs to an export of Recollect. For others, say --user NAME before the command.")
    import_file = plugins.find("readers", "exports of other systems", "recollect-connect")
    trust = Trust.STATED if trusted else Trust.EXTERNAL
    with context.progress.steps() as step:
        report = import_file(
            context.me, path, format=format, of_user=of_user, dry_run=dry_run, trust=trust, tell=reporting(step)
        )
    return CommandResult(with_waiting(context, report), show_import)


def _import_own(context: CommandContext, path: str, as_user: str | None, options: dict[str, Any]) -> "ImportReport":
    """Bring an export of ours: into the memory of the user that was named, or of those it is of."""
    from recollect.api.backups import import_own
    from recollect.api.memory import AuditedWrite

    into, admin = as_user or context.user_named, is_admin(context.memory)
    if not admin:
        into = into or context.me.user_id
        admit(context.memory, "write", named=into)
    audit = AuditedWrite(context.actor, context.command)
    with context.progress.steps() as step:
        if not into:
            return import_own(context.memory, path, audit=audit, tell=reporting(step), **options)
        target = context.memory.user(into, audit=audit)
        report = import_own(target, path, tombstones=admin, tell=reporting(step), **options)
    return report if report.dry_run else replace(report, waiting=target.stats().pending_jobs)


def with_waiting(context: CommandContext, report: "ImportReport") -> "ImportReport":
    """Add to a report how many texts wait for a vector."""
    return report if report.dry_run else replace(report, waiting=waiting_texts(context))


def reporting(step: StepCallback) -> Callable[[Any], None]:
    """Give what an import tells how far it is."""
    return lambda progress: step(f"Bringing {progress.what}", progress.done, progress.total)


def show_import(view: "View", report: "ImportReport") -> None:
    """Show what an import brought."""
    brought = [f"{what} {amount:,}" for what, amount in report.brought.items() if amount]
    skipped = [f"{part.what} {part.amount:,}: {part.reason}" for part in report.skipped]
    view.fields(
        (
            ("from", f"{report.path} ({report.format})"),
            ("would bring" if report.dry_run else "brought", "\n".join(brought) or "nothing new"),
            ("left out", "\n".join(skipped)),
            ("for example", "\n".join(examples(list(report.examples)))),
        )
    )
    show_waiting(view, report.waiting)
