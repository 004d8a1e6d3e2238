"""Fits when to stay silent, and when to say that nothing is known; prints weights of `recollect.model.calibration`.

    python -m benchmarks.fit_need [SET...]

Only the calibrating part of `data/need` is used. Questions on the topic of a memory that need none count twice: few of
the messages are of this kind, and most of what is shown in vain is. What a door shows is fitted on the questions of
sets, too, which are folders as `benchmarks.quality.sets` reads them: they count half, unrelated messages twice, and
those on the topic of a memory not at all. Figures are of a cross-validation in five parts, twenty times over; those at
the end are what the present weights reach, before a prompt and at a door.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.fit_capture import Numbers, fit, table
from benchmarks.need import UNRELATED, Answered, household, measure, requests
from benchmarks.quality.bench import prepared
from benchmarks.quality.sets import load, spread
from recollect import Recall
from recollect.engine.conversations.silence import word_evidence
from recollect.model.calibration import logit
from recollect.models.local import LocalReader
from recollect.ranking.fusion import TEXT, VECTOR
from recollect.ranking.need import door_features, match_features, request_features
from recollect.text.questions import names_user, request_form

_NEAR_WEIGHT = 2.0
_SET_WEIGHT = 0.5
_MOST_OF_A_SET = 1_700
_FIRST = 10
PARTS = 5
ROUNDS = 20


class Example(NamedTuple):
    """A request with what is weighed, and whether it is right to show something."""

    answered: Answered
    features: Mapping[str, float]
    right: bool


def probabilities(examples: Sequence[Example]) -> Numbers:
    """Give the probability of each example, by weights that have not seen it."""
    _, rows = table([example.features for example in examples])
    right = np.array([float(example.right) for example in examples])
    drawn, total = np.random.default_rng(0), np.zeros(len(rows))
    for _ in range(ROUNDS):
        part = drawn.integers(0, PARTS, len(rows))
        for number in range(PARTS):
            seen = part != number
            total[~seen] += (rows @ fit(rows[seen], right[seen], _weights(examples)[seen]))[~seen] / ROUNDS
    sure: Numbers = 1 / (1 + np.exp(-total))
    return sure


def _weights(examples: Sequence[Example]) -> Numbers:
    return np.array([_NEAR_WEIGHT if example.answered.request.kind == "near" else 1.0 for example in examples])


def print_weights(name: str, examples: Sequence[Example]) -> None:
    """Print the weights that fit all examples."""
    names, rows = table([example.features for example in examples])
    right = np.array([float(example.right) for example in examples])
    found = fit(rows, right, _weights(examples))
    print(f"{name} = {{")
    print("".join(f'    "{label}": {weight:.3f},\n' for label, weight in zip(names, found, strict=True)) + "}")


def fit_silence(found: Sequence[Answered], reader: LocalReader) -> None:
    """Fit whether a request gets memories: a question that has an answer does, what needs no memory does not."""
    examples = []
    for answered in found:
        if answered.request.kind not in ("unknown", "keywords"):
            text = answered.request.text
            request = request_features(reader.read(text).need, **request_form(text)._asdict())
            features = {**request, **match_features(answered.hits, word_evidence(text, answered.hits))}
            examples.append(Example(answered, features, not answered.request.is_needless))
    sure = probabilities(examples)
    for threshold in np.arange(0.2, 0.6, 0.02):
        shown = [bool(one.answered.hits) and p >= threshold for one, p in zip(examples, sure, strict=True)]
        pairs = [(example.answered, flag) for example, flag in zip(examples, shown, strict=True)]
        unrelated = np.mean([flag for answered, flag in pairs if answered.request.kind in UNRELATED])
        near = np.mean([flag for answered, flag in pairs if answered.request.kind == "near"])
        kept = np.mean([flag for answered, flag in pairs if answered.is_right])
        print(f"{threshold:.2f}  unrelated {unrelated:.3f}, near {near:.3f}, kept {kept:.3f}")
    print_weights("NEED_WEIGHTS", examples)


def fit_doors(found: Sequence[tuple[Answered, Recall]], sets: Sequence[Path], reader: LocalReader) -> None:
    """Fit whether what was found has to do with a query: of a message that needs none it has not."""
    rows, right, weights = [], [], []
    for answered, recall in found:
        kind = answered.request.kind
        if kind in UNRELATED or answered.is_right:
            rows.append(_at_a_door(answered.request.text, recall, reader))
            right.append(float(kind not in UNRELATED))
            weights.append(2.0 if kind in UNRELATED else 1.0)
    for folder in sets:
        chosen = load(folder)
        with prepared(chosen, "sqlite", "local") as bench, bench.open({}) as memory:
            for query in spread(chosen.queries, _MOST_OF_A_SET):
                recall = memory.user(query.user).search_context(query.text, limit=_FIRST, only_related=False)
                if any(line in query.relevant for hit in recall.hits for line in bench.stored.get(hit.id, ())):
                    rows.append(_at_a_door(query.text, recall, reader))
                    right.append(1.0)
                    weights.append(_SET_WEIGHT)
    names, table_of_rows = table(rows)
    weighed = fit(table_of_rows, np.array(right), np.array(weights))
    print("DOOR_WEIGHTS = {")
    print("".join(f'    "{name}": {weight:.3f},\n' for name, weight in zip(names, weighed, strict=True)) + "}")


def _at_a_door(text: str, recall: Recall, reader: LocalReader) -> dict[str, float]:
    form = request_form(text)._asdict()
    request = request_features(reader.read(text).need, **{**form, "own": form["own"] or names_user(text)})
    return door_features(request, word_evidence(text, recall.hits), recall.hits, recall.answerable)


def fit_answers(found: Sequence[tuple[Answered, Recall]], reader: LocalReader) -> None:
    """Fit how likely the best row is an answer to a question, without and with the need of memory."""
    questions = [(answered, recall) for answered, recall in found if not answered.request.is_needless]
    plain, needing = [], []
    for answered, recall in questions:
        best = {
            "relevance": max((min(1.0, hit.parts.relevance) for hit in recall.hits), default=0.0),
            "cosine": max((_cosine(recall, place) for place in range(len(recall.hits))), default=0.0),
        }
        need = logit(1 - reader.read(answered.request.text).need.no)
        plain.append(Example(answered, best, answered.is_right))
        needing.append(Example(answered, {**best, "need": need}, answered.is_right))
    right = np.array([example.right for example in plain])
    for name, sure in (("plain", probabilities(plain)), ("with need", probabilities(needing))):
        print(f"{name}: AUC {_auc(sure[right], sure[~right]):.3f}")
        for threshold in (0.2, 0.3, 0.35, 0.4, 0.45, 0.5):
            said = sure >= threshold
            print(f"{threshold:.2f}  answered {np.mean(said[right]):.3f}, not answered {np.mean(said[~right]):.3f}")
    print_weights("ANSWER_WEIGHTS", plain)


def _cosine(recall: Recall, place: int) -> float:
    channels = recall.hits[place].parts.channels
    return channels[VECTOR].score if VECTOR in channels else channels[TEXT].score


def _auc(better: Numbers, worse: Numbers) -> float:
    return float(np.mean((better[:, None] > worse) + 0.5 * (better[:, None] == worse)))


def main() -> None:
    """Fit and print."""
    reader = LocalReader()
    asked = requests("calibrate")
    with household(silence=False) as users:
        fit_silence([users.ask(request) for request in asked], reader)
        searched = [users.search(request, only_related=False) for request in asked]
        fit_answers(searched, reader)
        fit_doors(searched, [Path(name) for name in sys.argv[1:]], reader)
    for figure in measure("calibrate"):
        print(figure.line())


if __name__ == "__main__":
    main()
