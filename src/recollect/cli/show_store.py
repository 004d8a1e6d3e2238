"""Figures about the store, and what tending it did, for people."""

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from recollect.cli.screen import safe
from recollect.cli.sheet import Sheet, View, figures
from recollect.cli.verbs import Diagnosis, FullStatus, UserStats
from recollect.cli.words import ago, counted, listing, size
from recollect.types import Maintenance, Status, StoreStats


def _show_stats(sheet: Sheet, value: UserStats) -> None:
    stats = value.stats
    table = figures()
    table.add_row("user", value.user)
    table.add_row("memories", f"{stats.memories:,}")
    for kind, amount in sorted(stats.by_type.items(), key=lambda item: (-item[1], item[0])):
        table.add_row(f"  {kind}", f"{amount:,}")
    table.add_row("replaced", f"{stats.superseded:,}")
    table.add_row("expired", f"{stats.expired:,}")
    table.add_row("messages", f"{stats.messages:,}")
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
    table = figures()
    status = value.status
    rows = (*_installation(status), ("user", value.user), *_amounts(status.stats), *_spending(status))
    for name, text in rows:
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
        ("summaries", status.summarizer),
    )


def _amounts(stats: StoreStats) -> Sequence[tuple[str, str]]:
    items = (counted(stats.memories, "memory", "memories"), counted(stats.messages, "message", "messages"))
    users, vectors = counted(stats.users, "user", "users"), counted(stats.vectors, "vector", "vectors")
    return (("holds", f"{listing(items)} of {users}, {vectors}"), ("size", size(stats.size_bytes)))


def _spending(status: Status) -> Sequence[tuple[str, str]]:
    spent = status.spent_today.tokens
    return (("spent today", f"{spent:,} of {status.tokens_per_day:,} tokens"),) if spent else ()


def _show_diagnosis(sheet: Sheet, value: Diagnosis) -> None:
    if not value.problems:
        sheet.console.print("All is well.", style="green")
    for problem in value.problems:
        sheet.console.print(Text(f"{problem.check}: {problem.count:,}", "bold red"), safe(problem.advice))


def _show_maintenance(sheet: Sheet, value: Maintenance) -> None:
    console = sheet.console
    console.print(f"Embedded {counted(value.embedded, 'text', 'texts')}.")
    if value.expired:
        console.print(f"Forgot {counted(value.expired, 'memory', 'memories')} past the expiry.")
    if value.reindexed:
        console.print(f"Indexed {counted(value.reindexed, 'text', 'texts')} anew.")
    if value.compacted:
        console.print(f"Folded the older part of {counted(value.compacted, 'conversation', 'conversations')}.")
    if value.archived:
        console.print(f"Put {counted(value.archived, 'conversation', 'conversations')} away.")
    for note in value.notes:
        console.print(safe(_sentence(note)))
    if value.parked:
        console.print(f"Gave up on {value.parked:,}; `recollect doctor` may know why.", style="yellow")
    for failure in value.failed:
        console.print(safe(f"{_sentence(failure)} It is tried again next time.", "yellow"))


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:].rstrip('.')}."


VIEWS: Mapping[str, View] = {
    "stats": _show_stats,
    "status": _show_status,
    "doctor": _show_diagnosis,
    "maintain": _show_maintenance,
}
