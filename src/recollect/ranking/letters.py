"""What letters say besides words and meaning: how many of a question's groups of letters a text holds.

The invariant: a group counts by how few of the rows hold it.
"""

from collections.abc import Mapping, Sequence
from itertools import compress
from math import log

WEIGHT = 0.8  # of a text with all of the question's letters, beside the nearest text by meaning


def shared(groups: Sequence[str], texts: Mapping[str, str]) -> dict[str, float]:
    """Give the share of the groups that each text holds, weighted by how rare they are among these texts."""
    held = {row: [group in text for group in groups] for row, text in texts.items()}
    amount = len(texts)
    rarities = [
        log(1.0 + (amount - count + 0.5) / (count + 0.5)) for count in map(sum, zip(*held.values(), strict=True))
    ]
    most = sum(rarities) or 1.0
    return {row: sum(compress(rarities, flags)) / most for row, flags in held.items()}
