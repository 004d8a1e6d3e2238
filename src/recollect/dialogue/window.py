"""Chooses what of a conversation a model is shown.

The invariant: what is chosen fits, whatever the sizes; tool calls come with their results; the newest turns come
without a hole between them, but for what alone is too large; and a summary that fits beside them is shown.
"""

from collections.abc import Iterable, Sequence

from recollect.dialogue.exchanges import MessageExchange, group_exchanges
from recollect.model.messages import Message, Window

# So much of the room that system prompts leave may go to the summary before the turns get theirs.
_SUMMARY_SHARE = 2 / 3
_PROMPT_SHARE = 0.5


def choose_window(active: Sequence[Message], max_tokens: int, *, reasoning: bool = False) -> Window:
    """Give the system prompts, the summary and the newest turns that fit.

    The newest exchange comes first, then the summary as far as its share goes, then older turns, and at last a summary
    that is larger than its share, if it still fits.
    """
    prompts = _prompts([message for message in active if message.role == "system"], max_tokens)
    room = max_tokens - _tokens(prompts)
    spoken = [message for message in active if _is_spoken(message, reasoning=reasoning)]
    groups = [group for group in group_exchanges(spoken) if group.complete and group.tokens <= room]
    summaries = [message for message in active if message.role == "summary"]
    size = _tokens(summaries)
    beside = groups[-1].tokens if groups else 0
    if size > room * _SUMMARY_SHARE or size + beside > room:
        beside = _tokens(_newest_exchanges(groups, room))
    if size + beside > room:
        summaries = []
    recent = _newest_exchanges(groups, room - _tokens(summaries))
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
