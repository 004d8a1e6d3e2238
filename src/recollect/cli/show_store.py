"""Figures about the store, and what tending it did, for people."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from rich.table import Table
from rich.text import Text

from recollect.cli.folders import condition, errors
from recollect.cli.screen import safe
from recollect.cli.sheet import Sheet, View, figures
from recollect.cli.show_embedding import covered, how_far, parked_items
from recollect.cli.verbs import Diagnosis, FullStatus, UserStats
from recollect.cli.words import about_dollars, ago, counted, lasting, listing, named, percent, size
from recollect.model.files import FolderStatus
from recollect.model.stats import Maintenance, Status, StoreStats


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
    table.add_row("files", f"{stats.files:,}")
    table.add_row("  chunks", f"{stats.chunks:,}")
    table.add_row("with a vector", f"{stats.with_vector:,}")
    _add_jobs(table, stats.pending_jobs, stats.parked_jobs)
    if stats.cache.hit_rate is not None:
        table.add_row("cache", _knew(stats.cache.hit_rate))
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
    rows = (
        *_installation(status),
        ("user", value.user),
        *_amounts(status.stats),
        *_vectors(status, sheet.now),
        *_spending(status),
        *_folders(value.folders, sheet.now),
    )
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
        ("embedding", f"{status.embedding}, {status.space.dimensions} dimensions" if status.space else "none"),
        ("summaries", status.summarizer),
        ("places", _places(status)),
    )


def _amounts(stats: StoreStats) -> Sequence[tuple[str, str]]:
    items = [counted(stats.memories, "memory", "memories"), counted(stats.messages, "message", "messages")]
    if stats.files:
        items.append(f"{counted(stats.files, 'file', 'files')} in {counted(stats.chunks, 'chunk', 'chunks')}")
    users, vectors = counted(stats.users, "user", "users"), counted(stats.vectors, "vector", "vectors")
    return (("holds", f"{listing(items)} of {users}, {vectors}"), ("size", size(stats.size_bytes)))


def _vectors(status: Status, now: datetime) -> Iterator[tuple[str, str]]:
    """Say what can be found by meaning, and what is on its way there."""
    if any(source.items for source in status.coverage):
        yield "vectors", covered(status.coverage)
    waiting = sum(source.waiting for source in status.coverage)
    if waiting:
        since = status.waiting_since
        yield "waiting", f"{waiting:,}" + (f", the oldest for {lasting(now - since)}" if since else "")
    if status.building is not None:
        yield "changing to", how_far(status.building)
    for batch in status.bulks:
        if batch.state in ("submitting", "running", "collecting"):
            handed_in = f"{batch.done:,} of {counted(batch.texts, 'text', 'texts')}"
            yield "batch", f"{handed_in} done at {batch.space.provider}, handed in {ago(batch.submitted_at, now)}"
    if status.parked:
        yield "given up on", "\n".join(parked_items(status.parked, status.stats.parked_jobs))
    if status.cache.entries:
        rate = status.cache.hit_rate
        used = "" if rate is None else f", {_knew(rate)}"
        yield "cache", f"{counted(status.cache.entries, 'vector', 'vectors')}, {size(status.cache.bytes)}{used}"


def _knew(rate: float) -> str:
    return f"knew {percent(rate)} of what was asked"


def _spending(status: Status) -> Iterator[tuple[str, str]]:
    spent, embedded, cost = status.spent_today.tokens, status.embedding_today.tokens, status.embedding_cost
    if embedded:
        price = "" if cost is None else f", {about_dollars(cost)}" if cost else ", free of charge"
        yield "embedded today", f"{counted(embedded, 'token', 'tokens')}{price}"
    if spent:
        yield "spent today", f"{spent:,} of {status.tokens_per_day:,} tokens"


def _folders(folders: Sequence[FolderStatus], now: datetime) -> Iterator[tuple[str, str]]:
    """Say how each synced folder stands."""
    for status in folders:
        lines = (named(status.folder.root), condition(status, now, looked=True), errors(status))
        yield "folder", "\n".join(filter(None, lines))


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


def _places(status: Status) -> str:
    """Say who names places, and how much waits for that."""
    waiting = counted(status.unlocated, "address is", "addresses are")
    return f"{status.geocoder}; {waiting} still to be found out" if status.unlocated else status.geocoder
