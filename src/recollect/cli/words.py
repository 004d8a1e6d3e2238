"""Numbers and times in the words of people. Pure."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

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
    return day(moment)


def lasting(span: timedelta) -> str:
    """Say how long something has lasted, to the largest unit."""
    for unit, one, many in _SPANS:
        if span >= unit:
            return counted(span // unit, one, many)
    return "less than a minute"


def about_dollars(amount: float) -> str:
    """Give a sum that is an estimate."""
    return f"about ${amount:,.2f}" if amount >= _CENT else "less than $0.01"


def clock(moment: datetime) -> str:
    """Give a time to the second, on the local clock."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def minute(moment: datetime) -> str:
    """Give a time to the minute, on the local clock."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def day(moment: datetime) -> str:
    """Give a day on the local clock."""
    return moment.astimezone().strftime("%Y-%m-%d")


def hour(moment: datetime) -> str:
    """Give the time of a day to the minute, on the local clock."""
    return moment.astimezone().strftime("%H:%M")


def second(moment: datetime) -> str:
    """Give the time of a day to the second, on the local clock."""
    return moment.astimezone().strftime("%H:%M:%S")


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
    """Say how far something is, no more exactly than anybody needs."""
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
