"""Numbers, times, places and folders in the words of people. Pure: `now` is in the user's time zone."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from recollect.model.files import FolderStatus
    from recollect.model.media import Media

_MINUTE = timedelta(minutes=1)
_WEEK = timedelta(weeks=1)
_UNITS = ((timedelta(days=1), "d"), (timedelta(hours=1), "h"), (_MINUTE, "min"))
_SPANS = ((timedelta(days=1), "day", "days"), (timedelta(hours=1), "hour", "hours"), (_MINUTE, "minute", "minutes"))
_KILO = 1024
_NEW_LINES = re.compile("[\t-\r\x1c-\x1e\x85\u2028\u2029]")
_CENT = 0.01
_HERE_KM = 0.005
_NEAR_KM = 1.0
_FAR_KM = 10.0
_LONGEST_ADDRESS = 60
_MOST_EXAMPLES = 5
# What the rules leave out; the rest is what a user may want to do something about.
_BY_THE_RULES: Final = {"ignored": "not wanted by the rules", "hidden": "hidden"}


def percent(share: float) -> str:
    """Give a share of one as a percentage."""
    return f"{max(0.0, share) * 100:.0f} %"


def ago(moment: datetime, now: datetime) -> str:
    """Say how long ago something was while that is easy to grasp, and its date otherwise."""
    age = now - moment
    if abs(age) < _MINUTE:
        return "just now"
    if _MINUTE <= age < _WEEK:
        unit, name = next(pair for pair in _UNITS if age >= pair[0])
        return f"{age // unit} {name} ago"
    return day(moment, now)


def lasting(span: timedelta) -> str:
    """Say how long something has lasted, to the largest unit."""
    for unit, one, many in _SPANS:
        if span >= unit:
            return counted(span // unit, one, many)
    return "less than a minute"


def about_dollars(amount: float) -> str:
    """Give a sum that is an estimate."""
    return f"about ${amount:,.2f}" if amount >= _CENT else "less than $0.01"


def _on_clock(form: str) -> Callable[[datetime, datetime], str]:
    """Give what writes a moment as the clock shows it that shows `now`."""
    return lambda moment, now: moment.astimezone(now.tzinfo).strftime(form)


clock = _on_clock("%Y-%m-%d %H:%M:%S")  # to the second
minute = _on_clock("%Y-%m-%d %H:%M")
day = _on_clock("%Y-%m-%d")
hour = _on_clock("%H:%M")  # without the day


def size(size_bytes: int) -> str:
    """Give an amount of memory."""
    amount = float(size_bytes)
    for unit in ("bytes", "KiB", "MiB"):
        if amount < _KILO:
            return f"{amount:.0f} {unit}"
        amount /= _KILO
    return f"{amount:.1f} GiB"


def counted(amount: int, one: str, many: str) -> str:
    """Give an amount with its noun."""
    return f"{amount:,} {one if amount == 1 else many}"


def far(distance_km: float) -> str:
    """Say how far something is, no more exactly than needed."""
    if distance_km < _HERE_KM:
        return "here"
    if distance_km < _NEAR_KM:
        return f"{max(10.0, round(distance_km * 1000, -1)):.0f} m away"
    return f"{distance_km:.1f} km away" if distance_km < _FAR_KM else f"{distance_km:,.0f} km away"


def degrees(value: float) -> str:
    """Give a coordinate to the metre."""
    return f"{value:.5f}".rstrip("0").rstrip(".")


def spot(lat: float | None, lng: float | None) -> str:
    """Give coordinates as they can be typed again; nothing when there are none."""
    return "" if lat is None or lng is None else f"{degrees(lat)}, {degrees(lng)}"


def place_line(label: str, address: str, lat: float | None, lng: float | None) -> str:
    """Give a place as one would write it down: what it is called, its address, its coordinates."""
    named_place = " · ".join(shortened(part, _LONGEST_ADDRESS) for part in (label, address) if part)
    point = spot(lat, lng)
    return f"{named_place} ({point})" if named_place and point else named_place or point


def media_line(media: "Media") -> str:
    """Give a medium on one line: what it is, what it shows, and where it is."""
    where = media.url or f"original {media.original[:12]}"
    return " · ".join((media.kind, *(shortened(text, _LONGEST_ADDRESS) for text in media.texts[:1]), where))


def shortened(text: str, most: int) -> str:
    """Give a text on one line, cut at a word when it is long."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[most // 2 :] else cut).rstrip(" ,.;:") + "…"


def named(name: str) -> str:
    """Give the name of a file on one line, whatever its letters are, so that it cannot pass for something else."""
    return _NEW_LINES.sub("\N{REPLACEMENT CHARACTER}", name)


def listing(parts: Sequence[str]) -> str:
    """Give several things as one would say them: a, b and c."""
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def amounts(*counts: tuple[int, str, str]) -> str:
    """Give several amounts with their nouns, leaving out what there is nothing of."""
    return listing([counted(amount, one, many) for amount, one, many in counts if amount])


def excerpt(text: str, most: int = 600, most_lines: int = 8) -> str:
    """Give the beginning of a text with its lines as they are, cut at a word when it is long."""
    lines = text.splitlines()
    kept = "\n".join(lines[:most_lines])
    if len(kept) > most:
        kept = kept[: most - 1].rsplit(maxsplit=1)[0] if " " in kept[most // 2 : most - 1] else kept[: most - 1]
    return kept if kept == "\n".join(lines) else f"{kept.rstrip(' ,.;:')}…"


def skipped_files(skipped: Mapping[str, int]) -> str:
    """Say how many files were left out, and why."""
    ordered = sorted(skipped.items(), key=lambda one: (one[0] in _BY_THE_RULES, -one[1], one[0]))
    return ", ".join(f"{_BY_THE_RULES.get(reason, reason)} {amount:,}" for reason, amount in ordered if amount)


def folder_state(status: "FolderStatus", now: datetime, *, looked: bool) -> str:
    """Say how a folder stands: how much is kept of it, when it was looked through, and what has changed since."""
    folder = status.folder
    held = listing([counted(status.files, "file", "files"), counted(status.chunks, "chunk", "chunks")])
    scanned = f"synced {ago(folder.scanned_at, now)}"
    whole = () if folder.completed_at and folder.completed_at >= folder.scanned_at else ("not seen whole",)
    drift = "not there now"
    if status.drift is not None:
        drift = f"{counted(status.drift, 'file differs', 'files differ')} now" if status.drift else "in step"
    return " · ".join((held, scanned, *whole, *([drift] if looked else ())))


def folder_errors(status: "FolderStatus") -> str:
    """Say what could not be read the last time; what the rules leave out is no error."""
    trouble = {reason: amount for reason, amount in status.folder.trouble.items() if reason not in _BY_THE_RULES}
    return f"not read: {skipped_files(trouble)}" if trouble else ""


def examples(lines: Sequence[str]) -> Iterator[str]:
    """Give the first few lines, and say when there are more."""
    yield from lines[:_MOST_EXAMPLES]
    if len(lines) > _MOST_EXAMPLES:
        yield "... --json names more"


def sentence(note: str) -> str:
    """Make a sentence of a note."""
    return f"{note[:1].upper()}{note[1:].rstrip('.')}."
