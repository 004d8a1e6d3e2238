"""Chooses what of a conversation a model is shown.

The invariant: what is chosen fits, whatever the sizes; tool calls come with their results; and the newest turns come
without a hole between them, but for what alone is too large.
"""

from collections.abc import Iterable, Sequence

from recollect.dialogue.exchanges import Exchange, exchanges
from recollect.model.messages import Message, Window

# So much of the room that system prompts leave may go to the summary; the rest is for what was said last.
_SUMMARY_SHARE = 0.5
_PROMPT_SHARE = 0.5


def choose(active: Sequence[Message], max_tokens: int, *, reasoning: bool = False) -> Window:
    """Give the system prompts, the summary and the newest turns that fit."""
    room = max_tokens
    prompts = _prompts([message for message in active if message.role == "system"], room)
    room -= _tokens(prompts)
    summaries = [message for message in active if message.role == "summary" and message.tokens <= room * _SUMMARY_SHARE]
    room -= _tokens(summaries)
    spoken = [message for message in active if _is_spoken(message, reasoning=reasoning)]
    recent = _newest_exchanges(exchanges(spoken), room)
    chosen = (*prompts, *summaries, *recent)
    total = sum(_is_spoken(message, reasoning=reasoning) or message.role == "system" for message in active)
    shown = len(prompts) + len(recent)
    return Window(chosen, _tokens(chosen), max_tokens, total - shown)


def _is_spoken(message: Message, *, reasoning: bool) -> bool:
    return message.role in ("user", "assistant", "tool") or (reasoning and message.role == "reasoning")


def _prompts(prompts: Sequence[Message], room: int) -> list[Message]:
    """Take the newest system prompt if it fits at all, and older ones while they leave half of the room to the turns.

    Some hosts bring a new prompt with every turn; a hundred of them must not crowd out what was said.
    """
    kept: list[Message] = []
    taken = 0
    for prompt in reversed(prompts):
        if taken + prompt.tokens <= (room * _PROMPT_SHARE if kept else room):
            kept.append(prompt)
            taken += prompt.tokens
    return kept[::-1]


def _newest_exchanges(groups: Sequence[Exchange], room: int) -> list[Message]:
    """Take exchanges from the end. Each stays in one piece, because a model wants results right after their calls."""
    kept: list[Exchange] = []
    left = room
    for group in reversed(groups):
        if not group.complete or group.tokens > room:
            continue  # nobody could be shown this; what came before it still can
        if group.tokens > left:
            break
        kept.append(group)
        left -= group.tokens
    return [message for group in reversed(kept) for message in group.messages]


def _tokens(messages: Iterable[Message]) -> int:
    return sum(message.tokens for message in messages)
