"""Results for people. Every command has its view here; `documents` gives the same values to programs."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

from rich.console import Console
from rich.table import Table
from rich.text import Text

from recollect.cli.demo import Step, Tour
from recollect.cli.entries import listed, ranked, versions
from recollect.cli.screen import ask, busy, open_console, print_plainly, safe
from recollect.cli.show_demo import show_tour
from recollect.cli.values import Asked, filters
from recollect.cli.verbs import Count, Diagnosis, FullStatus, History, UserStats
from recollect.cli.words import ago, clock, counted, size
from recollect.types import Forgotten, Maintenance, MemoryRecord, Page, Recall, Remembered, Status, StoreStats
from recollect.vocabulary import Trust

_BUSY = {"doctor": "Examining the store", "maintain": "Tidying up", "demo": "Taking the tour"}


class Sheet(NamedTuple):
    """Where a view writes, and what it may need to know."""

    console: Console
    asked: Asked
    now: datetime


def show(command: str, value: object, asked: Asked, now: datetime) -> None:
    """Print what a command found."""
    console = open_console()
    with print_plainly(console):
        _VIEWS[command](Sheet(console, asked, now), value)


def busy_with(command: str) -> AbstractContextManager[object]:
    """Show that a long command is at work."""
    return busy(open_console(), _BUSY[command]) if command in _BUSY else nullcontext()


def confirm(plan: Forgotten, record: MemoryRecord | None) -> bool:
    """Show what would be forgotten, and ask."""
    if record is None:
        return ask(f"Forget everything, {_amount(plan, everything=True)}, for good?")
    open_console().print(safe(record.content, "bold"))
    return ask(f"Forget {_amount(plan)} for good?")


def _show_remembered(sheet: Sheet, value: Remembered) -> None:
    said = {
        "created": "Remembered.",
        "duplicate": "Known already; nothing was added.",
        "superseded": f"Remembered, replacing {value.existing_id}.",
        "outranked": f"Kept as history only; {value.existing_id} stands.",
    }
    sheet.console.print(said[value.action])
    sheet.console.print(value.id, style="dim")
    _show_degraded(sheet, value.degraded, "It is found by its words until `recollect maintain` has embedded it.")


def _show_recall(sheet: Sheet, value: Recall) -> None:
    if value.hits:
        sheet.console.print(ranked(value.hits, sheet.now, explain=sheet.asked["explain"]))
    else:
        sheet.console.print("No relevant memories found. `recollect list` shows what there is.")
    _show_degraded(sheet, value.degraded, "The answer comes from what still works; `recollect doctor` may know why.")


def _show_degraded(sheet: Sheet, channels: Sequence[str], so_what: str) -> None:
    if channels:
        sheet.console.print(f"Without {' and '.join(channels)} search: it failed. {so_what}", style="yellow")


def _show_record(sheet: Sheet, record: MemoryRecord) -> None:
    sheet.console.print(safe(record.content, "bold"))
    table = _figures()
    for name, text in _described(record, sheet.now):
        if text:
            table.add_row(name, safe(text))
    sheet.console.print(table)


def _described(record: MemoryRecord, now: datetime) -> Sequence[tuple[str, str]]:
    return (
        ("id", record.id),
        ("type", record.type),
        ("subject", record.subject),
        ("key", record.key),
        ("value", record.value),
        ("context", record.context),
        ("importance", f"{record.importance:g}"),
        ("confidence", f"{record.confidence:g}"),
        ("source", f"{record.source} ({Trust(record.trust).name.lower()})"),
        ("session", record.session),
        ("occurred", _time(record.occurred_at)),
        ("valid from", _time(record.valid_from)),
        ("valid until", _time(record.valid_until)),
        ("replaced by", record.superseded_by or ""),
        ("expires", _time(record.expires_at)),
        ("place", _place(record)),
        ("metadata", ", ".join(f"{name}={value}" for name, value in record.metadata.items())),
        ("stored", f"{clock(record.created_at)} ({ago(record.created_at, now)})"),
        ("changed", _time(record.updated_at) if record.updated_at != record.created_at else ""),
    )


def _time(moment: datetime | None) -> str:
    return clock(moment) if moment else ""


def _place(record: MemoryRecord) -> str:
    point = f"{record.lat:g}, {record.lng:g}" if record.lat is not None and record.lng is not None else ""
    return " · ".join(part for part in (record.place_label, record.address, point) if part)


def _show_page(sheet: Sheet, page: Page) -> None:
    if not page.items:
        narrowed = filters(sheet.asked, sheet.now)
        sheet.console.print(
            "Nothing matches." if narrowed else "Nothing here yet. `recollect store TEXT` remembers something."
        )
        return
    sheet.console.print(listed(page.items, sheet.now))
    if page.cursor:
        sheet.console.print(f"There is more: add --cursor {page.cursor}", style="yellow")


def _show_history(sheet: Sheet, value: History) -> None:
    sheet.console.print(versions(value.versions))


def _show_count(sheet: Sheet, value: Count) -> None:
    sheet.console.print(counted(value.count, "memory", "memories"))


def _show_forgotten(sheet: Sheet, receipt: Forgotten) -> None:
    console = sheet.console
    if receipt.action == "candidates":
        console.print("Several memories may be meant; nothing was forgotten.", style="yellow")
        console.print(ranked(receipt.candidates, sheet.now))
        console.print("To forget one of them, type: recollect forget ID")
    elif receipt.action == "not_found":
        console.print(_nothing(sheet.asked))
    else:
        amount = _amount(receipt, everything=sheet.asked["everything"])
        console.print(f"{'Would forget' if receipt.dry_run else 'Forgotten for good:'} {amount}.")
        if receipt.dry_run:
            console.print("\n".join(receipt.ids), style="dim")


def _nothing(asked: Asked) -> Text:
    if asked["id"] is not None:
        return safe(f"No memory {asked['id']}; nothing was forgotten. `recollect list` shows what there is.")
    return Text("There is nothing to forget." if asked["everything"] else "No memory matches; nothing was forgotten.")


def _amount(receipt: Forgotten, *, everything: bool = False) -> str:
    if everything:
        return counted(len(receipt.ids), "entry", "entries")
    earlier = len(receipt.ids) - 1
    return f"1 memory and {counted(earlier, 'earlier version', 'earlier versions')}" if earlier else "1 memory"


def _show_stats(sheet: Sheet, value: UserStats) -> None:
    stats = value.stats
    table = _figures()
    table.add_row("user", value.user)
    table.add_row("memories", f"{stats.memories:,}")
    for kind, amount in sorted(stats.by_type.items(), key=lambda item: (-item[1], item[0])):
        table.add_row(f"  {kind}", f"{amount:,}")
    table.add_row("replaced", f"{stats.superseded:,}")
    table.add_row("expired", f"{stats.expired:,}")
    table.add_row("with a vector", f"{stats.with_vector:,}")
    _add_jobs(table, stats.pending_jobs, stats.parked_jobs)
    table.add_row("oldest", ago(stats.oldest, sheet.now) if stats.oldest else "-")
    table.add_row("newest", ago(stats.newest, sheet.now) if stats.newest else "-")
    sheet.console.print(table)


def _add_jobs(table: Table, pending: int, parked: int) -> None:
    if pending:
        table.add_row("waiting for one", f"{pending:,}")
    if parked:
        table.add_row("given up on", f"{parked:,}")


def _show_status(sheet: Sheet, value: FullStatus) -> None:
    table = _figures()
    for name, text in (*_installation(value.status), ("user", value.user), *_amounts(value.status.stats)):
        table.add_row(name, safe(text))
    for row in value.settings:
        if row.source != "default":
            table.add_row(row.name, safe(f"{row.value} ({row.source})"))
    sheet.console.print(table)
    for advice in value.status.advice:
        sheet.console.print(safe(advice, "yellow"))


def _installation(status: Status) -> Sequence[tuple[str, str]]:
    return (
        ("recollect", status.version),
        ("store", f"{status.backend} {status.backend_version}, schema {status.schema_version}"),
        ("location", status.location),
        ("embedding", status.embedding),
    )


def _amounts(stats: StoreStats) -> Sequence[tuple[str, str]]:
    held = f"{counted(stats.memories, 'memory', 'memories')} of {counted(stats.users, 'user', 'users')}"
    return (("holds", f"{held}, {counted(stats.vectors, 'vector', 'vectors')}"), ("size", size(stats.size_bytes)))


def _show_diagnosis(sheet: Sheet, value: Diagnosis) -> None:
    if not value.problems:
        sheet.console.print("All is well.", style="green")
    for problem in value.problems:
        sheet.console.print(Text(f"{problem.check}: {problem.count:,}", "bold red"), safe(problem.advice))


def _show_maintenance(sheet: Sheet, value: Maintenance) -> None:
    sheet.console.print(f"Embedded {counted(value.embedded, 'memory', 'memories')}.")
    if value.parked:
        sheet.console.print(f"Gave up on {value.parked:,}; `recollect doctor` may know why.", style="yellow")
    for note in value.notes:
        sheet.console.print(safe(f"{note[:1].upper()}{note[1:]}."))


def _show_tour(sheet: Sheet, tour: Tour) -> None:
    def view(step: Step) -> None:
        _VIEWS[step.command](sheet._replace(asked=step.asked), step.result)

    show_tour(sheet.console, tour, view)


def _figures() -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    return table


View: TypeAlias = Callable[[Sheet, Any], None]

_VIEWS: Mapping[str, View] = {
    "store": _show_remembered,
    "recall": _show_recall,
    "get": _show_record,
    "update": _show_record,
    "list": _show_page,
    "history": _show_history,
    "count": _show_count,
    "forget": _show_forgotten,
    "stats": _show_stats,
    "status": _show_status,
    "doctor": _show_diagnosis,
    "maintain": _show_maintenance,
    "demo": _show_tour,
}
