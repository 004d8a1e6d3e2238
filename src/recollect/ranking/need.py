"""Whether a request gets memories at all: from its need of them, and from how well the best hit matches it.

The weights are in `model/calibration`. A better match never silences what a worse one let through.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recollect.model.calibration import (
    ASKED,
    DOOR_WEIGHTS,
    KEYWORDS_NEAR,
    KNOWN,
    NEED_WEIGHTS,
    NEEDED,
    PHRASE_NEAR,
    SURELY_RELATED,
    TERSE_KNOWN,
    UNASKED,
    logit,
    probability,
)
from recollect.model.readings import Need
from recollect.model.search import Hit
from recollect.ranking.fusion import VECTOR

_BEST_MATCH = {"match": 0.75, "held": 1.0}  # better ones are hardly seen
_WORDS_IN_COMMON = 2
_IDLE = logit(0.05)
_SURE = logit(0.98)


class WordEvidence(NamedTuple):
    """What the words of a query say for its hits: how many it has, and how many of them the best hit holds.

    In bare keywords, such as "dog food", each word counts. The best hit may be a `passage`, or of someone it `names`.
    """

    asked: int
    held: int
    is_keywords: bool = False
    is_passage: bool = False
    is_named: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether one hit holds every telling word."""
        return 0 < self.asked <= self.held


def request_features(
    need: Need, *, own: bool, for_me: bool, general: bool, asks: bool, command: bool
) -> dict[str, float]:
    """Give what a request says about its need of memory, as the numbers that are weighed."""
    form = {"personal": own, "for me": for_me, "general": general, "asks": asks, "command": command}
    needs = logit(1 - need.no)
    return {"need": needs, "sure": float(needs >= _SURE), **{name: float(flag) for name, flag in form.items()}}


def match_features(hits: Sequence[Hit], words: WordEvidence) -> dict[str, float]:
    """Give how well the best hits match: score and cosine, whether the request names what one is about, its words."""
    score = max((hit.score for hit in hits), default=0.0)
    return {"match": (score + _best_cosine(hits)) / 2, "named": float(words.is_named), "held": float(words.is_whole)}


def _best_cosine(hits: Sequence[Hit]) -> float:
    return max((hit.parts.channels[VECTOR].score for hit in hits if VECTOR in hit.parts.channels), default=0.0)


def may_need(request: Mapping[str, float]) -> bool:
    """Tell whether the best of matches would be shown; otherwise there is nothing to search for."""
    says_nothing = is_idle(request) and not any(request[sign] for sign in ("personal", "for me", "asks"))
    return not says_nothing and is_needed(request, _BEST_MATCH)


def is_worth_showing(request: Mapping[str, float], words: WordEvidence, hits: Sequence[Hit], answerable: float) -> bool:
    """Tell whether hits go before a prompt: what was found weighs against what the request looks like.

    Keywords, and questions that share several words with what likely answers, get it however the request looks.
    """
    if answerable >= TERSE_KNOWN and words.held and words.is_keywords and not request["command"]:
        return True
    likely = probability(DOOR_WEIGHTS, door_features(request, words, hits, answerable))
    shares_words = words.held >= _WORDS_IN_COMMON and request["asks"] and not request["general"]
    if shares_words and (answerable >= SURELY_RELATED or (likely >= ASKED and request["need"] > 0.0)):
        return True
    return (likely >= UNASKED or bool(request["personal"])) and is_needed(request, match_features(hits, words))


def is_needed(request: Mapping[str, float], match: Mapping[str, float]) -> bool:
    """Tell whether what was found is worth showing."""
    return probability(NEED_WEIGHTS, {**request, **match}) >= NEEDED


def is_idle(request: Mapping[str, float]) -> bool:
    """Tell whether a request surely needs no memory, as a greeting or thanks do."""
    return request["need"] <= _IDLE


def is_related(words: WordEvidence, answerable: float) -> bool:
    """Tell whether keywords have to do with what was found by their words alone, whatever their need of memory."""
    return words.is_keywords and (words.is_whole or answerable >= (KNOWN if words.held else SURELY_RELATED))


def door_features(
    request: Mapping[str, float], words: WordEvidence, hits: Sequence[Hit], answerable: float
) -> dict[str, float]:
    """Give what a query and what was found say for each other, as the numbers that are weighed at a door."""
    return {
        **request,
        "answerable": logit(answerable),
        "cosine": _best_cosine(hits) or max((hit.score for hit in hits), default=0.0),  # words alone say it, too
        "held": min(1.0, words.held / max(1, words.asked)),
        "keywords": float(words.is_keywords),
        "passage": float(words.is_passage),
        "named": float(words.is_named),
    }


def is_asked_for(features: Mapping[str, float]) -> bool:
    """Tell whether what was found has to do with a query, all in all."""
    return probability(DOOR_WEIGHTS, features) >= ASKED


def means_known(request: Mapping[str, float], words: WordEvidence, hits: Sequence[Hit]) -> bool:
    """Tell whether a phrase means something that is known, without a word in common: "wedding date", "a cold cure".

    Its need cannot be read where it is no sentence; what begins like a command is none.
    """
    if words.is_keywords:
        return not request["command"] and _best_cosine(hits) >= KEYWORDS_NEAR
    is_phrase = not (request["command"] or request["asks"] or request["general"])
    return is_phrase and _best_cosine(hits) >= PHRASE_NEAR
