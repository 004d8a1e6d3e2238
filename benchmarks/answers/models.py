"""The model that answers and the one that judges, behind endpoints of chat completions."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.answers.sets import Question
from recollect.errors import LlmError
from recollect.llm import ChatClient
from recollect.model.messages import Usage

_PROMPTS: Final[Mapping[str, Any]] = tomllib.loads((Path(__file__).parent / "prompts.toml").read_text("utf-8"))
_VERDICTS: Final[Mapping[str, float]] = {"RIGHT": 1.0, "WRONG": 0.0, "FULL": 1.0, "PART": 0.5, "NONE": 0.0}
_VERDICT: Final = re.compile(rf"\b({'|'.join(_VERDICTS)})\b")
_ASKED: Final = 3  # times, of a judge that gives no verdict
_RETRIES: Final = 6  # with pauses that double up to eight seconds, or as long as the endpoint asks for


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens."""

    read: float = 0.0
    written: float = 0.0

    def of(self, usage: Usage) -> float:
        """Give what tokens cost."""
        return (usage.input_tokens * self.read + usage.output_tokens * self.written) / 1e6


@dataclass(frozen=True, slots=True)
class Answered:
    """What a model made of a question, and the tokens it took."""

    text: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Judged:
    """How right an answer is, in [0, 1], with what the judge said of it or of each point of a rubric."""

    score: float
    said: tuple[str, ...]
    usage: Usage


def client(url: str, model: str, key: str | None, options: Mapping[str, object], timeout_s: float) -> ChatClient:
    """Give a model that is asked again, after growing pauses, where an endpoint is busy or gone for a moment."""
    return ChatClient(url, model, key, timeout_s=timeout_s, retries=_RETRIES, options=options)


def answer(model: ChatClient, question: Question, evidence: str) -> Answered:
    """Answer a question from what a memory gave. Raises LlmError."""
    instructions = _PROMPTS["answer"].format(today=f"{question.asked_at:%A %d %B %Y}").strip()
    text = f"{evidence or '(The memory gave nothing.)'}\n\nQuestion: {question.text}"
    completion = model.ask(instructions, text)
    return Answered(completion.text, completion.usage)


def judge(model: ChatClient, question: Question, text: str) -> Judged:
    """Judge an answer as the set wants it, each point of a rubric alone. Raises LlmError."""
    verdicts = [_judge(model, question, text, point) for point in question.rubric or (question.answer,)]
    usage = Usage(sum(one.usage.input_tokens for one in verdicts), sum(one.usage.output_tokens for one in verdicts))
    said = tuple(said for one in verdicts for said in one.said)
    return Judged(sum(one.score for one in verdicts) / len(verdicts), said, usage)


def _judge(model: ChatClient, question: Question, text: str, right: str) -> Judged:
    words = "FULL, PART or NONE" if question.rule == "rubric" else "RIGHT or WRONG"
    instructions = _PROMPTS["judge"].format(rule=_PROMPTS["rules"][question.rule].strip(), verdicts=words).strip()
    asked = f"Question: {question.text}\n\nThe right answer: {right}\n\nThe answer to judge: {text or '(nothing)'}"
    used = Usage()
    for _ in range(_ASKED):
        completion = model.ask(instructions, asked)
        used = Usage(
            used.input_tokens + completion.usage.input_tokens, used.output_tokens + completion.usage.output_tokens
        )
        found = _VERDICT.findall(completion.text)
        if found:
            return Judged(_VERDICTS[found[-1]], (completion.text,), used)
    raise LlmError(f"{model.model} gave no verdict ({words}) on {question.id}: {completion.text[:200]!r}", used.tokens)
