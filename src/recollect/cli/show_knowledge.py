"""Facts, preferences, events and lessons for people: by what they are about, or by day."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from itertools import groupby

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from recollect.cli.entries import ranked
from recollect.cli.screen import safe
from recollect.cli.sheet import Sheet, View, show_degraded
from recollect.cli.verbs_knowledge import Known
from recollect.cli.words import ago, day, hour, listing, percent, shortened
from recollect.model.memories import About, MemoryRecord

_LONGEST = 300
_SURE = 1.0


def _show_facts(sheet: Sheet, known: Known) -> None:
    _show(sheet, known, _by_subject, "No facts yet. `recollect fact SUBJECT KEY VALUE` notes one.")


def _show_preferences(sheet: Sheet, known: Known) -> None:
    _show(sheet, known, _by_subject, "No preferences yet. `recollect prefer CATEGORY KEY VALUE` notes one.")


def _show_events(sheet: Sheet, known: Known) -> None:
    _show(sheet, known, _by_day, "Nothing has happened yet. `recollect event SUMMARY` notes that something did.")


def _show_lessons(sheet: Sheet, known: Known) -> None:
    _show(sheet, known, _lessons, "Nothing was learned yet. `recollect lesson TEXT` notes something.")


def _show(sheet: Sheet, known: Known, view: Callable[..., RenderableType], nothing: str) -> None:
    narrowed = any(value is not None for name, value in sheet.asked.items() if name not in ("limit", "json"))
    if known.items:
        sheet.console.print(view(known.items, sheet.now, ids=True))
    else:
        sheet.console.print("Nothing matches." if narrowed else nothing)


def _show_about(sheet: Sheet, about: About) -> None:
    console = sheet.console
    named = f": {listing(about.subjects)}" if about.subjects else ""
    console.print(safe(f"About {about.topic}{named}" if about else f"Nothing is known about {about.topic}."))
    chapters = (
        ("Facts", about.facts, _by_subject),
        ("Preferences", about.preferences, _by_subject),
        ("Events", about.events, _by_day),
        ("Lessons", about.lessons, _lessons),
    )
    for title, records, view in chapters:
        if records:
            console.print(Text(title, "bold"))
            console.print(Padding(view(records, sheet.now, ids=False), (0, 0, 0, 2)))
    if about.hits:
        console.print(Text("Also related", "bold"))
        console.print(Padding(ranked(about.hits, sheet.now), (0, 0, 0, 2)))
    show_degraded(sheet, about.degraded, "The answer comes from what still works; `recollect doctor` may know why.")


def _by_subject(records: Iterable[MemoryRecord], now: datetime, *, ids: bool) -> RenderableType:
    shown: list[RenderableType] = []
    for subject, members in groupby(records, key=lambda record: record.subject):
        shown.append(safe(subject or "(about nothing in particular)", "cyan"))
        for record in members:
            details = [*_doubts(record), ago(record.created_at, now)]
            shown.append(Padding(_entry(_property(record), record.id if ids else "", details), (0, 0, 0, 2)))
    return Group(*shown)


def _property(record: MemoryRecord) -> Text:
    """Show a key with its value, and the sentence besides if somebody said it in one."""
    when = f" ({record.context})" if record.context else ""
    if not (record.key and record.value):
        return safe(f"{shortened(record.content, _LONGEST)}{when}")
    text = safe(f"{record.key}: {shortened(record.value, _LONGEST)}{when}")
    if not record.content.startswith(record.subject):
        text.append_text(safe(f"  {shortened(record.content, _LONGEST)}", "dim"))
    return text


def _by_day(records: Iterable[MemoryRecord], now: datetime, *, ids: bool) -> RenderableType:
    del now  # days and hours are shown as they are
    shown: list[RenderableType] = []
    for date, members in groupby(records, key=lambda record: day(_moment(record))):
        shown.append(safe(date, "cyan"))
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        for record in members:
            table.add_row(hour(_moment(record)), _happened(record, ids=ids))
        shown.append(Padding(table, (0, 0, 0, 2)))
    return Group(*shown)


def _moment(record: MemoryRecord) -> datetime:
    return record.occurred_at or record.created_at


def _happened(record: MemoryRecord, *, ids: bool) -> Text:
    text = safe(shortened(record.content, _LONGEST))
    if record.subject:
        text.append_text(safe(f" ({record.subject})", "dim"))
    if record.value:
        text.append("\n").append_text(safe(shortened(record.value, _LONGEST), "dim"))
    return _entry(text, record.id if ids else "", [record.key or "event", f"importance {record.importance:g}"])


def _lessons(records: Iterable[MemoryRecord], now: datetime, *, ids: bool) -> RenderableType:
    shown = []
    for record in records:
        when = f" ({record.context})" if record.context else ""
        text = safe(f"{shortened(record.content, _LONGEST)}{when}")
        shown.append(_entry(text, record.id if ids else "", [*_doubts(record), ago(record.created_at, now)]))
    return Group(*shown)


def _doubts(record: MemoryRecord) -> list[str]:
    return [f"{percent(record.confidence)} sure"] if record.confidence < _SURE else []


def _entry(text: Text, id: str, details: Iterable[str]) -> Text:
    """Put id and details below a text, or nothing when the id is not wanted."""
    if not id:
        return text
    return text.append("\n").append_text(safe(f"{id}  {' · '.join(details)}", "dim"))


VIEWS: Mapping[str, View] = {
    "about": _show_about,
    "facts": _show_facts,
    "preferences": _show_preferences,
    "events": _show_events,
    "lessons": _show_lessons,
}
