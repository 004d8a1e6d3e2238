"""What letters say besides words and meaning: how many of a question's groups of letters a text holds.

The invariant: as with context, one constant brings all rows back to the scale on which they came, so that items of all
kinds stay comparable. A group counts by how few of the rows hold it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from math import log

_WEIGHT = 0.8  # of a text with all of the question's letters, beside the nearest text by meaning


@dataclass(frozen=True, slots=True)
class Lettered:
    """The relevance of rows with what their letters add: the weight times the share of the question's letters.

    `scale` brings sums back to scores; the weight is on that scale, too.
    """

    relevance: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    weight: float = 0.0
    scale: float = 1.0


def add(relevance: Mapping[str, float], groups: Sequence[str], texts: Mapping[str, str], nearest: float) -> Lettered:
    """Add to the relevance of rows what the letters of their plain texts say, measured by the `nearest` meaning."""
    weight, shares = _WEIGHT * nearest, shared(groups, texts)
    totals = {row: relevance[row] + weight * share for row, share in shares.items()}
    highest = max(totals.values(), default=0.0)
    scale = max([relevance[row] for row in totals]) / highest if highest > 0.0 else 1.0
    return Lettered({row: total * scale for row, total in totals.items()}, shares, weight * scale, scale)


def shared(groups: Sequence[str], texts: Mapping[str, str]) -> dict[str, float]:
    """Give the share of the groups that each text holds, weighted by how rare they are among these texts."""
    held = {row: [group in text for group in groups] for row, text in texts.items()}
    amount = len(texts)
    rarities = [
        log(1.0 + (amount - count + 0.5) / (count + 0.5)) for count in map(sum, zip(*held.values(), strict=True))
    ]
    most = sum(rarities) or 1.0
    return {row: sum(compress(rarities, flags)) / most for row, flags in held.items()}
