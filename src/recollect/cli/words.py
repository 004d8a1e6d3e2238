"""Numbers and times in the words of people. Pure."""

from datetime import datetime, timedelta

_MINUTE = timedelta(minutes=1)
_WEEK = timedelta(weeks=1)
_UNITS = ((timedelta(days=1), "d"), (timedelta(hours=1), "h"), (_MINUTE, "min"))
_KILO = 1024


def percent(share: float) -> str:
    """Give a share of one as a percentage."""
    return f"{share * 100:.0f} %"


def ago(moment: datetime, now: datetime) -> str:
    """Say how long ago something was while that is easy to grasp, and its date otherwise."""
    age = now - moment
    if abs(age) < _MINUTE:
        return "just now"
    if _MINUTE <= age < _WEEK:
        unit, name = next(pair for pair in _UNITS if age >= pair[0])
        return f"{age // unit} {name} ago"
    return moment.astimezone().strftime("%Y-%m-%d")


def clock(moment: datetime) -> str:
    """Give a time to the second, on the local clock."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def minute(moment: datetime) -> str:
    """Give a time to the minute, on the local clock."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


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


def shortened(text: str, most: int) -> str:
    """Give a text on one line, cut at a word when it is long."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[most // 2 :] else cut).rstrip(" ,.;:") + "…"
