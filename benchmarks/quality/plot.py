"""Two plots as SVG: every set with its intervals, and what is found as the store grows."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks import svg
from benchmarks.quality.intervals import Interval

_LEFT, _RIGHT, _ROW, _TOP = 150, 20, 15, 58
_AXIS, _BOTTOM = 60, 358


@dataclass(frozen=True, slots=True)
class Series:
    """One way to search: its name, and where it is known, an interval (in percent) for each place on the other axis."""

    name: str
    intervals: Sequence[Interval | None]


def plot_of_sets(title: str, names: Sequence[str], series: Sequence[Series]) -> str:
    """Draw a row per set and a mark per series, with its interval as a line."""
    band = _ROW * (len(series) + 1)
    bottom = _TOP + band * len(names)
    parts = [*_legend(series), *_percents(_TOP, bottom)]
    for row, name in enumerate(names):
        top = _TOP + band * row
        parts.append(svg.text(_LEFT - 8, top + band / 2 + 4, name, "end"))
        parts.append(svg.line(_LEFT, top + band, svg.WIDTH - _RIGHT, top + band, "grid"))
        for number, one in enumerate(series):
            if (interval := one.intervals[row]) is not None:
                parts += _mark(interval, top + _ROW * (number + 1), number)
    return svg.document(title, bottom + 30, parts)


def _percents(top: float, bottom: float) -> Iterator[str]:
    for percent in range(0, 101, 20):
        x = _across(percent)
        yield svg.line(x, top, x, bottom, "grid")
        yield svg.text(x, bottom + 16, f"{percent} %", "middle", "small")


def _across(percent: float) -> float:
    return _LEFT + (svg.WIDTH - _LEFT - _RIGHT) * percent / 100


def _mark(interval: Interval, y: float, number: int) -> Iterator[str]:
    yield svg.stroke(number, (_across(interval.low), y), (_across(interval.high), y))
    yield svg.dot(number, _across(interval.mean), y)


def plot_of_sizes(title: str, sizes: Sequence[int], series: Sequence[Series]) -> str:
    """Draw a line per series over the sizes, on a logarithmic axis, with intervals as bars."""
    parts = list(_legend(series))
    for percent in range(0, 101, 20):
        y = _down(percent)
        parts.append(svg.line(_AXIS, y, svg.WIDTH - _RIGHT, y, "grid"))
        parts.append(svg.text(_AXIS - 8, y + 4, f"{percent} %", "end", "small"))
    xs = _along(sizes)
    parts += [svg.text(x, _BOTTOM + 18, f"{size:,}", "middle", "small") for x, size in zip(xs, sizes, strict=True)]
    parts.append(svg.text(svg.WIDTH / 2, _BOTTOM + 38, "other turns of the user", "middle"))
    for number, one in enumerate(series):
        # Bars of equal height would hide one another.
        known = [(x + 4 * number, each) for x, each in zip(xs, one.intervals, strict=True) if each is not None]
        parts.append(svg.stroke(number, *((x, _down(each.mean)) for x, each in known)))
        for x, each in known:
            parts.append(svg.stroke(number, (x, _down(each.low)), (x, _down(each.high))))
            parts.append(svg.dot(number, x, _down(each.mean)))
    return svg.document(title, _BOTTOM + 50, parts)


def _along(sizes: Sequence[int]) -> Sequence[float]:
    steps = [math.log10(size) for size in sizes]
    reach = (steps[-1] - steps[0]) or 1.0
    return [_AXIS + 30 + (svg.WIDTH - _AXIS - _RIGHT - 80) * (step - steps[0]) / reach for step in steps]


def _down(percent: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * percent / 100


def _legend(series: Sequence[Series]) -> Iterator[str]:
    x = 20.0
    for number, one in enumerate(series):
        yield svg.dot(number, x, 40)
        yield svg.text(x + 8, 44, one.name)
        x += 24 + 6.6 * len(one.name)
