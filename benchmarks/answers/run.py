"""A run: each question answered and judged once, a line of a file for each, and a table of it.

The first line says what is run. A run that was killed goes on: questions with a line are not asked again, and what is
left of a line that was being written is cut off. A question that failed has no line.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any, Final

from benchmarks.answers.models import Answered, Judged, Price
from benchmarks.answers.sets import ADVERSARIAL, Chat, Question
from benchmarks.quality.sets import BadSet
from recollect.errors import LlmError
from recollect.model.messages import Usage

_MOST_FAILED: Final = 5  # in a row, after which the rest is left for another time
_Z: Final = 1.96  # of 95 %


@dataclass(frozen=True, slots=True)
class Row:
    """A question, as it was answered and judged. `evidence_tokens` is None for answers that another program gave."""

    id: str
    kind: str
    question: str
    right: str
    answer: str
    score: float
    said: Sequence[str]
    evidence_tokens: int | None
    answering: Usage
    judging: Usage


# Gives the answer to a question and the tokens of its evidence, in a thread of its own.
Answering = Callable[[], tuple[Answered, int | None]]


class RunFile:
    """The file of a run, made for one thing that is run, and gone on with for no other."""

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self._path = path
        self._lock = Lock()
        self.rows: list[Row] = []
        head = json.dumps({"run": about}, ensure_ascii=False)
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        if lines and not lines[-1].endswith(b"\n"):
            os.truncate(path, sum(map(len, lines[:-1])))
            lines.pop()
        if not lines:
            self._append(head)
        elif json.loads(lines[0]) != json.loads(head):
            raise BadSet(f"{path}: it holds another run, {lines[0].decode().strip()}; this one is {head}.")
        self.rows += (_row(json.loads(line)) for line in lines[1:])

    def add(self, row: Row) -> None:
        """Write a row; it is on the disk when this returns."""
        with self._lock:
            self._append(json.dumps(asdict(row), ensure_ascii=False))
            self.rows.append(row)

    def _append(self, line: str) -> None:
        with self._path.open("ab") as file:
            file.write(f"{line}\n".encode())
            file.flush()
            os.fsync(file.fileno())


def _row(entry: Mapping[str, Any]) -> Row:
    return Row(**{**entry, "answering": Usage(**entry["answering"]), "judging": Usage(**entry["judging"])})


def digest(path: Path) -> str:
    """Name the content of a set."""
    files = sorted(found for found in path.rglob("*.json") if found.is_file()) if path.is_dir() else [path]
    summed = hashlib.sha256()
    for file in files:
        summed.update(file.read_bytes())
    return summed.hexdigest()[:12]


def wanted(chats: Iterable[Chat], kinds: Sequence[str], most: int | None) -> Sequence[tuple[Chat, Question]]:
    """Choose questions: of some kinds, or of all but the adversarial; only so many, from all over the set."""
    chosen = [
        (chat, question)
        for chat in chats
        for question in chat.questions
        if (question.kind in kinds if kinds else question.kind != ADVERSARIAL)
    ]
    if most is None or most >= len(chosen):
        return chosen
    return [chosen[number * len(chosen) // most] for number in range(most)]


def run(
    file: RunFile,
    questions: Iterator[tuple[Question, Answering]],
    judge: Callable[[Question, str], Judged],
    workers: int,
) -> Sequence[str]:
    """Answer and judge, several questions at once; says what failed. Evidence is found no faster than it is used."""
    free, failed, in_a_row = BoundedSemaphore(2 * workers), list[str](), 0

    def work(question: Question, answering: Answering) -> None:
        nonlocal in_a_row
        try:
            given, tokens = answering()
            judged = judge(question, given.text)
            file.add(Row(
                question.id, question.kind, question.text, question.answer, given.text, judged.score, judged.said,
                tokens, given.usage, judged.usage,
            ))  # fmt: skip
            in_a_row = 0
        except LlmError as error:
            failed.append(str(error))
            in_a_row += 1
        finally:
            free.release()

    with ThreadPoolExecutor(workers) as pool:
        running: list[Future[None]] = []
        for question, answering in questions:
            free.acquire()
            if in_a_row >= _MOST_FAILED:
                break
            running.append(pool.submit(work, question, answering))
    for future in running:
        future.result()
    return failed


def table(rows: Sequence[Row], prices: tuple[Price, Price]) -> str:
    """Lay out what was right by kind, with 95 % intervals, and what it took."""
    kinds = sorted({row.kind for row in rows})
    lines = ["| kind | n | right, % | evidence, tokens |", "| --- | --- | --- | --- |"]
    for kind in (*kinds, "all"):
        of_kind = [row for row in rows if kind in ("all", row.kind)]
        tokens = [row.evidence_tokens for row in of_kind if row.evidence_tokens is not None]
        mean = f"{sum(tokens) / len(tokens):,.0f}" if tokens else ""
        lines.append(f"| {kind} | {len(of_kind)} | {_share(of_kind)} | {mean} |")
    answering, judging = (_sum(getattr(row, name) for row in rows) for name in ("answering", "judging"))
    spent = prices[0].of(answering) + prices[1].of(judging)
    cost = f"; ${spent:,.2f}" if spent else ""
    took = f"answering {_tokens(answering)}, judging {_tokens(judging)}{cost}"
    return "\n".join((*lines, "", f"Tokens: {took}."))


def _share(rows: Sequence[Row]) -> str:
    mean = sum(row.score for row in rows) / len(rows) if rows else 0.0
    low, high = wilson(mean, len(rows))
    return f"{100 * mean:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def wilson(mean: float, count: int) -> tuple[float, float]:
    """Give the 95 % interval of a share of so many questions; of scores between 0 and 1 it is rather too wide."""
    if not count:
        return 0.0, 1.0
    middle = (mean + _Z**2 / (2 * count)) / (1 + _Z**2 / count)
    half = _Z / (1 + _Z**2 / count) * sqrt(mean * (1 - mean) / count + _Z**2 / (4 * count**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def _sum(usages: Iterable[Usage]) -> Usage:
    read, written = 0, 0
    for usage in usages:
        read, written = read + usage.input_tokens, written + usage.output_tokens
    return Usage(read, written)


def _tokens(usage: Usage) -> str:
    return f"{usage.input_tokens:,} read and {usage.output_tokens:,} written"
