"""Conversations for people: as a chat, with what was folded marked and the summary in its place."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from recollect.cli.screen import safe
from recollect.cli.sheet import Sheet, View
from recollect.cli.show_places import place_line
from recollect.cli.verbs_conversations import Chat, Compacted, Conversations, Privacy, Said, Shown
from recollect.cli.words import ago, amounts, counted, excerpt, minute, shortened
from recollect.model.messages import Message

_MARKS = {"compacted": "folded", "archived": "put away"}
_STYLES = {"user": "bold cyan", "assistant": "bold green", "summary": "bold yellow"}
_LONGEST_CALL = 160
_WIDEST_ROLE = 9


def _show_said(sheet: Sheet, said: Said) -> None:
    message = said.appended.message
    console = sheet.console
    if message is None:
        console.print("Nothing was kept: the conversation is private, or nothing is left of the text.", style="yellow")
        return
    if said.appended.action == "duplicate":
        console.print("Known already; nothing was added.")
    else:
        tokens = counted(message.tokens, "token", "tokens")
        console.print(safe(f"Kept as message {message.sequence} of {message.conversation}, {tokens}."))
        where = place_line(message.place_label, message.address, message.lat, message.lng)
        if where:
            console.print(safe(where))
    console.print(message.id, style="dim")
    if said.folded_into:
        size = counted(said.folded_into.tokens, "token", "tokens")
        console.print(f"The conversation had grown too large: its older part is now a summary of {size}.")


def _show_conversation(sheet: Sheet, value: Chat | Conversations | Shown | Privacy) -> None:
    match value:
        case Conversations():
            _show_list(sheet, value)
        case Privacy():
            kept = "Nothing that is said there is kept" if value.private else "What is said there is kept"
            sheet.console.print(safe(f"{kept} from now on: {value.conversation}"))
        case Shown():
            _show_window(sheet, value)
        case Chat():
            _show_chat(sheet, value)


def _show_list(sheet: Sheet, value: Conversations) -> None:
    if not value.conversations:
        sheet.console.print("No conversations yet. `recollect say CONVERSATION ROLE TEXT` begins one.")
        return
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("conversation", overflow="fold")
    for figure in ("messages", "active", "tokens"):
        table.add_column(figure, justify="right", no_wrap=True)
    table.add_column("last spoken", no_wrap=True)
    for info in value.conversations:
        name = safe(info.id).append(" (private)" if info.private else "", "yellow")
        sizes = (info.messages, info.active_messages, info.active_tokens)
        table.add_row(name, *(f"{amount:,}" for amount in sizes), ago(info.updated_at, sheet.now))
    sheet.console.print(table)


def _show_chat(sheet: Sheet, chat: Chat) -> None:
    info, whole = chat.info, bool(sheet.asked["all"])
    held = amounts((info.messages, "message", "messages")) or "no messages"
    folded = info.messages - info.active_messages
    tokens = counted(info.active_tokens, "active token", "active tokens")
    parts = [info.id, held, *([f"{folded:,} folded"] if folded else []), tokens, *(["private"] if info.private else [])]
    sheet.console.print(safe(" · ".join(parts), "bold"))
    hidden = info.messages - len(chat.messages)
    if hidden > 0:
        sheet.console.print(
            f"{counted(hidden, 'earlier message', 'earlier messages')} not shown: add --all", style="dim"
        )
    for message in _with_summary(chat):
        sheet.console.print(_spoken(message, whole=whole or message.role == "summary"))


def _with_summary(chat: Chat) -> Iterator[Message]:
    """Put the summary after what it was made from."""
    active = [message for message in chat.messages if message.status == "active"]
    yield from (message for message in chat.messages if message.status != "active")
    if chat.summary:
        yield chat.summary
    yield from active


def _show_window(sheet: Sheet, shown: Shown) -> None:
    window = shown.window
    sheet.console.print(
        safe(f"{shown.conversation} · {window.tokens:,} of {window.max_tokens:,} tokens", "bold"),
    )
    if window.omitted:
        left = counted(window.omitted, "active message", "active messages")
        sheet.console.print(f"{left} left out: no room, or no result for a tool call.", style="yellow")
    for message in window.messages:
        sheet.console.print(_spoken(message, whole=bool(sheet.asked["all"])))


def _spoken(message: Message, *, whole: bool) -> RenderableType:
    head = safe((message.speaker or message.role).ljust(_WIDEST_ROLE), _STYLES.get(message.role, "bold"))
    details = [minute(message.said_at), message.id, *([_MARKS[message.status]] if message.status in _MARKS else [])]
    if message.feedback:
        details.append("rated up" if message.feedback > 0 else "rated down")
    head.append_text(safe("  " + "  ".join(details), "dim"))
    text = safe(message.content if whole else excerpt(message.content), "dim" if message.status != "active" else "")
    lines = [*([text] if message.content else []), *_calls(message)]
    return Group(head, *(Padding(line, (0, 0, 0, 2)) for line in lines))


def _calls(message: Message) -> Sequence[Text]:
    return [safe(shortened(f"calls {call.name} {call.arguments}", _LONGEST_CALL), "dim") for call in message.tool_calls]


def _show_compaction(sheet: Sheet, value: Compacted) -> None:
    done, console, name = value.compaction, sheet.console, value.conversation
    match done.action:
        case "compacted":
            folded = counted(done.folded, "message", "messages")
            console.print(
                safe(f"Folded {folded} of {name}: {done.tokens_before:,} tokens became {done.tokens_after:,}.")
            )
        case "unchanged":
            console.print(safe(f"Nothing to fold in {name}: all of it is recent, or folded already. See --keep."))
        case "busy":
            console.print(safe(f"Another process is summarising {name} right now; nothing was done here.", "yellow"))
        case "failed":
            console.print(safe(f"No summary of {name} could be made: {done.reason} All is as it was.", "red"))
    if done.usage.tokens:
        console.print(f"{done.summarizer} was paid {done.usage.tokens:,} tokens.", style="dim")
    if done.degraded:
        console.print("Today's budget for the language model is spent, so it was summarised without.", style="yellow")
    if done.summary:
        console.print(_spoken(done.summary, whole=True))


def _show_rating(sheet: Sheet, message: Message) -> None:
    said = {1: "Rated up:", -1: "Rated down:", None: "Not rated any more:"}[message.feedback]
    sheet.console.print(safe(f"{said} {shortened(message.content, _LONGEST_CALL)}"))


VIEWS: Mapping[str, View] = {
    "say": _show_said,
    "conversation": _show_conversation,
    "compact": _show_compaction,
    "rate": _show_rating,
}
