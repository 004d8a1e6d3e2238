"""How well what was stored is found again: `python -m benchmarks.quality`, with `--data` for a set of your own.

A set is a folder with two files of JSON lines. `corpus.jsonl` has what is stored, in order: `{id, user, session, turn,
timestamp, speaker, text, caption?}`; `queries.jsonl` has what is asked: `{id, user, text, category, relevant, answer}`.
Only the public verbs are used. Questions are asked of both channels together and of each alone, because a fusion that
finds less than one of its channels is worse than none.
"""

import sys
from pathlib import Path

if not __package__:  # run as a file: our neighbours here have names of the standard library
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

import argparse
import json
import math
import os
import re
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from benchmarks.figures import Figure
from benchmarks.stores import server
from recollect import EmbeddingError, Memory, NewMemory, NewMessage, Recall, RecollectError, UserMemory, load_settings

OWN_SET = Path(__file__).resolve().parent / "data" / "quality"
COLUMNS = ("R@1", "R@5", "R@10", "R@20", "R@50", "hit@10", "MRR", "nDCG@10")
COMPARED = ("R@1", "R@10", "MRR")
CHANNELS: Mapping[str, Mapping[str, object]] = {
    "text": {"recall.vector_weight": 0.0},
    "vector": {"recall.text_weight": 0.0},
}
MOST_BELOW = 0.5
FEWEST_COMPARED = 40
_DEPTH = 50
_USER_NAMES = frozenset({"user", "human"})
_ASSISTANT_NAMES = frozenset({"assistant", "ai", "bot", "chatbot", "agent", "model", "llm", "system"})

Row = Mapping[str, float]
Table = Mapping[str, Row]


class BadSet(Exception):
    """A set that cannot be measured; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Line:
    """Something to store. Without a session it is a memory, otherwise a message of that conversation."""

    id: str
    user: str
    session: str | None
    said_at: datetime | None
    speaker: str
    content: str

    @property
    def role(self) -> Literal["user", "assistant"]:
        """Who speaks: the assistant when it is called like one, otherwise a person."""
        words = set(re.findall(r"[^\W_]+", self.speaker.casefold()))
        return "assistant" if words and words <= _ASSISTANT_NAMES else "user"

    @property
    def person(self) -> str:
        """The name of a person who is called by one."""
        return "" if self.role == "assistant" or self.speaker.casefold() in _USER_NAMES else self.speaker


@dataclass(frozen=True, slots=True)
class Query:
    """A question, and the lines that answer it."""

    id: str
    user: str
    text: str
    category: str
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class QualitySet:
    """What is stored, and the questions that have an answer in it."""

    lines: Sequence[Line]
    queries: Sequence[Query]

    @property
    def users(self) -> tuple[str, ...]:
        """Everybody who has stored something, in order of appearance."""
        return tuple(dict.fromkeys(line.user for line in self.lines))


@dataclass(frozen=True, slots=True)
class Found:
    """What a question brought: lines, best first, and how sure the answer is that it is one."""

    lines: Sequence[str]
    answerable: float | None


def load(folder: Path) -> QualitySet:
    """Read a set. Questions without a fair answer are left out."""
    owners: dict[str, str] = {}
    lines: list[Line] = []
    for where, entry in _entries(folder / "corpus.jsonl"):
        line = _line(entry, where)
        if line.id in owners:
            raise BadSet(f"{where}: the id {line.id!r} was given to an earlier line.")
        owners[line.id] = line.user
        lines.append(line)
    queries: dict[str, Query] = {}
    for where, entry in _entries(folder / "queries.jsonl"):
        query = _query(entry, where)
        if query.id in queries:
            raise BadSet(f"{where}: the id {query.id!r} was given to an earlier query.")
        if query.category == "adversarial" or not query.relevant:
            continue
        unknown = sorted(one for one in query.relevant if owners.get(one) != query.user)
        if unknown:
            raise BadSet(f"{where}: relevant id {unknown[0]!r} is no line of user {query.user!r} in corpus.jsonl.")
        queries[query.id] = query
    if not queries:
        raise BadSet(f"{folder / 'queries.jsonl'}: no query has an answer; there is nothing to measure.")
    return QualitySet(lines, list(queries.values()))


def _entries(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give the objects of a file, each with its place for messages."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadSet(f"{path}: cannot be read: {error.strerror}. A set has corpus.jsonl and queries.jsonl.") from error
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise BadSet(f"{where}: not JSON: {error}.") from error
        if not isinstance(entry, dict):
            raise BadSet(f"{where}: found a {type(entry).__name__}, expected an object.")
        yield where, entry


def _line(entry: Mapping[str, Any], where: str) -> Line:
    text, caption = _optional_text(entry, "text", where), _optional_text(entry, "caption", where)
    return Line(
        id=_text(entry, "id", where),
        user=_text(entry, "user", where),
        session=_optional_text(entry, "session", where) or None,
        said_at=_moment(entry, where),
        speaker=_optional_text(entry, "speaker", where),
        content="\n".join(part for part in (text, f"[image: {caption}]" if caption else "") if part),
    )


def _query(entry: Mapping[str, Any], where: str) -> Query:
    relevant = entry.get("relevant")
    if not isinstance(relevant, list) or not all(isinstance(one, str) for one in relevant):
        raise BadSet(f"{where}: relevant is {relevant!r}; it must be a list of ids.")
    return Query(
        id=_text(entry, "id", where),
        user=_text(entry, "user", where),
        text=_text(entry, "text", where),
        category=_text(entry, "category", where),
        relevant=frozenset(relevant),
    )


def _text(entry: Mapping[str, Any], name: str, where: str) -> str:
    text = _optional_text(entry, name, where)
    if not text:
        raise BadSet(f"{where}: {name} is missing.")
    return text


def _optional_text(entry: Mapping[str, Any], name: str, where: str) -> str:
    value = entry.get(name)
    if value is not None and not isinstance(value, str):
        raise BadSet(f"{where}: {name} is {value!r}; it must be a text.")
    return (value or "").strip()


def _moment(entry: Mapping[str, Any], where: str) -> datetime | None:
    given = _optional_text(entry, "timestamp", where)
    if not given:
        return None
    try:
        moment = datetime.fromisoformat(given)
    except ValueError as error:
        raise BadSet(f"{where}: timestamp is {given!r}; it must be like 2025-03-08T10:20:00.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def score(ranked: Sequence[str], relevant: frozenset[str]) -> Row:
    """Score one ranking, best first. An id that comes twice counts where it came first."""
    hits = [place for place, found in enumerate(dict.fromkeys(ranked)) if found in relevant]
    row = {f"R@{depth}": sum(place < depth for place in hits) / len(relevant) for depth in (1, 5, 10, 20, 50)}
    row["hit@10"] = float(any(place < 10 for place in hits))
    row["MRR"] = 1 / (hits[0] + 1) if hits else 0.0
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(relevant))))
    row["nDCG@10"] = sum(1 / math.log2(place + 2) for place in hits if place < 10) / ideal
    return row


def tabulate(queries: Sequence[Query], answers: Mapping[str, Found]) -> Table:
    """Average the scores of all queries and of each category, in percent."""
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for query in queries:
        row = score(answers[query.id].lines, query.relevant)
        groups["all"].append(row)
        groups[query.category].append(row)
    return {
        name: {
            "n": len(rows),
            **{column: round(100 * sum(r[column] for r in rows) / len(rows), 1) for column in COLUMNS},
        }
        for name, rows in groups.items()
    }


def shown(title: str, table: Table) -> str:
    """Give a table for people."""
    head = f"{title:16}{'n':>6}" + "".join(f"{column:>9}" for column in COLUMNS)
    body = [f"{name:16}{row['n']:>6}" + "".join(f"{row[c]:>9}" for c in COLUMNS) for name, row in table.items()]
    return "\n".join((head, *body))


def below_best(fused: Table, channels: Mapping[str, Table]) -> Iterator[Figure]:
    """Say for each group that is large enough how far the fusion is below the better of its channels, in points."""
    for name, row in fused.items():
        if row["n"] < FEWEST_COMPARED or not channels:
            continue
        below: dict[str, float] = {}
        for column in COMPARED:
            best = max(table[name][column] for table in channels.values())
            below[column] = round(best - row[column], 1)
        detail = ", ".join(f"{column} {points:+.1f}" for column, points in below.items())
        yield Figure(f"{name}, fusion below its best channel", max(below.values()), MOST_BELOW, "at most", detail)


def auc(own: Sequence[float], others: Sequence[float]) -> float:
    """Give the chance that one of the first is above one of the second; equal ones count half."""
    wins = sum((mine > other) + 0.5 * (mine == other) for mine in own for other in others)
    return wins / (len(own) * len(others))


def store(memory: Memory, lines: Sequence[Line]) -> Mapping[str, Sequence[str]]:
    """Store a set and wait for its vectors; says of each stored item which lines it is, as equal memories are one."""
    shelves: defaultdict[tuple[str, str | None], list[Line]] = defaultdict(list)
    for line in lines:
        if line.content:
            shelves[line.user, line.session].append(line)
    stored: defaultdict[str, list[str]] = defaultdict(list)
    for (user, session), shelf in shelves.items():
        for line, kept in zip(shelf, _kept(memory.user(user), session, shelf), strict=True):
            if kept is not None:
                stored[kept].append(line.id)
    _embed(memory)
    return stored


def _kept(user: UserMemory, session: str | None, lines: Sequence[Line]) -> Sequence[str | None]:
    if session is None:
        return [kept.id for kept in user.remember_many(map(_memory, lines))]
    return [added.id for added in user.conversation(session).extend(map(_message, lines))]


def _memory(line: Line) -> NewMemory:
    return NewMemory(line.content, subject=line.person, occurred_at=line.said_at, metadata={"corpus_id": line.id})


def _message(line: Line) -> NewMessage:
    return NewMessage(
        line.role, line.content, speaker=line.person, said_at=line.said_at, metadata={"corpus_id": line.id}
    )


def _embed(memory: Memory) -> None:
    done = memory.maintain()
    while memory.stats().pending_jobs and done.embedded:
        done = memory.maintain()
    stats = memory.stats()
    waiting = stats.pending_jobs + stats.parked_jobs
    if waiting and memory.settings.embedding.provider != "none":
        raise EmbeddingError(f"{waiting} of {stats.memories + stats.messages} items could not be embedded.")


@dataclass(frozen=True, slots=True)
class Bench:
    """A set that is stored, ready to be asked with one setting or another."""

    database: str
    embedder: str
    chosen: QualitySet
    stored: Mapping[str, Sequence[str]]

    def open(self, settings: Mapping[str, object]) -> Memory:
        """Open the store without regard to the settings of whoever runs this."""
        return _open(self.database, self.embedder, settings)

    def ask(self, settings: Mapping[str, object], *, strangers: bool = False) -> Mapping[str, Found]:
        """Ask every question as its user, or as another one, who cannot know."""
        users = self.chosen.users
        asked_as = dict(zip(users, (*users[1:], *users[:1]) if strangers else users, strict=True))
        with self.open(settings) as memory:
            return {
                query.id: self._found(memory.user(asked_as[query.user]).search_context(query.text, limit=_DEPTH))
                for query in self.chosen.queries
            }

    def _found(self, answer: Recall) -> Found:
        """Leave out what is no line, such as a summary. What says the same as a hit stands where the hit stands."""
        ids = (known for hit in answer.hits for known in (hit.id, *hit.folded))
        return Found([line for known in ids for line in self.stored.get(known, ())], answer.answerable)


def answerable(own: Mapping[str, Found], strangers: Mapping[str, Found]) -> str:
    """Say how well an answer tells that it is one, given what was found by those who can know and who cannot."""
    mine, others = (
        [one.answerable for one in found.values() if one.answerable is not None] for found in (own, strangers)
    )
    if not mine or not others:
        return "answerable: this version does not say"
    averages = f"{statistics.mean(mine):.2f} for the own user, {statistics.mean(others):.2f} for another"
    return f"answerable: AUC {auc(mine, others):.3f} | {averages}, {len(mine)} queries"


def _open(database: str, embedder: str, settings: Mapping[str, object]) -> Memory:
    overrides = {"database": database, "embedding.provider": embedder, "embedding.worker": False, **settings}
    return Memory.open(settings=load_settings(os.devnull, environ={}, overrides=overrides))


@contextmanager
def prepared(chosen: QualitySet, kind: str, embedder: str) -> Iterator[Bench]:
    """Store a set in a store of its own."""
    with tempfile.TemporaryDirectory() as folder, _database(Path(folder), kind) as database:
        with _open(database, embedder, {}) as memory:
            stored = store(memory, chosen.lines)
        yield Bench(database, embedder, chosen, stored)


@contextmanager
def _database(folder: Path, kind: str) -> Iterator[str]:
    if kind == "sqlite":
        yield str(folder / "quality.db")
    else:
        with server(folder / "postgresql") as address:
            yield address


def measure() -> Iterator[Figure]:
    """The set in this folder, on SQLite: what is found, and whether both channels find more than one."""
    chosen = load(OWN_SET)
    with prepared(chosen, "sqlite", "local") as bench:
        fused = tabulate(chosen.queries, bench.ask({}))
        channels = {name: tabulate(chosen.queries, bench.ask(settings)) for name, settings in CHANNELS.items()}
    found = fused["all"]
    detail = f"{found['n']} questions; R@1 {found['R@1']} %, MRR {found['MRR']} %"
    yield Figure("answers among the first ten hits", found["R@10"] / 100, 0.9, "at least", detail)
    yield from below_best(fused, channels)


def report(bench: Bench, run_out: Path | None) -> bool:
    """Ask and print everything; says whether the fusion kept to its bar."""
    queries = bench.chosen.queries
    answers = bench.ask({})
    if run_out is not None:
        lines = (json.dumps({"id": name, "ranked": found.lines}, ensure_ascii=False) for name, found in answers.items())
        run_out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    fused = tabulate(queries, answers)
    print(shown("fusion", fused), flush=True)
    channels: dict[str, Table] = {}
    for name, settings in CHANNELS.items():
        if name == "text" or bench.embedder != "none":
            channels[name] = tabulate(queries, bench.ask(settings))
            print(f"\n{shown(name, channels[name])}", flush=True)
    print()
    figures = list(below_best(fused, channels))
    for figure in figures:
        print(figure.line())
    if len(bench.chosen.users) > 1:
        print(answerable(answers, bench.ask({}, strangers=True)))
    return all(figure.reached for figure in figures)


def _spread(queries: Sequence[Query], most: int | None) -> Sequence[Query]:
    """Take some queries from all over the set."""
    if most is None or most >= len(queries):
        return queries
    return [queries[number * len(queries) // most] for number in range(most)]


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=OWN_SET, metavar="DIR", help="the set (default: a small one here)")
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite", help="where to store it")
    parser.add_argument("--embedder", choices=("local", "none"), default="local", help="who makes the vectors")
    parser.add_argument("--run-out", type=Path, metavar="FILE", help="write what the fusion found, a line per query")
    parser.add_argument("--limit-queries", type=_positive, metavar="N", help="ask only N, from all over the set")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the exit code says whether the fusion kept to its bar, and 2 that nothing was measured."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if asked.run_out is not None and not asked.run_out.resolve().parent.is_dir():
        parser.error(f"--run-out: there is no folder {asked.run_out.resolve().parent}")
    try:
        whole = load(asked.data)
        chosen = QualitySet(whole.lines, _spread(whole.queries, asked.limit_queries))
        with prepared(chosen, asked.store, asked.embedder) as bench:
            reached = report(bench, asked.run_out)
    except (BadSet, RecollectError, OSError) as error:
        print(f"quality: {error}", file=sys.stderr)
        return 2
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
