"""What the phrases stand for: one small function for each name that a heading in the tables may have.

The invariant: a meaning gives a time that has a length, or None; a date that does not exist, or lies outside of what
Python can count, gives None. Where no year is named the time is one of those that have begun.
"""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import NamedTuple, TypeAlias

from recollect.text.time_expressions.local_calendar import (
    FAR_AHEAD,
    FIRST_MONTHS,
    LONG_AGO,
    SATURDAY,
    Stretch,
    Today,
    add_months,
    shifted,
)  # fmt: skip

NOTHING = "nothing"
# What may not stand inside another phrase.
OPEN = frozenset({NOTHING, "since", "before", "after", "between", "beside"})


class TimeExpression(NamedTuple):
    """What a phrase means, its arguments, and the phrases in it."""

    meaning: str
    arguments: Mapping[str, str]
    points: tuple["TimeExpression", ...] = ()

    def number(self, name: str) -> int:
        """Give a numeric argument."""
        return int(self.arguments[name])


_Meaning: TypeAlias = Callable[[TimeExpression, Today], Stretch | None]


def evaluate(expression: TimeExpression, today: Today) -> Stretch | None:
    """Give the time an expression stands for."""
    try:
        found = _MEANINGS[expression.meaning](expression, today)
    except (OverflowError, ValueError):
        return None
    return found if found and found[0] < found[1] else None


def _tonight(expression: TimeExpression, today: Today) -> Stretch:
    """Give the coming night; but the one just over, or still going on, before an hour that the language tells."""
    back = today.hour < expression.number("before")
    return today.day(today.this_day - timedelta(days=back), "night")


def _weekday(expression: TimeExpression, today: Today) -> Stretch:
    arguments = expression.arguments
    weekday, part = int(arguments["weekday"]), arguments.get("part", "")
    if "week" in arguments:
        monday = today.this_day - timedelta(days=today.this_day.weekday())
        return today.day(monday + timedelta(weeks=int(arguments["week"]), days=weekday), part)
    return today.weekday(weekday, arguments.get("which", ""), part)


def _weekday_part(expression: TimeExpression, today: Today) -> Stretch:
    """Read a weekday and a part of the day that are one word, written as 0/evening."""
    weekday, _, part = expression.arguments["weekdaypart"].partition("/")
    return _weekday(expression._replace(arguments={**expression.arguments, "weekday": weekday, "part": part}), today)


def _yearly(expression: TimeExpression, today: Today, make: Callable[[int], Stretch | None]) -> Stretch | None:
    """Choose the year: the one named, the one so many years ago, or that which fits a time that comes every year."""
    arguments = expression.arguments
    if "year" in arguments:
        return make(int(arguments["year"]))
    if "ago" in arguments:
        return make(today.this_day.year - int(arguments["ago"]))
    return today.recurring(make, arguments.get("which", ""))


def _month(expression: TimeExpression, today: Today) -> Stretch | None:
    month = expression.number("month")
    return _yearly(expression, today, lambda year: _months(today, year, month, 1))


def _month_and_year(expression: TimeExpression, today: Today) -> Stretch:
    year, month = map(int, expression.arguments["monthyear"].split("-"))
    return _months(today, year, month, 1)


def _two_months(expression: TimeExpression, today: Today) -> Stretch | None:
    """Give the months from the first to the second, which may be in the next year."""
    second = _month(expression, today)
    if second is None:
        return None
    first = _month(TimeExpression("month", {"month": expression.arguments["first"]}), today.until(second[1]))
    return first and (first[0], second[1])


def _date(expression: TimeExpression, today: Today) -> Stretch | None:
    arguments = expression.arguments
    if "date" in arguments:
        year, month, day = map(int, arguments["date"].split("-"))
        return _days(today, year, month, day, day)
    if "daymonth" in arguments:
        first, month, day = 0, *map(int, arguments["daymonth"].split("-"))
    elif "dayrange" in arguments:
        first, day, month = *map(int, arguments["dayrange"].split("-")), int(arguments["month"])
    else:
        first, day, month = int(arguments.get("first", 0)), int(arguments["day"]), int(arguments["month"])
    return _yearly(expression, today, lambda year: _days(today, year, month, first or day, day))


def _day_of_month(expression: TimeExpression, today: Today) -> Stretch | None:
    """Give a day of the month so many months ahead, or the latest month's that has begun and has such a day."""
    day = expression.number("day")
    months = [expression.number("n")] if "n" in expression.arguments else [0, -1, -2]
    starts = (add_months(today.this_day.replace(day=1), ahead) for ahead in months)
    made = (_days(today, start.year, start.month, day, day) for start in starts)
    return next((found for found in made if found and ("n" in expression.arguments or found[0] <= today.now)), None)


def _years(expression: TimeExpression, today: Today) -> Stretch:
    arguments = expression.arguments
    first, last = map(
        int, arguments["years"].split("-") if "years" in arguments else (arguments["first"], arguments["year"])
    )
    return today.days(date(first, 1, 1), date(last + 1, 1, 1))


def _season(expression: TimeExpression, today: Today) -> Stretch | None:
    """Give a season. A winter is called after the year it ends in, unless it is named by both its years."""
    month = FIRST_MONTHS[expression.arguments["season"]]

    def make(year: int) -> Stretch:
        start = add_months(date(year, 1, 1), month if month < 0 else month - 1)
        return today.days(start, add_months(start, 3))

    if "winter" in expression.arguments:
        return make(int(expression.arguments["winter"].split("-")[0]) + 1)
    return _yearly(expression, today, make)


def _feast(expression: TimeExpression, today: Today) -> Stretch | None:
    """Give the days of a feast, written as 12-24/26."""
    first, _, last = expression.arguments["days"].partition("/")
    month, day = map(int, first.split("-"))
    return _yearly(expression, today, lambda year: _days(today, year, month, day, int(last)))


def _since(expression: TimeExpression, today: Today) -> Stretch | None:
    point = evaluate(expression.points[0], today)
    return point and (point[0], today.now)


def _before(expression: TimeExpression, today: Today) -> Stretch | None:
    point = evaluate(expression.points[0], today)
    return point and (LONG_AGO, point[1] if "whole" in expression.arguments else point[0])


def _after(expression: TimeExpression, today: Today) -> Stretch | None:
    point = evaluate(expression.points[0], today)
    return point and (point[1], today.now if point[1] < today.now else FAR_AHEAD)


def _between(expression: TimeExpression, today: Today) -> Stretch | None:
    """Give the time from one to another, both included. The first is the latest that begins before the second ends."""
    second = evaluate(expression.points[1], today)
    first = second and evaluate(expression.points[0], today.until(second[1]))
    return first and second and (first[0], second[1])


def _beside(expression: TimeExpression, today: Today) -> Stretch | None:
    """Give so many days, weeks, months or years right before or after another time, or the next weekday, weekend."""
    point = evaluate(expression.points[0], today)
    if point is None:
        return None
    before = expression.arguments["side"] == "before"
    edge = today.local(point[0] if before else point[1] - timedelta(microseconds=1)).date()
    weekday, unit = expression.arguments.get("weekday"), expression.arguments.get("unit", "")
    if weekday is not None or unit == "weekend":
        wanted = SATURDAY if weekday is None else int(weekday)
        days = -((edge.weekday() - wanted) % 7 or 7) if before else (wanted - edge.weekday()) % 7 or 7
        first = edge + timedelta(days=days)
        return today.days(first, first + timedelta(days=2 if weekday is None else 1))
    edge += timedelta(days=not before)
    other = shifted(edge, unit, expression.number("n") * (-1 if before else 1))
    return today.days(min(edge, other), max(edge, other))


def _part_of(expression: TimeExpression, today: Today, cut: Callable[[Stretch], Stretch]) -> Stretch | None:
    """Cut a part from a time. If March has begun but its end has not, the end of March is that of the March before."""
    point = evaluate(expression.points[0], today)
    part = point and cut(point)
    if point and part and part[0] > today.now > point[0]:
        earlier = evaluate(expression.points[0], today.until(point[0]))
        return earlier and cut(earlier)
    return part


def _part_of_unit(expression: TimeExpression, today: Today) -> Stretch:
    """Give a part of this week, month or year; but if it is still to come, that of the last."""
    which, of, unit = expression.number("which"), expression.number("of"), expression.arguments["unit"]
    part = today.part(today.unit(unit, 0), which, of)
    return part if part[0] <= today.now else today.part(today.unit(unit, -1), which, of)


def _edge(expression: TimeExpression, today: Today) -> Stretch | None:
    """Give the first or the last so many days, weeks or months of a time."""
    unit, count = expression.arguments["unit"], expression.number("n")

    def cut(point: Stretch) -> Stretch:
        first, end = (today.local(moment).date() for moment in point)
        if expression.arguments["side"] == "first":
            return today.days(first, shifted(first, unit, count))
        return today.days(shifted(end, unit, -count), end)

    return _part_of(expression, today, cut)


def _months(today: Today, year: int, month: int, count: int) -> Stretch:
    start = date(year, month, 1)
    return today.days(start, add_months(start, count))


def _days(today: Today, year: int, month: int, first: int, last: int) -> Stretch | None:
    """Give the days from the first to the last of a month, or None if the month has no such day."""
    try:
        return today.days(date(year, month, first), date(year, month, last) + timedelta(days=1))
    except ValueError:
        return None


_MEANINGS: Mapping[str, _Meaning] = {
    NOTHING: lambda _it, _today: None,
    "day": lambda it, today: today.day(today.this_day + timedelta(days=it.number("n")), it.arguments.get("part", "")),
    "tonight": _tonight,
    "unit": lambda it, today: today.unit(it.arguments["unit"], it.number("n")),
    "ago": lambda it, today: today.ago(it.number("n"), it.arguments["unit"], int(it.arguments.get("most", 0))),
    "ahead": lambda it, today: today.ahead(it.number("n"), it.arguments["unit"]),
    "past": lambda it, today: today.past(it.number("n"), it.arguments["unit"]),
    "weekend": lambda _it, today: today.unit("weekend", 0 if today.this_day.weekday() >= SATURDAY else -1),
    "weekday": _weekday,
    "weekdaypart": _weekday_part,
    "month": _month,
    "monthyear": _month_and_year,
    "months": _two_months,
    "date": _date,
    "dayofmonth": _day_of_month,
    "year": lambda it, today: _months(today, it.number("year"), 1, 12),
    "years": _years,
    "season": _season,
    "quarter": lambda it, today: _yearly(it, today, lambda year: _months(today, year, it.number("quarter") * 3 - 2, 3)),
    "decade": lambda it, today: _months(today, it.number("decade"), 1, 120),
    "feast": _feast,
    "since": _since,
    "before": _before,
    "after": _after,
    "between": _between,
    "beside": _beside,
    "part": lambda it, today: _part_of(it, today, lambda point: today.part(point, it.number("which"), it.number("of"))),
    "partof": _part_of_unit,
    "edge": _edge,
}
