"""What besides relevance speaks for a row or against it. Each is a factor; what is unknown is a factor of 1.

The invariant: every factor is a pure function of what is stored and of the moment of asking. Nothing decayed is ever
written back, so nothing decays twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from recollect.model.literals import MessageRole, Trust
from recollect.ranking.additions import needs_context

_DAY = 86_400.0

SPEAKER = 1.3  # a question that names a person is mostly answered by that person's own turns
SUBJECT = 1.25
KIND = 1.5
PHRASE = 3.0
TIME = 1.6
PREFERRED = 1.2

TOLD_LATER = timedelta(days=4)  # after which a time that a question names counts half for what is told later
_TOLD_EARLIER = timedelta(days=1)
_NARROW = 0.4  # more for a moment that is named, and half as much more for one of so many days
_FEW_DAYS = timedelta(days=5)
_LATER_BY_LENGTH, _EARLIER_BY_LENGTH = 0.2, 0.1  # of a long time, up to a season
_SEASON = timedelta(days=120)
_LEAST_TIME = 1.05
_OTHER_YEAR = 0.5  # of that for the same month of another year, where the question names none
_YEAR = timedelta(days=365.2425)

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


def time(moment: datetime, since: datetime, until: datetime, *, yearly: bool = False) -> float:
    """Let what happened at a time come first, and less so what was told soon after or right before it.

    A time that comes every year may be that of an earlier year, too.
    """
    best = _time_factor(moment, since, until)
    years = round((since - moment) / _YEAR) if yearly else 0
    if years > 0:
        best = max(best, 1.0 + _OTHER_YEAR * (_time_factor(moment + years * _YEAR, since, until) - 1.0))
    return best if best >= _LEAST_TIME else 1.0


def _time_factor(moment: datetime, since: datetime, until: datetime) -> float:
    length = min(until - since, _SEASON)
    if moment < since:
        faded = 0.5 ** ((since - moment) / (_TOLD_EARLIER + _EARLIER_BY_LENGTH * length))
    elif moment < until:
        faded = 1.0
    else:
        faded = 0.5 ** ((moment - until) / (TOLD_LATER + _LATER_BY_LENGTH * length))
    return float(1.0 + (TIME - 1.0 + _NARROW * 0.5 ** (length / _FEW_DAYS)) * faded)


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
