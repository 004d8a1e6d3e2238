"""Turns grouped by what belongs together: what a user said, and everything that was said and done about it."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from recollect.model.messages import Message, ToolCall
from recollect.text.language import guess_language
from recollect.text.summary.format import shorten
from recollect.text.summary.sentences import SentenceFeatures, error_line, passages, read_sentence, strip_markup

TROUBLED = "which reported:"

_LONGEST_ARGUMENT = 60
_LONGEST_ARGUMENTS = 20_000  # a longer JSON is a file, not worth reading for one word
_LONGEST_TROUBLE = 100
_MOST_ARGUMENTS = 4
_TELLING = ("entity_id", "entity", "target", "id", "name", "title", "path", "file", "url", "query", "to", "subject")
_LOOKING = (
    "get", "list", "read", "search", "find", "fetch", "query", "look", "recall", "view", "show", "check", "memory",
)  # fmt: skip
_RUNNING = ("shell", "bash", "exec", "run", "sql", "ssh", "python", "terminal", "command")  # may look or act
_TELLING_RESULT = 300  # characters of a tool's result that say whether it worked
_TELLING_TEXTS, _TELLING_TEXT = 6, 80  # texts, and characters of each, that show the language
_LONGEST_OFFER = 6_000
_WORK = re.compile(r"^[ \t]*(```|~~~|>|\|)", re.MULTILINE)
_OPTION = re.compile(r"^[ \t]*[*(]*([1-9])[.)][ \t]+([^\n]{3,200})", re.MULTILINE)
_CAPITAL_NOUNS = frozenset(("de",))


class DescribedCall(NamedTuple):
    """A tool call: what it was called with, what went wrong, and whether it only looked at something."""

    name: str
    argument: str
    trouble: str
    looks: bool

    @property
    def acts(self) -> bool:
        """Whether it surely changed something, by its name."""
        verb = self.name.rpartition(".")[2].rpartition("__")[2].casefold()
        return not self.looks and not verb.startswith(_RUNNING)

    @property
    def identifier(self) -> str:
        """The name by which tools know the thing, if the argument is one."""
        key, _, value = self.argument.partition(" ")
        return value if key in _TELLING and " " not in value and any(map(str.isalpha, value)) else ""


def read_call(call: ToolCall, result: str | None) -> DescribedCall:
    """Describe a tool call and its result, if one is known."""
    verb = call.name.rpartition(".")[2].rpartition("__")[2].casefold()
    trouble = shorten(error_line(result[:300]), _LONGEST_TROUBLE) if result else ""
    return DescribedCall(
        " ".join(call.name.split())[:80], _main_argument(call.arguments), trouble, verb.startswith(_LOOKING)
    )


def describe_calls(calls: Iterable[DescribedCall]) -> list[str]:
    """Put calls into words, those of the same tool together."""
    by_tool: dict[tuple[str, str], dict[str, None]] = {}
    for call in calls:
        by_tool.setdefault((call.name, call.trouble), {})[call.argument] = None
    lines = []
    for (name, trouble), found in by_tool.items():
        arguments = [text for text in found if text]
        shown = "; ".join(arguments[:_MOST_ARGUMENTS])
        more = f" and {len(arguments) - _MOST_ARGUMENTS} more" if len(arguments) > _MOST_ARGUMENTS else ""
        reported = f", {TROUBLED} {trouble}" if trouble else ""
        lines.append(f"Called {name}" + (f" ({shown}{more})" if shown else "") + reported)
    return lines


def _main_argument(arguments: str) -> str:
    """Give the argument that tells what a call was about, as `name value`."""
    try:
        read = json.loads(arguments) if len(arguments) <= _LONGEST_ARGUMENTS else {}
    except (ValueError, RecursionError):
        read = {}
    found: Mapping[str, Any] = read if isinstance(read, dict) else {}
    key = next((key for key in (*_TELLING, *found) if _is_telling(found.get(key))), None)
    return "" if key is None else shorten(" ".join(f"{key} {found[key]}".split()), _LONGEST_ARGUMENT)


def _is_telling(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and bool(str(value).strip())


class CallOutcome(NamedTuple):
    """What the assistant said right after tool calls."""

    sentence: SentenceFeatures
    calls: Sequence[DescribedCall]

    @property
    def trouble(self) -> str:
        """What went wrong in the last call, if anything; the calls before it were attempts."""
        return self.calls[-1].trouble


@dataclass(frozen=True, slots=True)
class SummarizedExchange:
    """What a user said, possibly in several messages, and what came back.

    `offered` is the question that the assistant had asked just before, `options` what it had numbered, `heard` all that
    it had said. `outcomes` are the sentences that follow tool calls at once, with these calls. `works` counts what came
    back besides prose: code, a draft, a table.
    """

    order: int
    offered: SentenceFeatures | None
    options: Mapping[str, str]
    heard: Sequence[SentenceFeatures]
    said: list[SentenceFeatures] = field(default_factory=list)
    pasted: list[SentenceFeatures] = field(default_factory=list)
    replied: list[SentenceFeatures] = field(default_factory=list)
    calls: list[DescribedCall] = field(default_factory=list)
    outcomes: list[CallOutcome] = field(default_factory=list)
    works: list[str] = field(default_factory=list)

    @property
    def is_small_talk(self) -> bool:
        """Whether nothing but exclamations, advice and politeness came back."""
        return bool(self.replied) and not self.calls and all(map(_says_nothing, self.replied))

    def sentences(self) -> Iterator[SentenceFeatures]:
        """Give everything that was said."""
        yield from self.said
        yield from self.replied


def _says_nothing(sentence: SentenceFeatures) -> bool:
    polite = sentence.text.endswith("!") or not sentence.signs.isdisjoint(("generic", "chatter"))
    return sentence.idle or (polite and not sentence.numbers and "noted" not in sentence.signs)


def names_are_capital(texts: Sequence[str]) -> bool:
    """Tell from a few texts whether a capital in the middle of a sentence shows a name; in German it does not."""
    return guess_language(" ".join(text[:_TELLING_TEXT] for text in texts[:_TELLING_TEXTS])) not in _CAPITAL_NOUNS


def exchanges(turns: Sequence[Message]) -> list[SummarizedExchange]:
    """Group turns. System prompts, thoughts and earlier summaries are left out: they are not said to a user."""
    capital = names_are_capital([turn.content for turn in turns if turn.role == "user"])
    results = {turn.tool_call_id: turn.content[:_TELLING_RESULT] for turn in turns if turn.role == "tool"}
    grouped = [SummarizedExchange(0, None, {}, ())]
    options: Mapping[str, str] = {}
    waiting: list[DescribedCall] = []
    for turn in turns:
        current = grouped[-1]
        if turn.role == "user":
            waiting = []
            if current.replied or current.calls:
                last = next((sentence for sentence in reversed(current.replied) if not sentence.idle), None)
                offered = last if last and last.asks else None
                current = SummarizedExchange(len(grouped), offered, options, current.replied)
                grouped.append(current)
            _listen(current, turn.content, names_are_capital=capital)
        elif turn.role == "assistant":
            options = {number: strip_markup(text) for number, text in _OPTION.findall(turn.content[:_LONGEST_OFFER])}
            current.works.extend(_WORK.findall(turn.content[:_LONGEST_OFFER])[:1])
            said = (passage.text for passage in passages(turn.content) if not passage.pasted)
            typed = [read_sentence(text, names_are_capital=capital) for text in said]
            telling = next((sentence for sentence in typed if not sentence.idle and not sentence.asks), None)
            if waiting and telling:
                current.outcomes.append(CallOutcome(telling, waiting))
                waiting = []
            current.replied.extend(typed)
            waiting = [*waiting, *(read_call(call, results.get(call.id)) for call in turn.tool_calls)]
            current.calls.extend(waiting[len(waiting) - len(turn.tool_calls) :])
    return grouped


def _listen(exchange: SummarizedExchange, content: str, *, names_are_capital: bool) -> None:
    found = [
        (read_sentence(passage.text, names_are_capital=names_are_capital), passage.pasted)
        for passage in passages(content)
    ]
    laughter = frozenset(sign for sentence, _ in found for sign in sentence.signs if sign == "laughter")
    for sentence, pasted in found:
        (exchange.pasted if pasted else exchange.said).append(sentence._replace(signs=sentence.signs | laughter))
