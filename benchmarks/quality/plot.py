"""Two plots as SVG: every set with its intervals, and what is found as the store grows.

A plot has a background of its own that follows the reader's choice of light or dark, so it is readable on any page.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from benchmarks.quality.intervals import Interval

_WIDTH = 760
_LEFT, _RIGHT, _ROW, _TOP = 150, 20, 15, 58
_AXIS, _BOTTOM = 60, 358
_PALETTE = ("#8a8a8a", "#2f7ed8", "#e07b00", "#1a9850", "#b2509e", "#c0392b")
_STYLE = """
  svg { background: #fff }
  text { font: 12px system-ui, sans-serif; fill: #222 }
  .title { font-weight: 600; font-size: 14px }
  .grid { stroke: #ddd }
  .small { font-size: 11px }
  @media (prefers-color-scheme: dark) {
    svg { background: #1b1d23 } text { fill: #ddd } .grid { stroke: #3a3d45 }
  }
"""


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
        parts.append(_text(_LEFT - 8, top + band / 2 + 4, name, "end"))
        parts.append(_line(_LEFT, top + band, _WIDTH - _RIGHT, top + band, "grid"))
        for number, one in enumerate(series):
            if (interval := one.intervals[row]) is not None:
                parts += _mark(interval, top + _ROW * (number + 1), number)
    return _document(title, bottom + 30, parts)


def _percents(top: float, bottom: float) -> Iterator[str]:
    for percent in range(0, 101, 20):
        x = _across(percent)
        yield _line(x, top, x, bottom, "grid")
        yield _text(x, bottom + 16, f"{percent} %", "middle", "small")


def _across(percent: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * percent / 100


def _mark(interval: Interval, y: float, number: int) -> Iterator[str]:
    yield _stroke(number, (_across(interval.low), y), (_across(interval.high), y))
    yield _dot(number, _across(interval.mean), y)


def plot_of_sizes(title: str, sizes: Sequence[int], series: Sequence[Series]) -> str:
    """Draw a line per series over the sizes, on a logarithmic axis, with intervals as bars."""
    parts = list(_legend(series))
    for percent in range(0, 101, 20):
        y = _down(percent)
        parts.append(_line(_AXIS, y, _WIDTH - _RIGHT, y, "grid"))
        parts.append(_text(_AXIS - 8, y + 4, f"{percent} %", "end", "small"))
    xs = _along(sizes)
    parts += [_text(x, _BOTTOM + 18, f"{size:,}", "middle", "small") for x, size in zip(xs, sizes, strict=True)]
    parts.append(_text(_WIDTH / 2, _BOTTOM + 38, "other turns of the user", "middle"))
    for number, one in enumerate(series):
        # Bars of equal height would hide one another.
        known = [(x + 4 * number, each) for x, each in zip(xs, one.intervals, strict=True) if each is not None]
        parts.append(_stroke(number, *((x, _down(each.mean)) for x, each in known)))
        for x, each in known:
            parts.append(_stroke(number, (x, _down(each.low)), (x, _down(each.high))))
            parts.append(_dot(number, x, _down(each.mean)))
    return _document(title, _BOTTOM + 50, parts)


def _along(sizes: Sequence[int]) -> Sequence[float]:
    steps = [math.log10(size) for size in sizes]
    reach = (steps[-1] - steps[0]) or 1.0
    return [_AXIS + 30 + (_WIDTH - _AXIS - _RIGHT - 80) * (step - steps[0]) / reach for step in steps]


def _down(percent: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * percent / 100


def _stroke(number: int, *points: tuple[float, float]) -> str:
    listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{listed}" fill="none" stroke="{_colour(number)}" stroke-width="2"/>'


def _dot(number: int, x: float, y: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{_colour(number)}"/>'


def _colour(number: int) -> str:
    return _PALETTE[number % len(_PALETTE)]


def _legend(series: Sequence[Series]) -> Iterator[str]:
    x = 20.0
    for number, one in enumerate(series):
        yield _dot(number, x, 40)
        yield _text(x + 8, 44, one.name)
        x += 24 + 6.6 * len(one.name)


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def _document(title: str, height: float, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" role="img" '
        f'aria-label="{escape(title)}">\n<style>{_STYLE}</style>\n<title>{escape(title)}</title>'
    )
    return "\n".join((head, _text(20, 22, title, kind="title"), *parts, "</svg>\n"))
