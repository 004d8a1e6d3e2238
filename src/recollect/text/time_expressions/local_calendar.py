"""The user's calendar: days, weeks, months and seasons on the wall clock of one time zone.

The invariant: arithmetic is done on local dates, and only its result is turned into UTC; so a day on which the clocks
change is 23 or 25 hours long. Weeks begin on Monday. Nothing here knows what a phrase means.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import TypeAlias

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
_YEARS_BACK = 9  # one more than there ever are between two leap years
_HALF_AN_HOUR = timedelta(minutes=30)


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
