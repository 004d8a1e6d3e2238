"""Renders memories and hits: the text, and below it the id, whole and ready to be copied, with kind and time.

And messages, with what capture finds in them.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from math import prod
from typing import Final, NamedTuple, TypeAlias

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from recollect.cli.formatting import ago, far, media_line, minute, named, percent, place_line, shortened
from recollect.cli.view import safe
from recollect.model.files import Chunk
from recollect.model.memories import Item, MemoryRecord
from recollect.model.messages import Message
from recollect.model.places import PlacePart
from recollect.model.readings import ASSISTANT, Captured, ExplainedReading, MemoryOrigin, TextSpan
from recollect.model.search import ChannelPart, Hit
from recollect.text.telling import only_asks

MessagesAround: TypeAlias = Mapping[str, Sequence[Message]]

_LONGEST = 300
_LONGEST_NAME = 16
_LONGEST_HEADING = 80
_NOTHING = "1.0000"  # a factor that cannot be seen
_RANKING = ("vector", "text")
_TIMES = "\N{MULTIPLICATION SIGN}"
_ARROW = "\N{RIGHTWARDS ARROW}"
_AROUND = 200  # characters of a long message on each side of the words that are shown
_STYLES: Final = {
    "fact": "bold green",
    "entity": "bold green",
    "preference": "bold cyan",
    "event": "bold yellow",
    "decision": "bold magenta",
    "rule": "bold blue",
}
_NOT_KEPT = "found, but not kept"
_OPEN, _CLOSE = "\N{MATHEMATICAL LEFT DOUBLE ANGLE BRACKET}", "\N{MATHEMATICAL RIGHT DOUBLE ANGLE BRACKET}"


def memory_list(records: Iterable[MemoryRecord], now: datetime) -> RenderableType:
    """Show memories one below the other."""
    shown = []
    for record in records:
        pictured = safe("".join(f"\n{media_line(media)}" for media in record.media), "dim")
        shown.append(_entry(record, _told(record, now)).append_text(_whereabouts(record)).append_text(pictured))
    return Group(*shown)


def ranked_hits(
    hits: Sequence[Hit],
    now: datetime,
    *,
    explain: bool = False,
    sources: bool = False,
    around: MessagesAround | None = None,
) -> RenderableType:
    """Show hits with their scores, and how these came about if that was asked; `sources` names where each is from."""
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for hit in hits:
        below: list[RenderableType] = []
        if hit.folded:
            more = "1 more that says" if len(hit.folded) == 1 else f"{len(hit.folded)} more that say"
            below.append(Text(f"and {more} the same", "dim"))
        below += [safe(media_line(media), "dim") for media in hit.media]
        if hit.scope:
            below.append(safe(f"shared in {hit.scope}{f' by {hit.author}' if hit.author else ''}", "dim"))
        below += [safe(mark, "yellow") for mark in hit.marks]
        if around and hit.id in around:
            below.append(_turns(around[hit.id], hit.id))
        if explain:
            below.append(_explained(hit))
        table.add_row(Text(percent(hit.score), "bold cyan"), Group(_found(hit, now, sources=sources), *below))
    return table


def _turns(said: Iterable[Message], found: str) -> RenderableType:
    """Show what was said around a hit, and where it stands among it."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True, max_width=_LONGEST_NAME)
    table.add_column(style="dim", overflow="fold")
    for message in said:
        text = "(this)" if message.id == found else shortened(message.content, _LONGEST)
        table.add_row(safe(message.speaker or message.role), safe(text))
    return Padding(table, (0, 0, 0, 2))


def memory_versions(records: Sequence[MemoryRecord], now: datetime) -> RenderableType:
    """Show the versions of a memory with the time in which each was held true."""
    return Group(*(_entry(record, _validity(record, now)) for record in records))


def _explained(hit: Hit) -> RenderableType:
    """Show the sum and the factors that make a score, so that it can be checked by hand."""
    parts = hit.parts
    table = Table.grid(padding=(0, 2))
    for justify in ("left", "right", "right", "right", "right"):
        table.add_column(style="dim", justify=justify, no_wrap=True)
    table.add_row("", "rank", "raw", f"score {_TIMES} weight", "")
    for name, part in parts.channels.items():
        table.add_row(name, *_place(name, part), *_share(part.score, part.weight))
    table.add_row("sum", "", "", "", f"= {max(0.0, parts.relevance):.4f}")
    for name, factor in parts.factors.items():
        if f"{factor:.4f}" != _NOTHING:
            table.add_row(name, "", "", f"{_TIMES} {factor:.4f}", "")
    over = "at most 1" if parts.relevance * prod(parts.factors.values()) > 1.0 else ""
    if parts.place:
        _add_place(table, parts.place, over)
    table.add_row("score", "", "", "" if parts.place else over, f"= {hit.score:.4f}")
    if parts.rerank:
        moved = f"{parts.rerank.before} {_ARROW} {parts.rerank.after}"
        table.add_row("reranked", moved, f"{parts.rerank.score:.4f}", "", "")
    return table


def _add_place(table: Table, part: PlacePart, over: str) -> None:
    """Show how the score of the content and that of the place become one."""
    table.add_row("content", "", over, *_share(part.content, 1.0 - part.weight))
    if part.distance_km is not None:
        near = "not counted" if part.nearness is None else f"{part.nearness:.4f}"
        table.add_row("nearness", "", f"{part.distance_km:.2f} km", near, "")
    if part.likeness is not None:
        table.add_row("likeness", "", "", f"{part.likeness:.4f}", "")
    if part.fit < 1.0:
        table.add_row("fit", "", "", f"{_TIMES} {part.fit:.4f}", "")
    spared = "at least" if part.geo == part.least > 0 else ""
    table.add_row("place", "", spared, *_share(part.geo, part.weight))


def _share(score: float, weight: float) -> tuple[str, str]:
    return f"{score:.4f} {_TIMES} {weight:.4f}", f"= {score * weight:.4f}"


def _place(name: str, part: ChannelPart) -> tuple[str, str]:
    """Give a row's rank and figure in a channel that ranks; what surrounds a message has neither."""
    if part.rank is None:
        return ("not found" if name in _RANKING else "", "")
    return str(part.rank), f"{part.raw:.4f}"


def _found(hit: Hit, now: datetime, *, sources: bool) -> Text:
    record = hit.record
    if isinstance(record, MemoryRecord):
        details = _told(record, now)
        entry = _entry(record, " · ".join(_where(f"memory · {details}", record.session)) if sources else details)
        return entry.append_text(_whereabouts(record, hit))
    entry = safe(shortened(hit.content, _LONGEST))
    if isinstance(record, Chunk):
        parts = (record.kind, shortened(record.heading, _LONGEST_HEADING), record.role)
        dated = ago(record.dated_at, now) if record.dated_at else ""
        entry.append("\n").append_text(safe(named(record.place), "cyan"))  # as `recollect read` takes it
        entry.append_text(safe(f"  {' · '.join(filter(None, (*parts, dated)))}", "dim"))
        return entry.append_text(_whereabouts(record, hit))
    source = f"{hit.source}, a question" if only_asks(hit.content) else hit.source
    details = " · ".join(_where(f"{source} · {ago(record.said_at, now)}", record.conversation))
    entry.append("\n").append_text(safe(f"{hit.id}  {details}", "dim"))
    return entry.append_text(_whereabouts(record, hit))


def _whereabouts(record: Item, hit: Hit | None = None) -> Text:
    """Show where something is, on a line of its own, and how far that is from where the user is."""
    named = record.place_label or record.address
    told = place_line(record.place_label, record.address, *((None, None) if named else (record.lat, record.lng)))
    part = hit.parts.place if hit else None
    apart = "" if part is None or part.distance_km is None else far(part.distance_km)
    line = ", ".join(filter(None, (f"at {told}" if told else "", apart)))
    return safe(f"\n{line}", "dim") if line else Text()


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


def _validity(record: MemoryRecord, now: datetime) -> str:
    start = minute(record.valid_from, now)
    return f"{start} to {minute(record.valid_until, now)}" if record.valid_until else f"since {start}"


class _Mark(NamedTuple):
    """How a part of a message is shown: in a style, or without colours between two marks. `name` is for the legend."""

    span: TextSpan
    name: str
    style: str
    before: str
    after: str = "]"
    note: str = ""  # behind the part, where there are colours


def captured_type(captured: Captured) -> str:
    """Name what a captured memory is; an instruction to the assistant is a rule."""
    return "rule" if captured.subject == ASSISTANT else captured.type


def marked_message(read: ExplainedReading, *, coloured: bool) -> Text:
    """Show a message with what is kept of it, what is not, and what is not the user's own words; then a legend."""
    marks = [_Mark(span, "not the user's own words", "dim", _OPEN, _CLOSE) for span in read.handed_over]
    for skipped in read.skipped:
        if skipped.span:
            sure = percent(skipped.confidence)
            marks.append(_Mark(skipped.span, _NOT_KEPT, "dim underline", f"[{skipped.type}? {sure} ", note=f" {sure}"))
    for captured in read.captured:
        if captured.span:
            name = captured_type(captured)
            marks.append(_Mark(captured.span, name, _STYLES.get(name, "bold"), f"[{name} "))
    painted = _painted(read.text, marks)
    styles = {mark.name: mark.style for mark in dict.fromkeys(painted) if mark}
    shown = _marked(read.text, painted, coloured=coloured)
    if not styles:
        return shown
    if coloured:
        legend = Text(" · ").join(Text(name, style) for name, style in styles.items())
    else:
        legend = Text(f"[type …] kept, [type? …] {_NOT_KEPT}, {_OPEN}…{_CLOSE} not the user's own words", "dim")
    return shown.append("\n\n").append_text(legend)


def marked_origin(origin: MemoryOrigin, *, coloured: bool) -> Text:
    """Show the message that a memory comes from, its words marked; of a long one, what is around them."""
    start, end = origin.span or TextSpan(0, 0)
    low, high = max(0, start - _AROUND), min(len(origin.text), end + _AROUND)
    text = origin.text[low:high]
    marks = [_Mark(TextSpan(start - low, end - low), "", _STYLES["fact"], "[")] if origin.span else []
    shown = Text("…" if low else "").append_text(_marked(text, _painted(text, marks), coloured=coloured))
    return shown.append("…" if high < len(origin.text) else "")


def _painted(text: str, marks: Iterable[_Mark]) -> list[_Mark | None]:
    """Give the mark of each letter; where marks overlap, the later one."""
    painted: list[_Mark | None] = [None] * len(text)
    for mark in marks:
        painted[mark.span.start : mark.span.end] = [mark] * (mark.span.end - mark.span.start)
    return painted


def _marked(text: str, painted: Sequence[_Mark | None], *, coloured: bool) -> Text:
    shown = Text()
    for mark, letters in groupby(zip(painted, text, strict=True), key=lambda pair: pair[0]):
        part = "".join(letter for _, letter in letters)
        if mark is None:
            shown.append_text(safe(part))
        elif coloured:
            shown.append_text(safe(part, mark.style)).append(mark.note, "dim")
        else:
            shown.append_text(safe(f"{mark.before}{part}{mark.after}"))
    return shown
