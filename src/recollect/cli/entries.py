"""Memories as people see them: the text, and below it the id, whole and ready to be copied, with kind and time."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recollect.cli.screen import safe
from recollect.cli.words import ago, minute, percent, shortened
from recollect.types import Hit, MemoryRecord, Parts

_LONGEST = 300
_TIMES = "\N{MULTIPLICATION SIGN}"


def listed(records: Iterable[MemoryRecord], now: datetime) -> RenderableType:
    """Show memories one below the other."""
    return Group(*(_entry(record, _told(record, now)) for record in records))


def ranked(hits: Sequence[Hit], now: datetime, *, explain: bool = False, sources: bool = False) -> RenderableType:
    """Show hits with their scores, and how these came about if that was asked; `sources` names where each is from."""
    table = _grid()
    for hit in hits:
        entry = _found(hit, now, sources=sources)
        table.add_row(Text(percent(hit.score), "bold cyan"), Group(entry, explained(hit.parts)) if explain else entry)
    return table


def versions(records: Sequence[MemoryRecord]) -> RenderableType:
    """Show the versions of a memory with the time in which each was held true."""
    return Group(*(_entry(record, _validity(record)) for record in records))


def explained(parts: Parts) -> RenderableType:
    """Show the sum that makes a score, so that it can be checked by hand."""
    table = Table.grid(padding=(0, 2))
    for justify in ("left", "right", "right", "right", "right"):
        table.add_column(style="dim", justify=justify, no_wrap=True)
    for name, part in parts.channels.items():
        rank = "not found" if part.rank is None else f"rank {part.rank}"
        product = f"score {part.score:.4f} {_TIMES} weight {part.weight:.4f}"
        table.add_row(name, rank, f"raw {part.raw:.4f}", product, f"= {part.score * part.weight:.4f}")
    table.add_row("sum", "", "", "", f"= {max(0.0, parts.relevance):.4f}")
    for name, factor in parts.factors.items():
        table.add_row(name, "", "", f"{_TIMES} {factor:.4f}", "")
    return table


def _grid() -> Table:
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    return table


def _found(hit: Hit, now: datetime, *, sources: bool) -> Text:
    record = hit.record
    if isinstance(record, MemoryRecord):
        details = _told(record, now)
        return _entry(record, " · ".join(_where(f"memory · {details}", record.session)) if sources else details)
    entry = safe(shortened(hit.content, _LONGEST))
    details = " · ".join(_where(f"{hit.source} · {ago(record.said_at, now)}", record.conversation))
    return entry.append("\n").append_text(safe(f"{hit.id}  {details}", "dim"))


def _where(details: str, conversation: str) -> tuple[str, ...]:
    return (details, f"in {conversation}") if conversation else (details,)


def _entry(record: MemoryRecord, details: str) -> Text:
    entry = safe(shortened(record.content, _LONGEST))
    named = [part for part in (record.subject, record.key, record.context) if part]
    about = " ".join(named)
    if not all(part.replace("_", " ").casefold() in record.content.casefold() for part in named):
        entry.append_text(safe(f" ({about})", "dim"))
    return entry.append("\n").append_text(safe(f"{record.id}  {details}", "dim"))


def _told(record: MemoryRecord, now: datetime) -> str:
    return f"{record.type} · {ago(record.occurred_at or record.created_at, now)}"


def _validity(record: MemoryRecord) -> str:
    start = minute(record.valid_from)
    return f"{start} to {minute(record.valid_until)}" if record.valid_until else f"since {start}"
