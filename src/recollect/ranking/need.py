"""Whether a request gets memories at all: from its need of them, and from how well the best hit matches it.

The weights are in `model/calibration`. A better match never silences what a worse one let through.
"""

from collections.abc import Mapping, Sequence

from recollect.model.calibration import NEED_WEIGHTS, NEEDED, logit, probability
from recollect.model.readings import Need
from recollect.model.search import Hit
from recollect.ranking.fusion import VECTOR

_BEST_MATCH = {"match": 1.0}


def request_features(need: Need, *, personal: bool) -> dict[str, float]:
    """Give what a request says about its need of memory, as the numbers that are weighed."""
    return {"need": logit(1 - need.no), "maybe": need.maybe, "personal": float(personal)}


def match_features(hits: Sequence[Hit]) -> dict[str, float]:
    """Give how well the best hits match: their score and cosine, and whether the request names what one is about."""
    score = max((hit.score for hit in hits), default=0.0)
    cosine = max((hit.parts.channels[VECTOR].score for hit in hits if VECTOR in hit.parts.channels), default=0.0)
    return {"match": (score + cosine) / 2, "named": float(any("subject" in hit.parts.factors for hit in hits))}


def may_need(request: Mapping[str, float]) -> bool:
    """Tell whether the best of matches would be shown; otherwise there is nothing to search for."""
    return is_needed(request, _BEST_MATCH)


def is_needed(request: Mapping[str, float], match: Mapping[str, float]) -> bool:
    """Tell whether what was found is worth showing."""
    return probability(NEED_WEIGHTS, {**request, **match}) >= NEEDED
