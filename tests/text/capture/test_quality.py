r"""How well the rules judge lines of real chats, language by language.

Each file in `lines/` has a part that the rules were tuned on and a part that was only scored. Names, contacts, people
and pets are entities; what is liked, wanted or ordered for good is a preference; the rest of what lasts is a fact. A
line break is written as \n.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from recollect.text.capture import detect_category, should_capture

LINES = Path(__file__).parent / "lines"
LANGUAGES = ("en", "ru", "cs", "de")
PARTS = ("tuned", "untouched")
NOT_A_MEMORY = "-"


class Line(NamedTuple):
    expected: str
    text: str


@dataclass(frozen=True)
class Score:
    confusion: Counter[tuple[str, str]]

    @property
    def right(self) -> int:
        return sum(n for (wanted, got), n in self.confusion.items() if NOT_A_MEMORY not in (wanted, got))

    @property
    def precision(self) -> float:
        return self.right / sum(n for (_, got), n in self.confusion.items() if got != NOT_A_MEMORY)

    @property
    def recall(self) -> float:
        return self.right / sum(n for (wanted, _), n in self.confusion.items() if wanted != NOT_A_MEMORY)

    @property
    def category_accuracy(self) -> float:
        same = sum(n for (wanted, got), n in self.confusion.items() if wanted == got != NOT_A_MEMORY)
        return same / self.right


def read_part(language: str, part: str) -> list[Line]:
    lines: dict[str, list[Line]] = {}
    for row in (LINES / f"{language}.tsv").read_text(encoding="utf-8").splitlines():
        expected, text = row.split("\t")
        if expected == "#":
            current = lines.setdefault(text, [])
        else:
            current.append(Line(expected, text.replace("\\n", "\n")))
    return lines[part]


def score(lines: Sequence[Line]) -> Score:
    return Score(Counter((line.expected, judged(line.text)) for line in lines))


def judged(text: str) -> str:
    return detect_category(text) if should_capture(text) else NOT_A_MEMORY


def table(confusion: Counter[tuple[str, str]]) -> str:
    names = ("preference", "decision", "entity", "fact", "other", NOT_A_MEMORY)
    rows = [f"{wanted:>12}" + "".join(f"{confusion[wanted, got]:12}" for got in names) for wanted in names]
    return "\n".join((" " * 12 + "".join(f"{name:>12}" for name in names), *rows))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_reach_the_bars(language: str, part: str) -> None:
    result = score(read_part(language, part))
    print(  # noqa: T201 - the table is for reading, with -s
        f"\n{language}, {part}: precision {result.precision:.3f}, recall {result.recall:.3f}, "
        f"category {result.category_accuracy:.3f}\n{table(result.confusion)}"
    )
    assert result.precision >= 0.90
    assert result.recall >= 0.80
    assert result.category_accuracy >= 0.85


@pytest.mark.parametrize("language", LANGUAGES)
def test_half_of_the_lines_are_no_memories(language: str) -> None:
    lines = [line for part in PARTS for line in read_part(language, part)]
    assert len(lines) >= 120
    assert 0.4 < sum(line.expected == NOT_A_MEMORY for line in lines) / len(lines) < 0.6
