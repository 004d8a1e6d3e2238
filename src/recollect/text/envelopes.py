"""What programs wrap around the words of people: tags of agents and memories. One table, read by `fence`."""

from collections.abc import Mapping
from enum import Enum


class Unclosed(Enum):
    """What to cut when the end of an envelope is missing."""

    NOTHING = "the tag may be what the user writes about"
    REST = "all that follows came from the program"


OPENCLAW = "OPENCLAW_INTERNAL_CONTEXT"  # between <<<BEGIN_…>>> and <<<END_…>>>

# The tag of an envelope, and what its absence of an end means.
ENVELOPES: Mapping[str, Unclosed] = {
    # coding agents: reminders, commands and their output, what the editor shows
    "system-reminder": Unclosed.REST,
    "system_reminder": Unclosed.REST,
    "local-command-stdout": Unclosed.REST,
    "local-command-stderr": Unclosed.REST,
    "local-command-caveat": Unclosed.REST,
    "command-name": Unclosed.NOTHING,
    "command-message": Unclosed.NOTHING,
    "command-args": Unclosed.NOTHING,
    "command-contents": Unclosed.NOTHING,
    "bash-input": Unclosed.NOTHING,
    "bash-stdout": Unclosed.NOTHING,
    "bash-stderr": Unclosed.NOTHING,
    "user-prompt-submit-hook": Unclosed.REST,
    "task-notification": Unclosed.REST,
    "teammate-message": Unclosed.NOTHING,
    "environment_context": Unclosed.REST,
    "environment_details": Unclosed.REST,
    "user_instructions": Unclosed.NOTHING,
    "ide_opened_file": Unclosed.NOTHING,
    "ide_selection": Unclosed.NOTHING,
    "ide_diagnostics": Unclosed.NOTHING,
    "post-tool-use-hook": Unclosed.NOTHING,
    # other memories: what they recalled is not news
    "memory": Unclosed.NOTHING,
    "memories": Unclosed.NOTHING,
    "context": Unclosed.NOTHING,
    "retrieved_context": Unclosed.NOTHING,
    "retrieved-context": Unclosed.NOTHING,
    "relevant_context": Unclosed.NOTHING,
    "relevant_memories": Unclosed.NOTHING,
    "relevant-memories": Unclosed.NOTHING,
    "recalled_memories": Unclosed.NOTHING,
    "recalled-memories": Unclosed.NOTHING,
    "memory_context": Unclosed.NOTHING,
    "memory-context": Unclosed.NOTHING,
    "user_memories": Unclosed.NOTHING,
    "long_term_memory": Unclosed.NOTHING,
    "hindsight_memories": Unclosed.NOTHING,
    "mem0_memories": Unclosed.NOTHING,
    "supermemory-context": Unclosed.NOTHING,
    "claude-mem-context": Unclosed.NOTHING,
}

# "[Sun 2026-11-15 06:00 UTC]" before the words of the user.
_DATE = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? \d{4}-\d{2}-\d{2}"
STAMP = rf"\[{_DATE}(?:[ T]\d{{2}}:\d{{2}}(?::\d{{2}})?)?(?: ?[A-Za-z0-9:+_/-]{{1,32}})?\]"
