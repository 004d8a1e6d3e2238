"""What besides relevance speaks for a row or against it. Each is a factor; what is unknown is a factor of 1.

The invariant: every factor is a pure function of what is stored and of the moment of asking. Nothing decayed is ever
written back, so nothing decays twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from recollect.model.literals import MessageRole, Trust
from recollect.ranking.additions import needs_context

_DAY = 86_400.0

SPEAKER = 1.3  # a question that names a person is mostly answered by that person's own turns
SUBJECT = 1.25
PHRASE = 3.0
TIME = 1.6
PREFERRED = 1.2

_LIKED = 1.05
_DISLIKED = 0.4

_QUESTION = 0.8  # a turn that asks holds the words of the question, and seldom the answer
_SHORT_ANSWER = 0.8
_ASIDE = 0.36  # of an answer, where a request looks for what the user wants
_LONG_ANSWER = 0.5

_TRUST: Mapping[int, float] = {Trust.STATED: 1.0, Trust.INFERRED: 0.97, Trust.FILE: 0.97, Trust.EXTERNAL: 0.9}


@dataclass(frozen=True, slots=True)
class Fading:
    """How things fade: after how many days by half, for each type that does; and how much of a score may go."""

    half_life_days: Mapping[str, float] = field(default_factory=dict)
    most: float = 0.1


def recency(kind: str, happened: datetime, now: datetime, fading: Fading) -> float:
    """Fade what is long ago. What lies ahead is as fresh as the present."""
    half_life = fading.half_life_days.get(kind)
    if not half_life:
        return 1.0
    age = max(0.0, (now - happened).total_seconds() / _DAY)
    return float(1.0 - fading.most * (1.0 - 0.5 ** (age / half_life)))


def importance(value: float, weight: float) -> float:
    """Let what matters more come first among equals."""
    return 1.0 - weight * (1.0 - value)


def confidence(value: float, weight: float) -> float:
    """Let what is doubtful come later."""
    return 1.0 - weight * (1.0 - value)


def trust(tier: int) -> float:
    """Let what the user said come before what a tool read."""
    return _TRUST.get(tier, 1.0)


def feedback(rating: object) -> float:
    """Let what the user rated down come later, and what they rated up a little sooner."""
    return _DISLIKED if rating == -1 else _LIKED if rating == 1 else 1.0


def role(spoken_by: MessageRole, tokens: int, *, asked_of_assistant: bool, personal: bool = True) -> float:
    """Let what a user said come before the long answers that repeat it, unless those are asked for.

    A query that is not about the user's own, such as a request, looks for wishes, which no answer holds.
    """
    if spoken_by in ("user", "summary") or asked_of_assistant:
        return 1.0
    if not personal:
        return _ASIDE
    return _answer(tokens)


def _answer(tokens: int) -> float:
    return _LONG_ANSWER + (_SHORT_ANSWER - _LONG_ANSWER) * needs_context(tokens)


def question(*, asks: bool) -> float:
    """Let answers come before questions."""
    return _QUESTION if asks else 1.0
