"""Numbers that were fitted on labelled messages, in one place. Each table names the command that prints it.

`FOLDER` below is a folder with `messages.jsonl` as `benchmarks/data/README.md` describes it.
"""

from collections.abc import Mapping
from math import exp
from typing import Final

# How sure the bundled reader is of a span, from what its graph says about it; a logistic regression.
# python -m benchmarks.fit_capture FOLDER
SPAN_WEIGHTS: Final[Mapping[str, float]] = {
    "constant": -1.749,
    "inside": 0.361,
    "handed line": -0.177,
    "handed anywhere": 0.077,
    "value": 0.084,
    "key": 0.550,
    "who": 1.122,
    "length": 0.666,
    "pieces": -0.236,
    "event": 0.111,
    "preference": 0.205,
    "decision": 0.083,
    "rule": 0.789,
}

# How sure it is that a statement should be kept, from the words around it; a logistic regression on top of the first.
# python -m benchmarks.fit_capture FOLDER
STATEMENT_WEIGHTS: Final[Mapping[str, float]] = {
    "constant": -0.408,
    "certainty": 0.944,
    "words": 0.262,
    "announced": -0.787,
    "lines": -0.108,
    "quotation": -0.277,
    "first person": 0.413,
    "asks": -0.598,
}

# From which confidence on a statement is kept, and from which it may send an older value to the history.
# python -m benchmarks.fit_capture FOLDER prints what each threshold reaches.
KEEP: Final = 0.6
REPLACE: Final = 0.9

# The confidence of what is true by its form ("my name is"), or asked to be remembered.
CERTAIN: Final = 0.95


def probability(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """Give the probability that a logistic regression assigns to its features."""
    total = weights["constant"] + sum(weights[name] * number for name, number in features.items() if name in weights)
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))
