"""Commands that an agent's host calls around a turn, and what hosts hand to them.

Input is plain text, a list of messages, or an object as Claude Code gives it to its hooks.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from recollect import plugins
from recollect.cli import options
from recollect.cli.formatting import counted, listing, percent, shortened
from recollect.cli.json_output import fields_of
from recollect.cli.options import argument, flag, option
from recollect.cli.runner import CommandContext, CommandResult, CommandSet, given_text, read_standard_input
from recollect.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from rich.text import Text

    from recollect.api.memory import UserMemory
    from recollect.cli.view import View
    from recollect.model.memories import MemoryRecord, Remembered
    from recollect.model.readings import Captured, ExplainedReading, Need, SkippedStatement
    from recollect.model.search import PromptContext, TurnOutcome

commands = CommandSet("Around an agent's turn")

_LONGEST = 300
_MARKS = {
    "duplicate": "known already",
    "superseded": "replaces an older one",
    "outranked": "history only",
    "doubted": "casts doubt on an older one",
}
_NO_SESSION = "Say which conversation this is, with --session or as `session_id` in the JSON on standard input."
_SKIPPED = {
    "handed_over": "not the user's own words",
    "pasted": "the message is a paste, or mostly emoji",
    "secret": "it looks like a secret",
    "type": "capture.types or capture.users leaves this type out",
    "injection": "it tries to instruct a model",
    "once": "a wish for this time only",
    "short": "too short to mean something by itself",
}


class LearnedMemory(NamedTuple):
    """A memory that was learned, and what became of it."""

    remembered: "Remembered"
    memory: "MemoryRecord"

    def document(self) -> dict[str, object]:
        """Give what became of the memory, and the memory."""
        return {**fields_of(self.remembered), "memory": self.memory}


class SavedTurn(NamedTuple):
    """What was kept of a turn."""

    outcome: "TurnOutcome"
    captured: tuple[LearnedMemory, ...]
    events: tuple[LearnedMemory, ...]

    def document(self) -> dict[str, object]:
        """Give the outcome, with the memories in place of their ids."""
        return {**fields_of(self.outcome), "captured": self.captured, "events": self.events}


class CapturedMemories(NamedTuple):
    """What was found in a message, or would be kept of it."""

    dry_run: bool
    captured: "tuple[LearnedMemory, ...] | tuple[Captured, ...]"


class SessionEnd(NamedTuple):
    """What was kept of a session; None when nothing was."""

    session: str
    wanted: bool
    summary: LearnedMemory | None


@commands.command(
    "write",  # it saves what the user says
    "read",
    examples=(
        'recollect before-prompt --session s1 "Which theme do I like?"',
        "recollect before-prompt || true    # as a UserPromptSubmit hook of Claude Code",
    ),
)
def before_prompt(
    context: CommandContext,
    text: Annotated[str, argument("TEXT", "What the user says; - reads it from standard input.")] = "-",
    *,
    session: options.HostSession = None,
    speaker: options.Speaker = None,
    max_tokens: Annotated[
        int | None, option("N", "The block is never longer than this; the settings say 900.", min=0)
    ] = None,
) -> "CommandResult[PromptContext]":
    """Give what to show an agent before it answers.

    Searches with what the user says, then saves it, and prints a block to put before the prompt; nothing when nothing
    is related. Without --session, standard input is a JSON object with `session_id` and `prompt`.
    """
    prompt = given_text(text)
    if session is None:
        session, prompt = _prompt(prompt)
    answer = context.me.before_prompt(prompt, session=session, speaker=speaker or "", max_tokens=max_tokens)
    return CommandResult(answer, _show_context)


def _show_context(view: "View", prompt: "PromptContext") -> None:
    """Print the block as it is: an agent reads it. What went wrong is for the host's log."""
    if prompt.block:
        view.line(prompt.block, soft_wrap=True)
    if prompt.degraded:
        sys.stderr.write(f"Without {listing(prompt.degraded)}: it failed, or took too long.\n")


@commands.command(
    "write",
    examples=(
        "recollect after-turn --session s1 turn.json",
        "recollect after-turn || true    # as a Stop hook of Claude Code",
    ),
)
def after_turn(
    context: CommandContext,
    file: Annotated[
        str, argument("FILE", "The messages: a JSON list, or JSON lines; - reads them from standard input.")
    ] = "-",
    *,
    session: options.HostSession = None,
) -> CommandResult[SavedTurn]:
    """Save what was said in a turn, and learn from it.

    Messages are objects with `role` and `content`, in the manner of OpenAI or Anthropic. They may be the whole
    conversation: what is known already has no effect. Without --session, the input is a JSON object with `session_id`,
    and `messages` or a `transcript_path`.
    """
    text = _content(file)
    if session is None:
        given = _object(text)
        if not isinstance(given.get("messages"), list):
            file = str(given.get("transcript_path") or "")
            if not file:
                raise InvalidInput("The JSON on standard input has neither `messages` nor a `transcript_path`.")
            text = _content(file)
        session = _session(given)
    outcome = context.me.after_turn(list(_messages(text, file)), session=session)
    captured, events = _learned(context.me, outcome.captured), _learned(context.me, outcome.events)
    return CommandResult(SavedTurn(outcome, captured, events), _show_turn)


def _learned(me: "UserMemory", remembered: "Sequence[Remembered]") -> tuple[LearnedMemory, ...]:
    return tuple(LearnedMemory(one, me.get(one.id)) for one in remembered)


def _show_turn(view: "View", turn: SavedTurn) -> None:
    outcome = turn.outcome
    view.line(f"Saved {counted(outcome.saved, 'message', 'messages')}.")
    view.left_out(outcome.left_out)
    for title, learned in (("Learned:", turn.captured), ("Happened:", turn.events)):
        if learned:
            view.line(title)
            _show_learned(view, learned)
    done = outcome.compaction
    if done and done.action == "compacted":
        folded = counted(done.folded, "message", "messages")
        view.line(f"Folded {folded}: {done.tokens_before:,} tokens became {done.tokens_after:,}.")
    elif done and done.action == "failed":
        view.line(f"The conversation should be compacted, but that failed: {done.reason}", "yellow")
    if outcome.degraded:
        view.line(f"Without {listing(outcome.degraded)}: it failed.", "yellow")


@commands.command(
    "write",
    examples=("recollect end-session s1", "recollect end-session - || true    # as a SessionEnd hook of Claude Code"),
)
def end_session(
    context: CommandContext,
    session: Annotated[
        str, argument("SESSION", "The session that ends; - reads a JSON object with `session_id` from standard input.")
    ],
) -> CommandResult[SessionEnd]:
    """Keep a summary of a session, if the settings want one.

    Set `session_summaries` to have them.
    """
    if session == "-":
        session = _session(_object(read_standard_input()))
    remembered = context.me.end_session(session)
    summary = _learned(context.me, [remembered])[0] if remembered else None
    return CommandResult(SessionEnd(session, context.memory.settings.session_summaries, summary), _show_session_end)


def _show_session_end(view: "View", end: SessionEnd) -> None:
    if not end.wanted:
        view.line("No summary was kept: the setting session_summaries is off.")
    elif end.summary is None:
        view.line(f"No summary was kept: nothing was said in {end.session}.")
    else:
        view.line("Kept a summary:")
        _show_learned(view, [end.summary])


@commands.command(
    "write",
    examples=(
        'recollect capture "I am allergic to peanuts, and my sister is called Jana" --dry-run',
        "recollect capture - --session s1 < message.txt",
    ),
)
def capture(
    context: CommandContext,
    text: Annotated[str, argument("TEXT", "What a user said; - reads it from standard input.")],
    *,
    session: Annotated[str | None, option("ID", "The session it comes from.")] = None,
    before: options.Before = None,
    dry_run: Annotated[bool, flag("--dry-run", "Say what would be kept, and keep nothing.")] = False,
) -> CommandResult[CapturedMemories]:
    """Keep what a user's message says about them.

    Usually `after-turn` does this. The message itself is not kept.
    """
    message = given_text(text)
    if dry_run:
        captured = context.me.messages.preview_capture(message, before=before or "")
        return CommandResult(CapturedMemories(dry_run=True, captured=captured), _show_captured)
    learned = _learned(context.me, context.me.messages.capture(message, session=session or "", before=before or ""))
    return CommandResult(CapturedMemories(dry_run=False, captured=learned), _show_captured)


def _show_captured(view: "View", memories: CapturedMemories) -> None:
    if not memories.captured:
        view.line("Nothing in this is worth keeping.")
        return
    view.line("Would keep:" if memories.dry_run else "Kept:")
    _show_learned(view, memories.captured)


def _show_learned(view: "View", memories: "Sequence[LearnedMemory | Captured]") -> None:
    for memory in memories:
        if isinstance(memory, LearnedMemory):
            mark = _MARKS.get(memory.remembered.action)
            details = " · ".join((memory.memory.type, *([mark] if mark else [])))
            shown = _described(view, memory.memory).append("\n")
            shown.append_text(view.text(f"{memory.memory.id}  {details}", "dim"))
        else:
            shown = _described(view, memory).append("\n").append(memory.type, "dim")
        view.print(view.indent(shown))


def read_message(context: CommandContext, text: str, before: str) -> "CommandResult[ExplainedReading]":
    """Read a message, and say what capture would make of it."""
    read = context.me.messages.explain(text, before=before)
    replaced = {one.replaces: _content_of(context.me, one.replaces) for one in read.captured if one.replaces}
    settings = context.memory.settings
    show = partial(_show_reading, replaced=replaced, least=settings.capture.confidence, captures=settings.auto_capture)
    return CommandResult(read, show)


def _content_of(me: "UserMemory", id: str) -> str:
    try:
        return me.get(id).content
    except NotFound:  # forgotten since
        return id


def _show_reading(
    view: "View", read: "ExplainedReading", *, replaced: Mapping[str, str], least: float, captures: bool
) -> None:
    from recollect.cli.render_memories import marked_message

    view.print(marked_message(read, coloured=view.coloured))
    view.line(f"\n{_needed(read.reading.need)}")
    view.line("Would keep:" if read.captured else "Would keep nothing.")
    for captured in read.captured:
        view.print(view.indent(_would_keep(view, captured, replaced)))
    if read.skipped:
        view.line("Would not keep:")
    for skipped in read.skipped:
        view.print(view.indent(_would_skip(view, skipped, least)))
    if read.reading.pasted:
        view.line("The message is too long to be the user's own words; nothing is learned from it.", "yellow")
    if not captures:
        view.line("The setting auto_capture is off: turns teach nothing.", "yellow")


def _needed(need: "Need") -> str:
    """Say whether an answer needs memory, in words and figures."""
    words = {"no": "needs no memory", "maybe": "may need memory", "yes": "needs memory"}
    shares = need._asdict()
    told = ", ".join(f"{name} {percent(share)}" for name, share in shares.items())
    return f"An answer {words[max(shares, key=lambda name: shares[name])]} ({told})."


def _would_keep(view: "View", captured: "Captured", replaced: Mapping[str, str]) -> "Text":
    from recollect.cli.render_memories import captured_type

    about = " ".join(part for part in (captured.subject, captured.property or captured.key) if part)
    slot = ": ".join(part for part in (about, captured.value) if part)
    parts = [captured_type(captured), slot, f"{percent(captured.confidence)} sure", f"found by {captured.rule}"]
    parts += ["applies always"] if captured.standing else []
    parts += [f"replaces: {shortened(replaced[captured.replaces], _LONGEST)}"] if captured.replaces else []
    text = view.text(shortened(captured.content, _LONGEST)).append("\n")
    return text.append_text(view.text(" · ".join(filter(None, parts)), "dim"))


def _would_skip(view: "View", skipped: "SkippedStatement", least: float) -> "Text":
    why = _SKIPPED.get(skipped.reason, f"below capture.confidence ({percent(least)})")
    text = view.text(shortened(skipped.content, _LONGEST)).append("\n")
    return text.append_text(view.text(f"{skipped.type} · {percent(skipped.confidence)} sure · {why}", "dim"))


def _described(view: "View", memory: "MemoryRecord | Captured") -> "Text":
    text = view.text(shortened(memory.content, _LONGEST))
    named = " ".join(part for part in (memory.subject, memory.key) if part)
    about = ": ".join(part for part in (named, memory.value) if part)
    when = f", {memory.context}" if memory.context else ""
    return text.append_text(view.text(f" ({about}{when})", "dim")) if named else text


def _prompt(text: str) -> tuple[str, str]:
    """Parse an object with `session_id` and `prompt`."""
    given = _object(text)
    prompt = given.get("prompt")
    if not isinstance(prompt, str):
        raise InvalidInput("The JSON on standard input has no text under `prompt`.")
    return _session(given), prompt


def _content(file: str) -> str:
    from pathlib import Path

    if file == "-":
        return read_standard_input()
    try:
        return Path(file).expanduser().read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file} is not UTF-8: byte {error.start} cannot be read.") from None


def _object(text: str) -> Mapping[str, Any]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput(_NO_SESSION) from None
    if not isinstance(parsed, dict):
        raise InvalidInput(_NO_SESSION)
    return parsed


def _session(given: Mapping[str, Any]) -> str:
    session = given.get("session_id")
    if not isinstance(session, str) or not session:
        raise InvalidInput(_NO_SESSION)
    return session


def _messages(text: str, file: str) -> Iterator[Mapping[str, Any]]:
    """Give the messages; lines of a transcript that are none are left out."""
    for entry in _entries(text, "Standard input" if file == "-" else file):
        if not isinstance(entry, dict):
            raise InvalidInput(
                f"A message must be an object with `role` and `content`; found {json.dumps(entry)[:60]}."
            )
        if "role" in entry or not ("type" in entry or "message" in entry):
            yield entry
        else:
            transcripts = plugins.find("readers", "transcripts", "recollect-connect")
            if transcripts.was_said(entry):
                yield transcripts.message_of(entry)


def _entries(text: str, name: str) -> list[Any]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return [_line(line, number, name) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if isinstance(whole, dict) and isinstance(whole.get("messages"), list):
        return list(whole["messages"])
    return whole if isinstance(whole, list) else [whole]


def _line(line: str, number: int, name: str) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{name} is neither a JSON list nor JSON lines: line {number} cannot be read ({error})."
        ) from None
