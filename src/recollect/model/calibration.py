"""Numbers that were fitted on labelled messages, in one place. Each table names the command that prints it.

`MESSAGES` and `REPLIES` below are folders of labelled messages and replies as `benchmarks/labelled_messages.py` says.
"""

from collections.abc import Mapping
from math import exp, log
from typing import Final

# How sure the bundled reader is of a span, from what its graph says about it; a logistic regression.
# python -m benchmarks.fit_capture MESSAGES REPLIES
SPAN_WEIGHTS: Final[Mapping[str, float]] = {
    "constant": -1.188,
    "inside": 0.423,
    "handed line": -0.118,
    "handed anywhere": 0.053,
    "value": 0.130,
    "key": 0.140,
    "who": 1.287,
    "length": 0.625,
    "pieces": -0.253,
    "preference": 0.349,
    "event": 0.191,
    "rule": 0.700,
    "decision": 0.213,
    "answer": -0.601,
    "answer length": 0.174,
}

# How sure it is that a statement should be kept, from the words around it; a logistic regression on top of the first.
# python -m benchmarks.fit_capture MESSAGES REPLIES
STATEMENT_WEIGHTS: Final[Mapping[str, float]] = {
    "constant": -0.057,
    "certainty": 0.959,
    "words": 0.045,
    "announced": -0.757,
    "lines": 0.143,
    "quotation": -0.254,
    "first person": 0.150,
    "asks": -0.737,
    "offered": -0.411,
    "choice": -1.519,
    "first": 0.684,
}

# From which confidence on a statement is kept, and from which it may send an older value to the history.
# python -m benchmarks.fit_capture FOLDER prints what each threshold reaches.
KEEP: Final = 0.6
REPLACE: Final = 0.9

# The confidence of what is true by its form ("my name is"), or asked to be remembered.
CERTAIN: Final = 0.95

# Whether a request gets memories, from its reading, its words and the best hits; a logistic regression.
# `NEEDED` is the probability from which it does.
# python -m benchmarks.fit_need
NEED_WEIGHTS: Final[Mapping[str, float]] = {
    "constant": -6.318,
    "need": 0.451,
    "sure": 1.021,
    "personal": 4.376,
    "for me": 1.830,
    "general": -1.583,
    "asks": 0.664,
    "command": 0.448,
    "match": 6.888,
    "named": 2.874,
    "held": 3.411,
}
NEEDED: Final = 0.28

# How likely it is that a row answers a question, from its relevance and its cosine; a logistic regression. Below
# `KNOWN`, the doors say that nothing is known.
# python -m benchmarks.fit_need
ANSWER_WEIGHTS: Final[Mapping[str, float]] = {"constant": -3.295, "relevance": 9.862, "cosine": 0.443}
KNOWN: Final = 0.4

# Whether what was found has to do with a query at a door for agents and people; a logistic regression. `ASKED` is the
# probability from which it does. Fitted on messages that need memory or do not, and on questions of sets.
# python -m benchmarks.fit_need SET...
DOOR_WEIGHTS: Final[Mapping[str, float]] = {
    "constant": -6.993,
    "need": 0.327,
    "sure": 1.428,
    "personal": 1.969,
    "for me": 1.126,
    "general": -1.339,
    "asks": 1.325,
    "command": -1.006,
    "answerable": 0.757,
    "cosine": 11.845,
    "held": 2.554,
    "keywords": 1.760,
    "passage": 2.224,
    "named": 0.357,
}
ASKED: Final = 0.4
UNASKED: Final = 0.3  # below it nothing goes before a prompt, either
TERSE_KNOWN: Final = 0.8  # `answerable` from which keywords get memories before a prompt

# When keywords have to do with hits, whatever their need of memory: `answerable` from which they do without a word in
# common. A text of `PASSAGE` words can answer a general question. Hits without a word of the query need a score.
# python -m benchmarks.fit_need prints what they reach.
SURELY_RELATED: Final = 0.95
PASSAGE: Final = 25
KEYWORDS_NEAR: Final = 0.33  # cosine from which keywords mean a hit, whatever its words
PHRASE_NEAR: Final = 0.42  # the same of other phrases
LEAST_SCORE: Final = 0.05

# From which `answerable` on the best memories are shown where the scores fall off: in general, and where several others
# are about the subject of the best one, too.
# python -m benchmarks.precision prints what they reach.
LEAST_ANSWERABLE: Final = 0.2
LEAST_OF_FAMILY: Final = 0.5

_UNLIKELY: Final = 1e-3


def probability(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """Give the probability that a logistic regression assigns to its features."""
    total = weights["constant"] + sum(weights[name] * number for name, number in features.items() if name in weights)
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


def logit(share: float) -> float:
    """Give the logarithm of the odds of a probability, bounded where it is next to certain."""
    bounded = min(max(share, _UNLIKELY), 1 - _UNLIKELY)
    return log(bounded / (1 - bounded))
