"""What happens around an agent's turn, for people; and for agents, who read what `before-prompt` prints."""

import sys
from collections.abc import Mapping, Sequence

from rich.padding import Padding
from rich.text import Text

from recollect.cli.screen import safe
from recollect.cli.sheet import Sheet, View
from recollect.cli.verbs_turns import Findings, Learned, SessionEnd, Turn
from recollect.cli.words import counted, listing, shortened
from recollect.model.memories import MemoryRecord, PromptContext
from recollect.model.messages import Captured

_LONGEST = 300
_MARKS = {"duplicate": "known already", "superseded": "replaces an older one", "outranked": "history only"}


def _show_context(sheet: Sheet, context: PromptContext) -> None:
    """Print the block as it is: an agent reads it. What went wrong is for the host's log."""
    if context.block:
        sheet.console.print(safe(context.block), soft_wrap=True)
    if context.degraded:
        sys.stderr.write(f"Without {listing(context.degraded)}: it failed, or took too long.\n")


def _show_turn(sheet: Sheet, turn: Turn) -> None:
    outcome, console = turn.outcome, sheet.console
    console.print(f"Saved {counted(outcome.saved, 'message', 'messages')}.")
    for title, learned in (("Learned:", turn.captured), ("Happened:", turn.events)):
        if learned:
            console.print(title)
            _show_learned(sheet, learned)
    done = outcome.compaction
    if done and done.action == "compacted":
        folded = counted(done.folded, "message", "messages")
        console.print(f"Folded {folded}: {done.tokens_before:,} tokens became {done.tokens_after:,}.")
    elif done and done.action == "failed":
        console.print(safe(f"The conversation should be compacted, but that failed: {done.reason}", "yellow"))
    if outcome.degraded:
        console.print(f"Without {listing(outcome.degraded)}: it failed.", style="yellow")


def _show_findings(sheet: Sheet, findings: Findings) -> None:
    if not findings.captured:
        sheet.console.print("Nothing in this is worth keeping.")
        return
    sheet.console.print("Would keep:" if findings.dry_run else "Kept:")
    _show_learned(sheet, findings.captured)


def _show_session_end(sheet: Sheet, end: SessionEnd) -> None:
    if not end.wanted:
        sheet.console.print("No summary was kept: the setting session_summaries is off.")
    elif end.summary is None:
        sheet.console.print(safe(f"No summary was kept: nothing was said in {end.session}."))
    else:
        sheet.console.print("Kept a summary:")
        _show_learned(sheet, [end.summary])


def _show_learned(sheet: Sheet, learned: Sequence[Learned | Captured]) -> None:
    for one in learned:
        sheet.console.print(Padding(_learned(one), (0, 0, 0, 2)))


def _learned(one: Learned | Captured) -> Text:
    if isinstance(one, Captured):
        return _described(one).append("\n").append(one.type, "dim")
    mark = _MARKS.get(one.remembered.action)
    details = " · ".join((one.memory.type, *([mark] if mark else [])))
    return _described(one.memory).append("\n").append_text(safe(f"{one.memory.id}  {details}", "dim"))


def _described(found: MemoryRecord | Captured) -> Text:
    text = safe(shortened(found.content, _LONGEST))
    named = " ".join(part for part in (found.subject, found.key) if part)
    about = ": ".join(part for part in (named, found.value) if part)
    when = f", {found.context}" if found.context else ""
    return text.append_text(safe(f" ({about}{when})", "dim")) if named else text


VIEWS: Mapping[str, View] = {
    "before-prompt": _show_context,
    "after-turn": _show_turn,
    "end-session": _show_session_end,
    "capture": _show_findings,
}
