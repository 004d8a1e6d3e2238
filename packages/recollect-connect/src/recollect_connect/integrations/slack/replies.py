"""What the bot says: text with source, date and score, in which nothing that was stored acts as markup."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from recollect.model.literals import without
from recollect.model.memories import MemoryRecord, Remembered, taken_over_words
from recollect.model.search import ForgottenItem, Hit, Recall

FORGET: Final = "recollect_forget"
KEEP: Final = "recollect_keep"
NOTHING_FOUND: Final = "No relevant memories found."
AWAY: Final = "The memory is away right now."
NOT_SAID: Final = "Nothing says this in these words. Nothing was forgotten."
SLOW: Final = "The memory does not answer yet; I will say so here when it does."
_LONGEST: Final = 300
_MOST_LISTED: Final = 10


def escaped(text: str) -> str:
    """Give a text without mentions and links, on one line, cut to a readable length."""
    line = " ".join(text.split())
    line = line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def answer(found: Recall) -> str:
    """Give the hits as a list, and say when a part of the search failed."""
    lines = [_line(number, hit) for number, hit in enumerate(found.hits, 1)] or [NOTHING_FOUND]
    if found.degraded:
        lines.append(f"_Not all could be searched: {', '.join(found.degraded)} failed._")
    return "\n".join(lines)


def remembered(made: Remembered, kept: Callable[[], MemoryRecord]) -> str:
    """Say what became of a text, in the words that were kept, which need not be those that were sent."""
    how = "Secrets are left out; to keep one, use `recollect store --keep-secret` instead."
    left_out = f" It was kept {without(made.left_out)}. {how}" if made.left_out else ""
    if made.action == "duplicate":
        news = taken_over_words(made.taken_over)
        return f"I knew that already{news and '; '}{news}.{left_out}"
    return f"Remembered: {escaped(kept().content)}{left_out}"


def _line(number: int, hit: Hit) -> str:
    moment = hit.occurred_at or hit.created_at
    told = [hit.source, f"{moment:%Y-%m-%d}", f"{hit.score:.0%}", *hit.marks]
    return f"{number}. {escaped(hit.content)} _({escaped(', '.join(told))})_"


def confirmation(texts: Sequence[str], query: str) -> list[dict[str, Any]]:
    """Give the blocks that show what would be forgotten, with a button for it and one against it."""
    shown = "\n".join(["Forget this for good?", *_listed(texts)])
    return [
        {"type": "section", "text": {"type": "mrkdwn", "text": shown[:2900]}},
        {
            "type": "actions",
            "elements": [
                _button(FORGET, "Forget", query, style="danger"),
                _button(KEEP, "Keep", query),
            ],
        },
    ]


def forgotten(items: Sequence[ForgottenItem]) -> str:
    """Say in words what is gone, and which originals say it still."""
    gone = _listed([item.text or item.path for item in items if item.fate != "kept"])
    kept = [f"The original of {escaped(item.path)} says it still." for item in items if item.fate == "kept"]
    return "\n".join(["Forgotten for good:", *gone, *kept])


def _listed(texts: Sequence[str]) -> list[str]:
    more = [f"and {len(texts) - _MOST_LISTED} more"] if len(texts) > _MOST_LISTED else []
    return [*(f"• {escaped(text)}" for text in texts[:_MOST_LISTED]), *more]


def _button(action: str, label: str, value: str, **look: str) -> dict[str, Any]:
    return {
        "type": "button",
        "action_id": action,
        "text": {"type": "plain_text", "text": label},
        "value": value,
        **look,
    }
