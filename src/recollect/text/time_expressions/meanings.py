"""What the phrases stand for: the user's calendar, and a function for each name that a heading in the tables may have.

The invariant: a meaning gives a time that has a length, or None; a date that does not exist, or lies outside of what
Python can count, gives None. Where no year is named the time is one of those that have begun. Arithmetic is done on
local dates, on the wall clock of one time zone, and only its result is turned into UTC; so a day on which the clocks
change is 23 or 25 hours long. Weeks begin on Monday.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import NamedTuple, TypeAlias

Stretch: TypeAlias = tuple[datetime, datetime]

LONG_AGO = datetime(1900, 1, 1, tzinfo=UTC)
FAR_AHEAD = datetime(2200, 1, 1, tzinfo=UTC)
NIGHT_BEGINS, NIGHT_ENDS = 18, 6
# The hours of the parts of a day; past 24 they are those of the next.
PARTS = {
    "morning": (5, 12),
    "forenoon": (8, 12),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "evening": (NIGHT_BEGINS, 24),
    "night": (NIGHT_BEGINS, 24 + NIGHT_ENDS),
}
FIRST_MONTHS = {"winter": -1, "spring": 3, "summer": 6, "autumn": 9}  # winter begins in the December before
SATURDAY = 5
_MONTHS_OF = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_DAYS_OF = {"day": 1, "week": 7, "weekend": 7}
_SECONDS_OF = {"minute": 60, "hour": 3600}
_DAYS_OF_A_MONTH = 30  # when it is cut in parts, the last of which has the rest
_YEARLY = frozenset({"month", "date", "season", "feast"})
_WHICH_YEAR = frozenset({"year", "ago", "which", "date", "winter"})
_YEARS_BACK = 9  # one more than there ever are between two leap years
_HALF_AN_HOUR = timedelta(minutes=30)
NOTHING = "nothing"
# What may not stand inside another phrase.
OPEN = frozenset({NOTHING, "since", "before", "after", "between", "beside"})


@dataclass(frozen=True, slots=True)
class Today:
    """The moment a query is asked at, its zone, and the moment up to which "the latest March" is looked for."""

    now: datetime
    zone: tzinfo
    anchor: datetime

    @classmethod
    def of(cls, now: datetime) -> "Today":
        """Take the moment apart."""
        moment = now.astimezone(UTC)
        return cls(moment, now.tzinfo or UTC, moment)

    def until(self, moment: datetime) -> "Today":
        """Look for the latest of something before another moment than now."""
        return replace(self, anchor=moment - timedelta(microseconds=1))

    @property
    def this_day(self) -> date:
        return self.now.astimezone(self.zone).date()

    @property
    def hour(self) -> int:
        return self.now.astimezone(self.zone).hour

    def local(self, moment: datetime) -> datetime:
        """Give a moment on the wall clock."""
        return moment.astimezone(self.zone)

    def at(self, day: date, hour: int = 0) -> datetime:
        """Give the moment at which the wall clock shows an hour of a day; hour 24 is the next midnight."""
        day += timedelta(days=hour // 24)
        return datetime(day.year, day.month, day.day, hour % 24, tzinfo=self.zone).astimezone(UTC)

    def days(self, first: date, end: date) -> Stretch:
        """Give the days from the first up to but not including the end."""
        return self.at(first), self.at(end)

    def day(self, day: date, part: str = "") -> Stretch:
        """Give a day, or a part of it."""
        begins, ends = PARTS.get(part, (0, 24))
        return self.at(day, begins), self.at(day, ends)

    def unit(self, name: str, ahead: int, last: int | None = None) -> Stretch:
        """Give the calendar unit so many ahead of the one we are in; or all of them up to the `last`."""
        first = shifted(_start(self.this_day, name), name, ahead)
        end = shifted(_start(self.this_day, name), name, (ahead if last is None else last) + 1)
        if name == "weekend":
            return self.days(first + timedelta(days=SATURDAY), end)
        return self.days(first, end)

    def ago(self, count: int, unit: str, most: int | None = None) -> Stretch:
        """Give the time so many units ago, or between so many and `most`. Of a clock's units, give or take 30 min."""
        most = most or count
        if unit in _SECONDS_OF:
            seconds = timedelta(seconds=_SECONDS_OF[unit])
            until = min(self.now - count * seconds + _HALF_AN_HOUR, self.now)
            return self.now - most * seconds - _HALF_AN_HOUR, until
        return self.unit(unit, -most, -count)

    def ahead(self, count: int, unit: str) -> Stretch:
        """Give the time in so many units."""
        if unit in _SECONDS_OF:
            middle = self.now + count * timedelta(seconds=_SECONDS_OF[unit])
            return max(middle - _HALF_AN_HOUR, self.now), middle + _HALF_AN_HOUR
        return self.unit(unit, count)

    def past(self, count: int, unit: str) -> Stretch:
        """Give the last so many units until now: whole days, or hours and minutes to the second."""
        if unit in _SECONDS_OF:
            return self.now - count * timedelta(seconds=_SECONDS_OF[unit]), self.now
        if unit == "weekend":
            return self.unit(unit, -count, -1)
        return self.at(shifted(self.this_day, unit, -count)), self.now

    def recurring(self, make: Callable[[int], Stretch | None], which: str = "") -> Stretch | None:
        """Give that of the yearly times which is meant: the latest begun, or the last over, this year's, the next."""
        year = self.local(self.now if which else self.anchor).year
        if which == "this":
            ahead = make(year + 1)
            return ahead if ahead and ahead[0] <= self.anchor else make(year)
        if which == "next":
            return next((found for found in _made(make, range(year, year + 3)) if found[0] > self.now), None)
        for since, until in _made(make, range(year + 1, year - _YEARS_BACK, -1)):
            if until <= self.now if which == "last" else since <= self.anchor:
                return since, until
        return None

    def weekday(self, weekday: int, which: str = "", part: str = "") -> Stretch:
        """Give that weekday which is meant: the latest begun, the last before today, this week's, the next."""
        today = self.this_day if which else self.local(self.anchor).date()
        back = (today.weekday() - weekday) % 7
        if which == "last":
            back = back or 7
        elif which == "this":
            back = today.weekday() - weekday
        elif which == "next":
            back -= 7
        return self.day(today - timedelta(days=back), part)

    def part(self, stretch: Stretch, which: int, of: int) -> Stretch:
        """Give one of the halves or thirds of a time, by months or by days. A day or two are not cut."""
        since, until = map(self.local, stretch)
        first, end = since.date(), until.date()
        months = (end.year - first.year) * 12 + end.month - first.month
        if first.day == end.day == 1 and months >= of:
            cuts = [add_months(first, months * part // of) for part in range(of + 1)]
        elif first.day == end.day == 1 and months == 1:
            cuts = [*(first + timedelta(days=_DAYS_OF_A_MONTH * part // of) for part in range(of)), end]
        elif (count := (end - first).days) >= of:
            cuts = [first + timedelta(days=count * part // of) for part in range(of + 1)]
        else:
            return stretch
        return self.days(cuts[which], cuts[which + 1])


def add_months(day: date, count: int) -> date:
    """Give the same day of another month, or the last of that month if it is shorter."""
    years, month = divmod(day.month - 1 + count, 12)
    start = date(day.year + years, month + 1, 1)
    length = (date(start.year + start.month // 12, start.month % 12 + 1, 1) - start).days
    return start.replace(day=min(day.day, length))


def _start(day: date, unit: str) -> date:
    if unit in ("week", "weekend"):
        return day - timedelta(days=day.weekday())
    if unit == "month":
        return day.replace(day=1)
    if unit == "quarter":
        return date(day.year, (day.month - 1) // 3 * 3 + 1, 1)
    if unit == "year":
        return date(day.year, 1, 1)
    if unit == "decade":
        return date(day.year // 10 * 10, 1, 1)
    return day


def shifted(day: date, unit: str, count: int) -> date:
    """Give the day so many units later. An hour or a minute shifts no day."""
    if unit in _DAYS_OF:
        return day + timedelta(days=count * _DAYS_OF[unit])
    return add_months(day, count * _MONTHS_OF.get(unit, 0))


def _made(make: Callable[[int], Stretch | None], years: Iterable[int]) -> Iterable[Stretch]:
    return filter(None, map(make, years))


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


def is_yearly(expression: TimeExpression) -> bool:
    """Tell whether a time comes every year and nothing says which is meant, as in "in March"."""
    return expression.meaning in _YEARLY and _WHICH_YEAR.isdisjoint(expression.arguments)


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


def _open(expression: TimeExpression, today: Today) -> Stretch | None:
    """Give the time since, before or after another."""
    point = evaluate(expression.points[0], today)
    if point is None or expression.meaning == "since":
        return point and (point[0], today.now)
    if expression.meaning == "before":
        return LONG_AGO, point[1] if "whole" in expression.arguments else point[0]
    return point[1], today.now if point[1] < today.now else FAR_AHEAD


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
    # The coming night; but the one just over, or still going on, before an hour that the language tells.
    "tonight": lambda it, today: today.day(today.this_day - timedelta(days=today.hour < it.number("before")), "night"),
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
    "since": _open,
    "before": _open,
    "after": _open,
    "between": _between,
    "beside": _beside,
    "part": lambda it, today: _part_of(it, today, lambda point: today.part(point, it.number("which"), it.number("of"))),
    "partof": _part_of_unit,
    "edge": _edge,
}
