"""Parts of plots and pictures as SVG.

A picture has a background of its own that follows the reader's choice of light or dark, so it is readable on any page.
"""

from collections.abc import Sequence
from html import escape
from typing import Final

WIDTH: Final = 760
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


def stroke(number: int, *points: tuple[float, float]) -> str:
    """Draw a line through points, in the colour of that number."""
    listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{listed}" fill="none" stroke="{colour(number)}" stroke-width="2"/>'


def dot(number: int, x: float, y: float) -> str:
    """Draw a dot."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour(number)}"/>'


def bar(number: int, x: float, y: float, width: float, height: float) -> str:
    """Draw a filled bar."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour(number)}"/>'


def colour(number: int) -> str:
    """Give the colour of a number."""
    return _PALETTE[number % len(_PALETTE)]


def text(x: float, y: float, said: str, anchor: str = "start", kind: str = "") -> str:
    """Write a line of text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(said)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Draw a thin line of a kind that the style knows."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def document(title: str, height: float, parts: Sequence[str]) -> str:
    """Give the whole picture."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="{escape(title)}">\n<style>{_STYLE}</style>\n<title>{escape(title)}</title>'
    )
    return "\n".join((head, text(20, 22, title, kind="title"), *parts, "</svg>\n"))
