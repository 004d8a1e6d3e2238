"""Conversations and questions in the formats of three benchmarks, read as one."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from benchmarks.quality.sets import BadSet

# How a benchmark wants an answer to be judged; prompts.toml says it in words.
Rule = Literal["generous", "contained", "temporal", "update", "preference", "unknown", "rubric"]

ADVERSARIAL: Final = "adversarial"
_LOCOMO_KINDS: Final = {1: "multi", 2: "temporal", 3: "open", 4: "single", 5: ADVERSARIAL}
_LONGMEMEVAL_RULES: Final[Mapping[str, Rule]] = {
    "temporal-reasoning": "temporal",
    "knowledge-update": "update",
    "single-session-preference": "preference",
}
_BEAM_ANSWERS: Final = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")
_BEAM_MARK: Final = re.compile(r"\s*->->\s*[\d,\s]+$")  # where its plan has the message; no words of the user
_DATES: Final = ("%I:%M %p on %d %B, %Y", "%Y/%m/%d (%a) %H:%M", "%B-%d-%Y", "%Y-%m-%d")
_PROBING: Final = "probing_questions.json"
_PAUSE: Final = timedelta(seconds=30)  # between two turns, where a set has the time of a session only


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that was said. Where two people talk, both are users, and called by their names."""

    id: str
    session: str
    role: Literal["user", "assistant"]
    speaker: str
    text: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the answer of the set, and how to judge another. A rubric has several things to look for."""

    id: str
    kind: str
    text: str
    answer: str
    asked_at: datetime
    rule: Rule = "generous"
    rubric: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chat:
    """What one user has said in all sessions, in order, and the questions about it."""

    user: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def load(path: Path) -> Sequence[Chat]:
    """Read a set: a file of LoCoMo or LongMemEval, or a folder of BEAM with one chat or many. Raises BadSet."""
    try:
        if path.is_dir():
            chats = [_beam(folder) for folder in sorted({found.parent.parent for found in path.rglob(_PROBING)})]
        else:
            entries = json.loads(path.read_bytes())
            chats = [(_longmemeval if "haystack_sessions" in entry else _locomo)(entry) for entry in entries]
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadSet(f"{path}: not as LoCoMo, LongMemEval or BEAM write it: {error!r}.") from error
    if not any(chat.questions for chat in chats):
        raise BadSet(
            f"{path}: no question in it. Expected locomo10.json, a longmemeval file or a folder with {_PROBING}."
        )
    return chats


def moment(text: str) -> datetime:
    """Read a time as one of the sets writes it; what names no zone is UTC."""
    for form in _DATES:
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    found = datetime.fromisoformat(text.strip())
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _locomo(entry: Mapping[str, Any]) -> Chat:
    """Read a conversation: `session_1`, `session_1_date_time` and so on; a picture is its caption."""
    talk, user = entry["conversation"], str(entry["sample_id"])
    numbers = sorted(int(key.removeprefix("session_")) for key in talk if re.fullmatch(r"session_\d+", key))
    turns: list[Turn] = []
    for number in numbers:
        began = moment(talk[f"session_{number}_date_time"])
        for place, said in enumerate(talk[f"session_{number}"]):
            caption = said.get("blip_caption")
            parts = (str(said.get("text") or "").strip(), f"[image: {caption}]" if caption else "")
            text = "\n".join(filter(None, parts))
            when = began + place * _PAUSE
            turns.append(Turn(str(said["dia_id"]), f"session {number}", "user", said["speaker"], text, when))
    last = turns[-1].said_at
    questions = (_locomo_question(f"{user}/{place}", asked, last) for place, asked in enumerate(entry["qa"]))
    return Chat(user, tuple(turns), tuple(questions))


def _locomo_question(name: str, asked: Mapping[str, Any], now: datetime) -> Question:
    kind = _LOCOMO_KINDS[int(asked["category"])]
    if kind == ADVERSARIAL:
        return Question(name, kind, asked["question"], "It was never said.", now, "unknown")
    return Question(name, kind, asked["question"], str(asked["answer"]), now)


def _longmemeval(entry: Mapping[str, Any]) -> Chat:
    """Read a question with the sessions before it. Its type says how it is judged; `_abs`: it has no answer."""
    name, kind = str(entry["question_id"]), str(entry["question_type"])
    dated = sorted(
        ((moment(date), place) for place, date in enumerate(entry["haystack_dates"])), key=lambda pair: pair[0]
    )
    turns = [
        Turn(f"{place}/{number}", f"session {place}", said["role"], "", said["content"], began + number * _PAUSE)
        for began, place in dated
        for number, said in enumerate(entry["haystack_sessions"][place])
    ]
    rule: Rule = "unknown" if "_abs" in name else _LONGMEMEVAL_RULES.get(kind, "contained")
    asked_at = moment(entry["question_date"])
    question = Question(name, kind, entry["question"], str(entry["answer"]), asked_at, rule)
    return Chat(name, tuple(turns), (question,))


def _beam(folder: Path) -> Chat:
    """Read a chat of BEAM: batches of turns, of which some have a date; of the longest, one file a plan."""
    files = [folder / "chat.json", *sorted(folder.glob("plan-*/chat.json"), key=_plan)]
    plans = [path for path in files if path.exists()]
    if len(plans) > 1:
        plans = [path for path in plans if path.parent != folder]  # its chat.json has the same in another shape
    turns: list[Turn] = []
    now = datetime(2024, 1, 1, tzinfo=UTC)
    for plan in plans:
        for batch in json.loads(plan.read_bytes()):
            session = f"{plan.parent.name} batch {batch['batch_number']}"
            for said in (message for turn in batch["turns"] for message in turn):
                anchor = said.get("time_anchor")
                now = max(now, moment(anchor)) if anchor else now + _PAUSE
                text = _BEAM_MARK.sub("", said["content"])
                turns.append(Turn(f"{plan.parent.name}/{said['id']}", session, said["role"], "", text, now))
    asked = json.loads((folder / "probing_questions" / _PROBING).read_bytes())
    user = "-".join(folder.parts[-2:])
    return Chat(user, tuple(turns), tuple(_beam_questions(user, asked, now)))


def _plan(path: Path) -> int:
    return int(path.parent.name.removeprefix("plan-"))


def _beam_questions(user: str, asked: Mapping[str, Any], now: datetime) -> Iterator[Question]:
    for kind, questions in asked.items():
        for place, one in enumerate(questions):
            answer = next((str(one[name]) for name in _BEAM_ANSWERS if one.get(name)), "")
            rubric = tuple(map(str, one["rubric"]))
            yield Question(f"{user}/{kind}/{place}", kind, one["question"], answer, now, "rubric", rubric)
