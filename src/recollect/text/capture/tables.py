"""How the tables of a language are laid out, so that a native speaker can read and correct them.

A table has headings at the margin and indented lines below each. A line that begins with `|` continues the one before.
In the table of rules a heading says what is made of the sentence:

    name: entity, 0.90, user/name, despite request question
        my name is {value}
        ! my name is not

that is: the rule, the category, the importance, whose and which property (both may be missing), and the vetoes that do
not count. Lines that begin with `!` spoil the rule. After `proper` the value must begin with a capital letter.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

Category: TypeAlias = Literal["preference", "decision", "entity", "fact", "other"]
_CATEGORIES: tuple[Category, ...] = get_args(Category)

_CERTAIN = 0.9
_LIKELY = 0.75  # for the rules about small things, which are also the vague ones
_LIKELY_BELOW = 0.65
_WEAK_BELOW = 0.6


class Rule(NamedTuple):
    """Phrases that make a sentence worth keeping, and what is made of it. `key` may hold {key}, a slot."""

    name: str
    type: Category
    importance: float
    subject: str
    key: str
    phrases: Sequence[str]
    unless: Sequence[str]
    despite: frozenset[str]
    proper: bool

    @property
    def confidence(self) -> float:
        """How sure it is that the sentence means this."""
        return _LIKELY if self.importance < _LIKELY_BELOW else _CERTAIN

    @property
    def weak(self) -> bool:
        """Whether it needs more evidence: a name or number, a language that is sure, and nothing vague."""
        return self.importance < _WEAK_BELOW


class Language(NamedTuple):
    """How one language says what is worth keeping, and what is not: tables in the notation above.

    `asked` are the phrases with which a user asks to remember, `bare` what is asked for without stating anything;
    `vetoes` say, by name, what a sentence is instead of a statement; `turns` begin another clause, `ends` end a value,
    `context` begins when or where it holds. `people` and `nouns` stand under the English name of a subject or key.
    """

    words: str
    people: str
    nouns: str
    asked: str
    bare: str
    vetoes: str
    rules: str
    turns: str
    ends: str
    context: str


def read_lines(text: str) -> list[str]:
    """Give the lines of a list, without margins and continued lines joined."""
    lines: list[str] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("|") and lines:
            lines[-1] += line
        else:
            lines.append(line)
    return lines


def read_table(text: str) -> Mapping[str, list[str]]:
    """Give the lines of a table under their headings."""
    parts: dict[str, list[str]] = {}
    heading = ""
    for line in filter(str.strip, text.splitlines()):
        if line[0].isspace():
            parts[heading].append(line)
        else:
            heading = line.strip()
            parts[heading] = []
    return {heading: read_lines("\n".join(lines)) for heading, lines in parts.items()}


def read_rules(text: str) -> list[Rule]:
    """Read a table of rules."""
    return [_rule(heading, lines) for heading, lines in read_table(text).items()]


def _rule(heading: str, lines: Sequence[str]) -> Rule:
    name, _, made = heading.partition(": ")
    category, importance, *rest = made.split(", ")
    subject, _, key = next((part for part in rest if "/" in part), "").partition("/")
    despite = next((part for part in rest if part.startswith("despite ")), "")
    return Rule(
        name=name,
        type=next(known for known in _CATEGORIES if known == category),
        importance=float(importance),
        subject=subject,
        key=key,
        phrases=[line for line in lines if not line.startswith("!")],
        unless=[line.removeprefix("!").strip() for line in lines if line.startswith("!")],
        despite=frozenset(despite.split()[1:]),
        proper="proper" in rest,
    )
