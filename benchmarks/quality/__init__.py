"""How well what was stored is found again: `python -m benchmarks.quality`, with `--data` for a set of your own.

A set is a folder with two files of JSON lines. `corpus.jsonl` has what is stored, in order: `{id, user, session, turn,
timestamp, speaker, text, caption?}`; `queries.jsonl` has what is asked: `{id, user, text, category, relevant, answer}`.
Only the public verbs are used. Questions are asked of both channels together and of each alone, because a fusion that
finds less than one of its channels is worse than none.
"""

from benchmarks.quality.command import main, measure
from benchmarks.quality.scores import COLUMNS, Found, answerable, auc, below_best, score, tabulate
from benchmarks.quality.sets import OWN_SET, BadSet, Line, QualitySet, Query, load

__all__ = [
    "COLUMNS",
    "OWN_SET",
    "BadSet",
    "Found",
    "Line",
    "QualitySet",
    "Query",
    "answerable",
    "auc",
    "below_best",
    "load",
    "main",
    "measure",
    "score",
    "tabulate",
]
