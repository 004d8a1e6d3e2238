"""Results: what one way to search found in a set, saved so that an interrupted run goes on where it was."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from benchmarks.quality.intervals import Interval, bootstrap
from benchmarks.quality.scores import Found, Row, score
from benchmarks.quality.sets import BadSet, Query

Channel = Literal["words", "vectors", "fused"]
Rerank = Literal["off", "auto", "always"]
SET_FILES = ("corpus.jsonl", "queries.jsonl")


@dataclass(frozen=True, slots=True)
class Case:
    """One way to search one set: a model, a channel, the reranker, and how many other turns there are."""

    set_name: str
    model: str
    channel: Channel
    rerank: Rerank = "off"
    others: int = 0

    @property
    def name(self) -> str:
        """The case for people and for `--only`, such as `requests/encoder-3/fused+auto` or `…/fused/among-1000`."""
        reranked = "" if self.rerank == "off" else f"+{self.rerank}"
        among = f"/among-{self.others}" if self.others else ""
        return f"{self.set_name}/{self.model}/{self.channel}{reranked}{among}"


@dataclass(frozen=True, slots=True)
class Answered:
    """A question that was asked: its category, how many lines answer it, and the places (from 0) they came in."""

    category: str
    relevant: int
    places: Sequence[int]

    @property
    def scores(self) -> Row:
        """The scores of the question, each from 0 to 1."""
        ranked = [f"other {place}" for place in range(max(self.places, default=-1) + 1)]
        for place in self.places:
            ranked[place] = f"answer {place}"
        missing = self.relevant - len(self.places)
        answers = {f"answer {place}" for place in self.places} | {f"missing {number}" for number in range(missing)}
        return score(ranked, frozenset(answers))


@dataclass(frozen=True, slots=True)
class Conditions:
    """When, where and with what code a result was measured."""

    date: str
    version: str
    revision: str
    machine: str
    store: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a case found, question by question. `texts` is the number of stored texts, other turns left out."""

    case: Case
    texts: int
    users: int
    answered: Sequence[Answered]
    conditions: Conditions
    seconds: float
    other_source: str = ""

    def interval(self, column: str, category: str | None = None) -> Interval:
        """Give the mean of a score in percent, of all questions or of a category, with its interval."""
        rows = [one for one in self.answered if category in {None, one.category}]
        return bootstrap([100 * one.scores[column] for one in rows])

    @property
    def categories(self) -> Mapping[str, int]:
        """The number of questions in each category, in order of appearance."""
        counts: dict[str, int] = {}
        for one in self.answered:
            counts[one.category] = counts.get(one.category, 0) + 1
        return counts


def answered(query: Query, found: Found) -> Answered:
    """Keep of an answer what its scores are made of."""
    places = [place for place, line in enumerate(dict.fromkeys(found.lines)) if line in query.relevant]
    return Answered(query.category, len(query.relevant), places)


class ResultFiles:
    """A folder with one file per result. A result counts only for the code, the settings and the set it came from."""

    def __init__(self, folder: Path) -> None:
        """Take note of the folder, which is made by the first save."""
        self._folder = folder

    def load(self, case: Case, key: str) -> Result | None:
        """Give a saved result; None when there is none with this key."""
        path = self._path(case, key)
        if not path.exists():
            return None
        entry = json.loads(path.read_text(encoding="utf-8"))
        entry["case"] = Case(**entry["case"])
        entry["answered"] = [Answered(*one) for one in entry["answered"]]
        entry["conditions"] = Conditions(**entry["conditions"])
        return Result(**entry)

    def save(self, result: Result, key: str) -> None:
        """Write a result, whole or not at all."""
        entry = asdict(result)
        entry["answered"] = [[one.category, one.relevant, list(one.places)] for one in result.answered]
        path = self._path(result.case, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(entry, ensure_ascii=False), encoding="utf-8")
        unfinished.replace(path)

    def _path(self, case: Case, key: str) -> Path:
        return self._folder / f"{re.sub(r'[^A-Za-z0-9.+-]', '_', case.name)}-{key[:16]}.json"


def digest(*parts: object) -> str:
    """Give a hash of values that JSON can hold."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def digest_of_set(folder: Path) -> str:
    """Give a hash of the two files of a set. Raises BadSet when one of them is missing."""
    try:
        return digest(*(hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in SET_FILES))
    except OSError as error:
        raise BadSet(
            f"{error.filename}: cannot be read: {error.strerror}. A set has {' and '.join(SET_FILES)}."
        ) from error


def digest_of_folder(*folders: Path) -> str:
    """Give a hash of all files in folders, without the compiled ones."""
    whole = hashlib.sha256()
    for folder in folders:
        for path in _files(folder):
            whole.update(f"{path.relative_to(folder).as_posix()}\0".encode())
            with path.open("rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
