"""Chooses what of a conversation a model is shown.

The invariant: what is chosen fits, whatever the sizes; tool calls come with their results; and the newest turns come
without a hole between them, but for what alone is too large.
"""

from collections.abc import Iterable, Sequence

from recollect.dialogue.exchanges import MessageExchange, group_exchanges
from recollect.model.messages import Message, Window

# So much of the room that system prompts leave may go to the summary; the rest is for what was said last.
_SUMMARY_SHARE = 0.5
_PROMPT_SHARE = 0.5


def choose_window(active: Sequence[Message], max_tokens: int, *, reasoning: bool = False) -> Window:
    """Give the system prompts, the summary and the newest turns that fit."""
    room = max_tokens
    prompts = _prompts([message for message in active if message.role == "system"], room)
    room -= _tokens(prompts)
    summaries = [message for message in active if message.role == "summary" and message.tokens <= room * _SUMMARY_SHARE]
    room -= _tokens(summaries)
    spoken = [message for message in active if _is_spoken(message, reasoning=reasoning)]
    recent = _newest_exchanges(group_exchanges(spoken), room)
    chosen = (*prompts, *summaries, *recent)
    total = sum(_is_spoken(message, reasoning=reasoning) or message.role == "system" for message in active)
    shown = len(prompts) + len(recent)
    return Window(chosen, _tokens(chosen), max_tokens, total - shown)


def _is_spoken(message: Message, *, reasoning: bool) -> bool:
    return message.role in ("user", "assistant", "tool") or (reasoning and message.role == "reasoning")


def _prompts(prompts: Sequence[Message], room: int) -> list[Message]:
    """Take the newest system prompt, and older ones while they leave half of the room; some hosts send one a turn."""
    newest_prompts: list[Message] = []
    taken = 0
    for prompt in reversed(prompts):
        if taken + prompt.tokens <= (room * _PROMPT_SHARE if newest_prompts else room):
            newest_prompts.append(prompt)
            taken += prompt.tokens
    return newest_prompts[::-1]


def _newest_exchanges(groups: Sequence[MessageExchange], room: int) -> list[Message]:
    """Take exchanges from the end. Each stays in one piece, because a model wants results right after their calls."""
    newest_groups: list[MessageExchange] = []
    left = room
    for group in reversed(groups):
        if not group.complete or group.tokens > room:
            continue  # too large or incomplete for any model; what came before it still fits
        if group.tokens > left:
            break
        newest_groups.append(group)
        left -= group.tokens
    return [message for group in reversed(newest_groups) for message in group.messages]


def _tokens(messages: Iterable[Message]) -> int:
    return sum(message.tokens for message in messages)
