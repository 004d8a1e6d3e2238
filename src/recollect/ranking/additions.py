"""Parts that are added to the relevance of rows once their texts are read: what their letters say, what they share.

The invariant: as with context, one constant brings all rows back to the scale on which they came, so that items of all
kinds stay comparable and the best relevance stays what it was.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple


class AddedPart(NamedTuple):
    """What one part adds: its weight times the share of each row; rows without a share have none."""

    weight: float
    shares: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Additions:
    """The relevance of rows with all that was added. `scale` brings sums back to scores; weights are on that scale."""

    relevance: Mapping[str, float]
    scale: float = 1.0
    parts: Mapping[str, AddedPart] = field(default_factory=dict)

    def plus(self, name: str, shares: Mapping[str, float], weight: float) -> "Additions":
        """Add a part. A share is from 0 to 1; the weight is that of a row with all of it."""
        totals = {row: relevance + weight * shares.get(row, 0.0) for row, relevance in self.relevance.items()}
        highest = max(totals.values(), default=0.0)
        scale = max(self.relevance.values()) / highest if highest > 0.0 else 1.0
        parts = {known: part._replace(weight=part.weight * scale) for known, part in self.parts.items()}
        parts[name] = AddedPart(weight * scale, shares)
        return replace(
            self,
            relevance={row: total * scale for row, total in totals.items()},
            scale=self.scale * scale,
            parts=parts,
        )
