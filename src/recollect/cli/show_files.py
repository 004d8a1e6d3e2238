"""Files, folders and what was brought from elsewhere, for people."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from recollect.cli.folders import chunks, condition, errors, left_out, outcome, warning
from recollect.cli.screen import safe
from recollect.cli.sheet import Sheet, View, figures
from recollect.cli.verbs_files import AddedFiles, Filed, Offered, Synced
from recollect.cli.words import ago, counted, named, size
from recollect.model.files import FileRecord, FileText, FolderStatus, SyncReport

if TYPE_CHECKING:
    from recollect.importing import ImportReport

_MOST_EXAMPLES = 5


def _show_synced(sheet: Sheet, value: Synced) -> None:
    for report in value.folders:
        _show_folder(sheet, report)
    _show_waiting(sheet, value.waiting)


def _show_folder(sheet: Sheet, report: SyncReport) -> None:
    console = sheet.console
    console.print(safe(named(report.root), "bold"))
    if report.state not in ("missing", "empty"):
        table = figures()
        for name, text in _told(report):
            table.add_row(f"  {name}", safe(text))
        console.print(table)
    caught = warning(report)
    if caught:
        console.print(Padding(safe(f"{caught[:1].upper()}{caught[1:]}", "yellow"), (0, 0, 0, 2)))


def _told(report: SyncReport) -> Iterator[tuple[str, str]]:
    yield "files", f"{report.seen:,} seen, {report.unchanged:,} unchanged"
    yield "changes", outcome(report)
    if report.written or report.kept:
        yield "chunks", chunks(report)
    if report.embedded:
        yield "vectors", f"{report.embedded:,} made"
    if report.forgotten:
        yield "forgotten", f"{report.forgotten:,} before, and left alone"
    if report.skipped:
        yield "left out", left_out(report.skipped)
    if report.trouble:
        yield "for example", "\n".join(_examples([f"{named(one.path)}: {one.reason}" for one in report.trouble]))


def _examples(named: list[str]) -> Iterator[str]:
    yield from named[:_MOST_EXAMPLES]
    if len(named) > _MOST_EXAMPLES:
        yield "... --json names more"


def _show_waiting(sheet: Sheet, waiting: int) -> None:
    if waiting:
        amount = counted(waiting, "text waits for its vector", "texts wait for their vectors")
        sheet.console.print(f"{amount}; `recollect worker` makes them. Words find everything at once.", style="dim")


def _show_added(sheet: Sheet, value: AddedFiles) -> None:
    for one in value.files:
        sheet.console.print(_became(one))
    _show_waiting(sheet, value.waiting)


def _became(one: Offered) -> Text:
    if one.added is None:
        return safe(f"{named(one.path)}: not added.", "yellow").append("\n").append_text(safe(f"{one.error}", "yellow"))
    said = {
        "created": "added",
        "replaced": "added, replacing what had its name",
        "duplicate": "known already; nothing was added",
    }
    file = one.added.file
    lines = (
        safe(f"{named(one.path)}: {said[one.added.action]}.").append("\n").append_text(safe(_described(file), "dim"))
    )
    for note in file.notes:
        lines.append("\n").append_text(safe(note, "yellow"))
    return lines


def _described(file: FileRecord) -> str:
    details = (file.kind, size(file.size), counted(file.chunks, "chunk", "chunks"))
    return f"{file.id}  {' · '.join(details)}"


def _show_files(sheet: Sheet, value: Filed) -> None:
    console = sheet.console
    if not value.page.items:
        nothing = "Nothing matches." if sheet.asked["source"] or sheet.asked["cursor"] else _NOTHING
        console.print(nothing)
    for file in value.page.items:
        console.print(_listed(file, sheet))
    if value.page.cursor:
        console.print(f"There is more: add --cursor {value.page.cursor}", style="yellow")
    if value.folders:
        console.print(Text("Synced folders", "bold"))
    for status in value.folders:
        console.print(_folder(status, sheet))


def _listed(file: FileRecord, sheet: Sheet) -> Text:
    """Show a file with its whole path, ready to be read, and its id below."""
    told = safe(named(f"{file.root.rstrip('/')}/") if file.root else "", "dim").append_text(safe(named(file.path)))
    told.append_text(safe(f"  {ago(file.dated_at or file.updated_at, sheet.now)}", "dim"))
    return told.append("\n").append_text(safe(_described(file), "dim"))


_NOTHING = "No files yet. `recollect sync FOLDER` keeps a folder in memory, `recollect add FILE` a document."


def _folder(status: FolderStatus, sheet: Sheet) -> Text:
    told = safe(named(status.folder.root)).append("\n")
    told.append_text(safe(condition(status, sheet.now, looked=sheet.asked["look"]), "dim"))
    trouble = errors(status)
    return told.append("\n").append_text(safe(trouble, "yellow")) if trouble else told


def _show_text(sheet: Sheet, value: FileText) -> None:
    """Print lines: with their numbers on a terminal, and as they are for a program that reads them."""
    console, text = sheet.console, value.text.removesuffix("\n")
    if not console.is_terminal:
        sys.stdout.write(f"{safe(text).plain}\n")
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for number, line in zip(_numbers(value), text.split("\n"), strict=False):
        table.add_row(number, safe(line))
    console.print(table)
    if value.origin == "store" and value.file.root:
        console.print("From the store: the file cannot be read where it was.", style="yellow")
    elif not value.current:
        console.print("It has changed since it was synced; `recollect sync` brings it in step.", style="yellow")


def _numbers(value: FileText) -> Iterable[str]:
    """Give the numbers of lines; none for a session, in which one line of the file may say several."""
    is_plain = value.text.count("\n") == value.last - value.first
    return map(str, range(value.first, value.last + 1)) if is_plain else repeat("")


def _show_import(sheet: Sheet, value: "ImportReport") -> None:
    table = figures()
    table.add_row("from", safe(f"{value.path} ({value.format})"))
    would = "would bring" if value.dry_run else "brought"
    amounts = [f"{what} {amount:,}" for what, amount in value.brought.items() if amount]
    table.add_row(would, "\n".join(amounts) or "nothing new")
    left = [f"{one.what} {one.amount:,}: {one.reason}" for one in value.skipped]
    if left:
        table.add_row("left out", safe("\n".join(left)))
    if value.examples:
        table.add_row("for example", safe("\n".join(_examples(list(value.examples)))))
    sheet.console.print(table)


VIEWS: Mapping[str, View] = {
    "sync": _show_synced,
    "add": _show_added,
    "files": _show_files,
    "read": _show_text,
    "import": _show_import,
    "import-openclaw": _show_import,
}
