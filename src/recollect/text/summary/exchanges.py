"""Turns grouped by what belongs together: what a user said, and everything that was said and done about it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from recollect.model.messages import Message
from recollect.text.language import guess_language
from recollect.text.summary.calls import Call, read_call
from recollect.text.summary.reading import Sentence, read_sentence
from recollect.text.summary.sentences import passages, plain

_TELLING_RESULT = 300  # characters of a tool's result that say whether it worked
_TELLING_TEXTS, _TELLING_TEXT = 6, 80  # texts, and characters of each, that show the language
_LONGEST_OFFER = 6_000
_WORK = re.compile(r"^[ \t]*(```|~~~|>|\|)", re.MULTILINE)
_OPTION = re.compile(r"^[ \t]*[*(]*([1-9])[.)][ \t]+([^\n]{3,200})", re.MULTILINE)
_CAPITAL_NOUNS = frozenset(("de",))


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a user said, possibly in several messages, and what came back.

    `offered` is the question that the assistant had asked just before, `options` what it had numbered, `heard` all that
    it had said. `works` counts what came back besides prose: code, a draft, a table.
    """

    order: int
    offered: Sentence | None
    options: Mapping[str, str]
    heard: Sequence[Sentence]
    said: list[Sentence] = field(default_factory=list)
    pasted: list[Sentence] = field(default_factory=list)
    replied: list[Sentence] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    works: list[str] = field(default_factory=list)

    @property
    def is_answered(self) -> bool:
        """Whether anything came back."""
        return bool(self.replied or self.calls)

    def sentences(self) -> Iterator[Sentence]:
        """Give everything that was said."""
        yield from self.said
        yield from self.replied


def names_are_capital(texts: Sequence[str]) -> bool:
    """Tell from a few texts whether a capital in the middle of a sentence shows a name; in German it does not."""
    return guess_language(" ".join(text[:_TELLING_TEXT] for text in texts[:_TELLING_TEXTS])) not in _CAPITAL_NOUNS


def exchanges(turns: Sequence[Message]) -> list[Exchange]:
    """Group turns. System prompts, thoughts and earlier summaries are left out; nobody said them to anybody."""
    capital = names_are_capital([turn.content for turn in turns if turn.role == "user"])
    results = {turn.tool_call_id: turn.content[:_TELLING_RESULT] for turn in turns if turn.role == "tool"}
    grouped = [Exchange(0, None, {}, ())]
    options: Mapping[str, str] = {}
    for turn in turns:
        current = grouped[-1]
        if turn.role == "user":
            if current.is_answered:
                current = Exchange(len(grouped), _last_question(current.replied), options, current.replied)
                grouped.append(current)
            _listen(current, turn.content, names_are_capital=capital)
        elif turn.role == "assistant":
            options = {number: plain(text) for number, text in _OPTION.findall(turn.content[:_LONGEST_OFFER])}
            current.works.extend(_WORK.findall(turn.content[:_LONGEST_OFFER])[:1])
            current.replied.extend(_typed(turn.content, names_are_capital=capital))
            current.calls.extend(read_call(call, results.get(call.id)) for call in turn.tool_calls)
    return grouped


def _listen(exchange: Exchange, content: str, *, names_are_capital: bool) -> None:
    for passage in passages(content):
        sentence = read_sentence(passage.text, names_are_capital=names_are_capital)
        (exchange.pasted if passage.pasted else exchange.said).append(sentence)


def _typed(content: str, *, names_are_capital: bool) -> Iterator[Sentence]:
    for passage in passages(content):
        if not passage.pasted:
            yield read_sentence(passage.text, names_are_capital=names_are_capital)


def _last_question(replied: Sequence[Sentence]) -> Sentence | None:
    last = next((sentence for sentence in reversed(replied) if not sentence.idle), None)
    return last if last and last.asks else None
