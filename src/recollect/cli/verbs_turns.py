"""What the commands around an agent's turn do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.api.memory import UserMemory
from recollect.cli.errand import Answer, Errand, VerbFunction, given_text, standard_input
from recollect.cli.hosts import as_request, as_session, as_turn
from recollect.model.memories import MemoryRecord, Remembered, TurnOutcome
from recollect.model.messages import Captured


@dataclass(frozen=True, slots=True)
class Learned:
    """A memory that was learned, and what became of it."""

    remembered: Remembered
    memory: MemoryRecord


@dataclass(frozen=True, slots=True)
class Turn:
    """What was kept of a turn."""

    outcome: TurnOutcome
    captured: tuple[Learned, ...]
    events: tuple[Learned, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in a message, or would be kept of it."""

    dry_run: bool
    captured: tuple[Learned, ...] | tuple[Captured, ...]


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """What was kept of a session; None when nothing was."""

    session: str
    wanted: bool
    summary: Learned | None


def before_prompt(errand: Errand) -> Answer:
    """Find what is related to what the user says."""
    request = as_request(given_text(errand.asked["text"]), errand.asked["session"])
    speaker = errand.asked["speaker"] or ""
    return Answer(errand.me.before_prompt(request.content, session=request.session, speaker=speaker))


def after_turn(errand: Errand) -> Answer:
    """Save a turn and learn from it."""
    turn = as_turn(errand.asked["file"], errand.asked["session"])
    outcome = errand.me.after_turn(turn.content, session=turn.session)
    captured, events = _learned(errand.me, outcome.captured), _learned(errand.me, outcome.events)
    return Answer(Turn(outcome, captured, events))


def end_session(errand: Errand) -> Answer:
    """Keep a summary of a session."""
    named = errand.asked["session"]
    session = as_session(standard_input()) if named == "-" else named
    kept = errand.me.end_session(session)
    summary = _learned(errand.me, [kept])[0] if kept else None
    return Answer(SessionEnd(session, errand.memory.settings.session_summaries, summary))


def capture(errand: Errand) -> Answer:
    """Keep what a message says about the user, or only say what that is."""
    text = given_text(errand.asked["text"])
    if errand.asked["dry_run"]:
        return Answer(Findings(dry_run=True, captured=errand.me.captures(text)))
    kept = errand.me.capture(text, session=errand.asked["session"] or "")
    return Answer(Findings(dry_run=False, captured=_learned(errand.me, kept)))


def _learned(me: UserMemory, kept: Sequence[Remembered]) -> tuple[Learned, ...]:
    return tuple(Learned(one, me.get(one.id)) for one in kept)


VERBS: Mapping[str, VerbFunction] = {
    "before-prompt": before_prompt,
    "after-turn": after_turn,
    "end-session": end_session,
    "capture": capture,
}
