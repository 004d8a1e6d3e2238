"""Results for people. Every command has its view here; `documents` gives the same values to programs."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from rich.text import Text

from recollect.cli import (
    show_access,
    show_conversations,
    show_embedding,
    show_files,
    show_knowledge,
    show_places,
    show_store,
    show_turns,
)
from recollect.cli.demo import Step, Tour
from recollect.cli.entries import Around, listed, ranked, versions
from recollect.cli.errand import Loss
from recollect.cli.progress import OnScreen
from recollect.cli.screen import ask, busy, open_console, print_plainly, safe
from recollect.cli.sheet import Sheet, View, figures, show_degraded
from recollect.cli.show_demo import show_tour
from recollect.cli.show_nodes import show_federated
from recollect.cli.show_places import place_line, show_taken
from recollect.cli.values import Asked, filters
from recollect.cli.verbs import Count, History, Searched, Stored
from recollect.cli.watching import Watch
from recollect.cli.words import ago, amounts, clock, counted, named
from recollect.federation import FederatedResult
from recollect.model.files import FileRecord
from recollect.model.literals import Trust
from recollect.model.memories import MemoryRecord, Page, Recall, Remembered

_BUSY = {
    "doctor": "Examining the store",
    "maintain": "Tidying up",
    "models": "Asking",
    "compact": "Summarising",
    "audit": "Reading the log",
    "demo": "Taking the tour",
    "files": "Looking",
}
_MOST_IDS = 20
_UNSURE = 0.2  # below this, an agent had better say that it does not know


def show(command: str, value: object, asked: Asked, now: datetime) -> None:
    """Print what a command found."""
    console = open_console()
    with print_plainly(console):
        _VIEWS[command](Sheet(console, asked, now), value)


def busy_with(command: str) -> AbstractContextManager[object]:
    """Show that a long command is at work."""
    return busy(open_console(), _BUSY[command]) if command in _BUSY else nullcontext()


def confirm(loss: Loss, item: MemoryRecord | FileRecord | None) -> bool:
    """Show what would be forgotten, and ask."""
    if item is not None:
        open_console().print(safe(named(item.path) if isinstance(item, FileRecord) else item.content, "bold"))
    return ask(
        f"Forget {loss.whole}, {_amount(loss)}, for good?" if loss.whole else f"Forget {_amount(loss)} for good?"
    )


def agree(question: str) -> bool:
    """Ask anything else."""
    return ask(question)


def watch() -> Watch:
    """Give whom to tell how far long work is."""
    return OnScreen(open_console())


def _show_stored(sheet: Sheet, value: Stored) -> None:
    _show_remembered(sheet, value.remembered, _place(value.record) if value.record else "")
    if value.waiting and not value.remembered.degraded:
        it = "it" if value.waiting == 1 else "them"
        console, amount = sheet.console, f"{value.waiting:,} waiting"
        console.print(f"Its vector follows: {amount}, `recollect worker` makes {it}.", style="dim")
    if value.unlocated:
        sheet.console.print("Its address follows: `recollect worker` asks for it.", style="dim")


def _show_remembered(sheet: Sheet, value: Remembered, where: str = "") -> None:
    said = {
        "created": "Remembered.",
        "duplicate": "Known already; nothing was added.",
        "superseded": f"Remembered, replacing {value.existing_id}.",
        "outranked": f"Kept as history only; {value.existing_id} stands.",
    }
    sheet.console.print(said[value.action])
    if where:
        sheet.console.print(safe(where))
    sheet.console.print(value.id, style="dim")
    show_degraded(sheet, value.degraded, "It is found by its words until `recollect maintain` has embedded it.")


def _show_recall(sheet: Sheet, value: Searched) -> None:
    show_taken(sheet, value.near)
    if not value.answer.hits:
        sheet.console.print(
            "Nothing relevant was found, neither in memories nor in files."
            if sheet.asked["files"]
            else "No relevant memories found. `recollect list` shows what there is."
        )
    _show_hits(sheet, value.answer)


def _show_search(sheet: Sheet, value: Searched | FederatedResult) -> None:
    if isinstance(value, FederatedResult):
        show_federated(sheet, value)
        return
    show_taken(sheet, value.near)
    if not value.answer.hits:
        sheet.console.print("Nothing was found, neither in memories nor in what was said, nor in files.")
    _show_hits(sheet, value.answer, sources=True, around=value.around)


def _show_hits(sheet: Sheet, value: Recall, *, sources: bool = False, around: Around | None = None) -> None:
    explain, console = sheet.asked["explain"], sheet.console
    if value.hits and value.answerable < _UNSURE:
        console.print("Nothing here clearly answers that. This comes closest:")
    if value.hits:
        console.print(ranked(value.hits, sheet.now, explain=explain, sources=sources, around=around))
    if explain:
        console.print(f"answerable {value.answerable:.2f}", style="dim")
    show_degraded(sheet, value.degraded, "The answer comes from what still works; `recollect doctor` may know why.")


def _show_record(sheet: Sheet, record: MemoryRecord) -> None:
    sheet.console.print(safe(record.content, "bold"))
    table = figures()
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
    return place_line(record.place_label, record.address, record.lat, record.lng)


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


def _show_forgotten(sheet: Sheet, loss: Loss) -> None:
    console, receipt = sheet.console, loss.receipt
    if receipt.action == "candidates":
        console.print("Several memories may be meant; nothing was forgotten.", style="yellow")
        console.print(ranked(receipt.candidates, sheet.now))
        console.print("To forget one of them, type: recollect forget ID")
    elif receipt.action == "not_found":
        console.print(_nothing(sheet.asked))
    else:
        console.print(f"{'Would forget' if receipt.dry_run else 'Forgotten for good:'} {_amount(loss)}.")
        if receipt.dry_run:
            console.print("\n".join(receipt.ids[:_MOST_IDS]), style="dim")
        if receipt.dry_run and len(receipt.ids) > _MOST_IDS:
            console.print(f"... and {len(receipt.ids) - _MOST_IDS:,} more; --json gives all ids.", style="dim")


def _nothing(asked: Asked) -> Text:
    if asked["id"] is not None:
        return safe(f"No memory {asked['id']}; nothing was forgotten. `recollect list` shows what there is.")
    if asked["folder"] is not None:
        return safe(f"{asked['folder']} was never synced; nothing was forgotten. `recollect files` lists folders.")
    if asked["session"] is not None:
        return safe(
            f"Nothing is kept of {asked['session']}; nothing was forgotten. `recollect conversation` lists them."
        )
    return Text("There is nothing to forget." if asked["everything"] else "No memory matches; nothing was forgotten.")


def _amount(loss: Loss) -> str:
    told = amounts(
        (loss.memories, "memory", "memories"),
        (loss.versions, "earlier version", "earlier versions"),
        (loss.messages, "message", "messages"),
        (loss.files, "file", "files"),
    )
    return told or "a folder without files"


def _show_tour(sheet: Sheet, tour: Tour) -> None:
    def view(step: Step) -> None:
        _VIEWS[step.command](sheet._replace(asked=step.asked), step.result)

    show_tour(sheet.console, tour, view)


_VIEWS: Mapping[str, View] = {
    "store": _show_stored,
    "recall": _show_recall,
    "search": _show_search,
    "get": _show_record,
    "update": _show_record,
    "list": _show_page,
    "history": _show_history,
    "count": _show_count,
    "forget": _show_forgotten,
    **dict.fromkeys(("fact", "prefer", "event", "lesson"), _show_remembered),
    **show_files.VIEWS,
    **show_knowledge.VIEWS,
    **show_places.VIEWS,
    **show_conversations.VIEWS,
    **show_turns.VIEWS,
    **show_embedding.VIEWS,
    **show_store.VIEWS,
    **show_access.VIEWS,
    "demo": _show_tour,
}
