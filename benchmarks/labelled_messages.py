"""Labelled messages, and how much of what they say is captured.

A message is a JSON line with `message`, `facts` (`type`, `key`, `span`, `value`, `who`, and `needs` when only the turn
before says what is meant), `need`, and `before` when it is a reply to a turn; the marks ⟪ and ⟫ stand around what is
not the person's own statement and are taken out before the message is read.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from recollect.model.readings import Captured, Reading
from recollect.models.local import LocalReader
from recollect.text.capture import CaptureRules, capture
from recollect.text.capture.replies import asked_in
from recollect.text.clean import clean

LINES = Path(__file__).parent / "data" / "lines"
_OPEN, _CLOSE = "\u27ea", "\u27eb"
_HALF = 0.5


class LabelledFact(NamedTuple):
    """What a person wrote about a message by hand."""

    type: str
    key: str
    span: str
    value: str
    who: str
    needs: bool = False


class LabelledMessage(NamedTuple):
    """A message and what it should teach."""

    text: str
    facts: tuple[LabelledFact, ...]
    need: str
    handed_over: bool
    language: str
    before: str = ""


def load_messages(path: Path) -> list[LabelledMessage]:
    """Read a file of labelled messages, or all files of a folder."""
    paths = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    return [_message(json.loads(line), file.stem) for file in paths for line in _lines(file)]


def load_lines(folder: Path, part: str) -> list[LabelledMessage]:
    r"""Read the lines of one part: a category or `-`, a tab, and the text, in which a line break is written as \n."""
    found: list[LabelledMessage] = []
    for path in sorted(folder.glob("*.tsv")):
        current = ""
        for row in _lines(path):
            category, text = row.split("\t")
            if category == "#":
                current = text
            elif current == part:
                said = text.replace("\\n", "\n")
                facts = () if category == "-" else (LabelledFact(category, "-", said, "", "me"),)
                found.append(LabelledMessage(said, facts, "no", handed_over=False, language=path.stem))
    return found


def _lines(path: Path) -> Iterator[str]:
    return filter(str.strip, path.read_text(encoding="utf-8").splitlines())


def _message(row: dict[str, Any], name: str) -> LabelledMessage:
    marked = row["message"]
    facts = tuple(
        LabelledFact(**{field: fact[field] for field in LabelledFact._fields if field in fact}) for fact in row["facts"]
    )
    text = clean(marked.replace(_OPEN, "").replace(_CLOSE, ""))
    return LabelledMessage(text, facts, row["need"], _OPEN in marked, row.get("lang", name), row.get("before", ""))


def says(content: str, fact: LabelledFact) -> bool:
    """Tell whether a memory says a fact: it contains the value, or half of the words of a fact without one."""
    said = _plain(content)
    if fact.value:
        return _plain(fact.value) in said
    words = set(_plain(fact.span).split())
    return len(words & set(said.split())) >= _HALF * len(words)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


@dataclass(slots=True)
class CaptureScore:
    """Counts over messages; ratios are computed from them."""

    messages: int = 0
    facts: int = 0
    found: int = 0
    kept: int = 0
    right: int = 0
    valued: int = 0
    exact: int = 0
    silent: int = 0
    silent_taught: int = 0
    handed: int = 0
    handed_taught: int = 0
    answers: int = 0
    answers_found: int = 0

    def add(self, message: LabelledMessage, kept: Sequence[Captured]) -> None:
        """Count one message."""
        self.messages += 1
        self.facts += len(message.facts)
        self.kept += len(kept)
        self.right += sum(any(says(memory.content, fact) for fact in message.facts) for memory in kept)
        for fact in message.facts:
            telling = [memory for memory in kept if says(memory.content, fact)]
            self.found += bool(telling)
            self.answers += fact.needs
            self.answers_found += fact.needs and bool(telling)
            if telling and fact.value:
                self.valued += 1
                self.exact += any(_plain(memory.value) == _plain(fact.value) for memory in telling)
        if not message.facts:
            self.silent += 1
            self.silent_taught += bool(kept)
            self.handed += message.handed_over
            self.handed_taught += bool(kept) and message.handed_over

    @property
    def line(self) -> str:
        """The figures in one line."""
        answers = f"of answers {self.answers_found / self.answers:.3f}  " if self.answers else ""
        return (
            f"{answers}recall {self.found / max(1, self.facts):.3f}  precision {self.right / max(1, self.kept):.3f}  "
            f"value exact {self.exact / max(1, self.valued):.3f}  taught without a fact {self.silent_taught} of "
            f"{self.silent}, of these handed over {self.handed_taught} of {self.handed}  ({self.messages} messages, "
            f"{self.facts} facts, {self.kept} kept)"
        )


def score(messages: Iterable[LabelledMessage], readings: Iterable[Reading], rules: CaptureRules) -> CaptureScore:
    """Capture from each message and count."""
    counted = CaptureScore()
    for message, reading in zip(messages, readings, strict=True):
        counted.add(message, capture(message.text, reading, rules, message.before))
    return counted


def main() -> None:
    """Print the figures of a file or folder, whole and by language; with `--wrong` also what went wrong."""
    paths = [Path(argument) for argument in sys.argv[1:] if not argument.startswith("--")]
    reader = LocalReader()
    for path in paths:
        messages = load_messages(path)
        readings = [reader.read(message.text, asked_in(message.before)) for message in messages]
        print(f"{path.name}: {score(messages, readings, CaptureRules()).line}")
        for language in sorted({message.language for message in messages}):
            pairs = [pair for pair in zip(messages, readings, strict=True) if pair[0].language == language]
            own = score([message for message, _ in pairs], [reading for _, reading in pairs], CaptureRules())
            print(f"  {language}: {own.line}")
        if "--wrong" in sys.argv:
            for message, reading in zip(messages, readings, strict=True):
                _print_wrong(message, capture(message.text, reading, before=message.before))


def _print_wrong(message: LabelledMessage, kept: Sequence[Captured]) -> None:
    wrong = [memory for memory in kept if not any(says(memory.content, fact) for fact in message.facts)]
    missed = [fact for fact in message.facts if not any(says(memory.content, fact) for memory in kept)]
    if wrong or missed:
        print(f"\n## {message.text}")
        for memory in wrong:
            print(
                f"   kept   {memory.confidence:.2f} {memory.type}/{memory.property}: {memory.content} [{memory.value}]"
            )
        for fact in missed:
            print(f"   missed {fact.type}/{fact.key}: {fact.span} [{fact.value}]")


if __name__ == "__main__":
    main()
