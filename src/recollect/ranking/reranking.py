"""The order of hits after a reranker has scored the first of them. Pure.

The reranker alone puts paraphrases lower than vectors do, so its score is mixed with the fused one and the cosine.
"""

from collections.abc import Sequence
from math import log

FUSED_WEIGHT = 5.0  # of the logarithm of the fused score
COSINE_WEIGHT = 10.0
CLEAR_LEAD = 0.4  # how far below the first the second score lies, as a share of the first
_LEAST_SCORE = 1e-6


def order(scores: Sequence[float], fused: Sequence[float], cosines: Sequence[float | None]) -> list[int]:
    """Give the places (from 0) of the scored hits, the best first. `scores` are logits; the others may be longer.

    A hit without a cosine counts as the lowest of the others.
    """
    known = [cosine for cosine in cosines[: len(scores)] if cosine is not None]
    lowest = min(known, default=0.0)
    mixed = [
        score + FUSED_WEIGHT * log(max(_LEAST_SCORE, before)) + COSINE_WEIGHT * (lowest if cosine is None else cosine)
        for score, before, cosine in zip(scores, fused, cosines, strict=False)
    ]
    return sorted(range(len(mixed)), key=lambda place: (-mixed[place], place))


def leads_clearly(first: float, second: float) -> bool:
    """Tell whether the first hit is so far ahead that reading the others would hardly change it."""
    return second < (1 - CLEAR_LEAD) * first
