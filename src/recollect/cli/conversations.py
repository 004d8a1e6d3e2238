"""Commands for conversations: say, conversation, compact, rate. Shown as a chat, with the summary in its place."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Generic, NamedTuple, TypeVar, cast

from recollect.cli import options
from recollect.cli.errors import FAILED
from recollect.cli.formatting import ago, amounts, counted, day, excerpt, minute, place_line, shortened
from recollect.cli.json_output import fields_of
from recollect.cli.memories import VectorsToFollow, show_following_vector
from recollect.cli.options import argument, flag, one_of, option
from recollect.cli.places import address_follows, find_addresses, place_fields, show_following_address
from recollect.cli.runner import CommandContext, CommandResult, CommandSet, given_text
from recollect.cli.values import media_fields, past_moment
from recollect.errors import InvalidInput, NotFound
from recollect.model.literals import ROLES, MessageRole
from recollect.model.messages import STORED_AS

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import RenderableType

    from recollect.api.conversation import Conversation
    from recollect.cli.view import View
    from recollect.model.memories import MemoryRecord
    from recollect.model.messages import Appended, Compaction, ConversationInfo, Message, Window

commands = CommandSet("Conversations")

_ROLES = ", ".join(ROLES)
_RATINGS: Mapping[str, int | None] = {"up": 1, "down": -1, "none": None}
_LONGEST_LISTING = 1_000
_LONGEST_CALL = 160
_WIDEST_ROLE = 9
_MARKS = {"compacted": "folded", "archived": "put away"}
_STYLES = {"user": "bold cyan", "assistant": "bold green", "summary": "bold yellow"}

Told = TypeVar("Told")


class AppendedMessage(NamedTuple):
    """What became of a message; `folded_into` is a summary that was made because of it."""

    appended: "Appended"
    folded_into: "Message | None"
    waiting: int = 0  # for their vectors
    unlocated: bool = False  # its address is still to be looked up

    def document(self) -> dict[str, object]:
        """Give the message, and the id of the summary."""
        appended, summary = self.appended, self.folded_into
        return {
            "action": appended.action,
            "id": appended.id,
            "left_out": appended.left_out,
            "tokens": appended.message.tokens if appended.message else 0,
            "message": appended.message,
            "compacted_into": summary.id if summary else None,
        }


@commands.command(
    "write",
    when_given={"from_place": "read"},
    examples=(
        'recollect say c1 user "Can the roof be insulated in winter?"',
        'recollect say c1 user "From the inside, I would think" --speaker Jana',
        'recollect say c1 assistant "Yes, from the inside." --model gpt-5',
        'recollect say c1 user "I parked on level 3" --lat 50.1 --lng 14.26 --place airport',
        'recollect say c1 user "Look at this" --media sofa.jpg --caption "Velvet, dark green"',
        "date | recollect say c1 tool - --tool-call-id call_7",
    ),
)
def say(
    context: CommandContext,
    conversation: options.ConversationArgument,
    role: Annotated[str, argument("ROLE", f"Who says it: {_ROLES}.", autocompletion=one_of(ROLES))],
    text: Annotated[str, argument("TEXT", "What is said; - reads it from standard input.")],
    *,
    id: Annotated[str | None, option("ID", "Your own id for the message; said twice, it is kept once.")] = None,
    speaker: options.Speaker = None,
    model: Annotated[str | None, option("NAME", "The model that says it.")] = None,
    tool_call_id: Annotated[str | None, option("ID", "The call that a tool's result answers.")] = None,
    at: options.At = None,
    located: options.PlaceOptions,
    from_place: Annotated[
        str | None, option("NAME", "It is said from this place of yours, as `places` lists them.", "--from")
    ] = None,
    pictured: options.MediaOptions,
) -> CommandResult[AppendedMessage]:
    """Add a message to a conversation.

    The first message begins the conversation. One that has outgrown its window is compacted by itself.
    """
    optional = {"id": id, "speaker": speaker, "model": model, "tool_call_id": tool_call_id}
    fields: dict[str, Any] = {name: value for name, value in optional.items() if value is not None}
    if at is not None:
        fields["said_at"] = past_moment(at, "at", context.now)
    chat = context.me.conversation(conversation)
    before = chat.summary()
    place = place_fields(context, located._asdict(), from_place, "from")
    media: Any = media_fields(pictured, context.me.media.add)
    with VectorsToFollow(context) as vectors:
        appended = chat.append(cast("MessageRole", role), given_text(text), **fields, **place, **media)
    if place and appended.action == "created" and appended.id:
        find_addresses(context, place, appended.id)
        appended = replace(appended, message=context.me.messages.around(appended.id, before=0, after=0)[0])
    after = chat.summary()
    compacted = after is not None and (before is None or before.id != after.id)
    folded, follows = after if compacted else None, address_follows(context, appended.message)
    return CommandResult(AppendedMessage(appended, folded, vectors.waiting, follows), _show_appended)


def _show_appended(view: "View", said: AppendedMessage) -> None:
    message = said.appended.message
    if message is None:
        view.line("Nothing was kept: the conversation is private, or nothing is left of the text.", "yellow")
        return
    if said.appended.action == "duplicate":
        view.line("Known already; nothing was added.")
    else:
        tokens = counted(message.tokens, "token", "tokens")
        view.line(f"Kept as message {message.sequence} of {message.conversation}, {tokens}.")
        place = place_line(message.place_label, message.address, message.lat, message.lng)
        if place:
            view.line(place)
    view.left_out(said.appended.left_out)
    view.line(message.id, "dim")
    if said.folded_into:
        size = counted(said.folded_into.tokens, "token", "tokens")
        view.line(f"The conversation had grown too large: its older part is now a summary of {size}.")
    show_following_vector(view, said.waiting)
    show_following_address(view, follows=said.unlocated)


class Transcript(NamedTuple):
    """A conversation: its figures, what its older part was folded into, and its messages in order."""

    info: "ConversationInfo"
    summary: "Message | None"
    messages: "tuple[Message, ...]"

    def document(self) -> dict[str, object]:
        """Give all; `messages` are the messages themselves, so their number is called `total_messages`."""
        figures = fields_of(self.info)
        named = {"id": figures.pop("id"), "total_messages": figures.pop("messages")}
        return {**named, **figures, "summary": self.summary, "messages": self.messages}


class OfConversation(NamedTuple, Generic[Told]):
    """What a model would be shown of a conversation, or what compacting it did."""

    conversation: str
    told: Told

    def document(self) -> dict[str, object]:
        return {"conversation": self.conversation, **fields_of(self.told)}


class ConversationPrivacy(NamedTuple):
    """Whether what is said in a conversation is kept."""

    conversation: str
    private: bool


@commands.command(
    "read",
    when_given={"private": "write"},
    examples=(
        "recollect conversation",
        "recollect conversation c1 --all",
        "recollect conversation c1 --window 8000",
        "recollect conversation c1 --private",
    ),
)
def conversation(
    context: CommandContext,
    id: Annotated[str | None, argument("ID", "The conversation; without it, all of them are listed.")] = None,
    *,
    limit: Annotated[
        int, option("N", "At most this many: the newest messages, or conversations.", "--limit", "-n")
    ] = 50,
    all: Annotated[bool, flag("--all", "Every message, and none of them shortened.")] = False,
    window: Annotated[
        int | None, option("TOKENS", "Show what a model with room for so many tokens would be shown.")
    ] = None,
    private: Annotated[
        bool | None, flag("--private/--not-private", "From now on keep nothing that is said there, or keep it again.")
    ] = None,
) -> CommandResult[Any]:
    """Show what was said in a conversation, or list them all.

    What was folded into the summary is marked, and stays. What a private conversation held before it became one stays,
    too: `forget --session` deletes it.
    """
    if id is None:
        for option, value in (("window", window), ("private", private)):
            if value is not None:
                told = f"recollect conversation ID --{option}"
                raise InvalidInput(f"--{option} needs to know which conversation: {told}")
        listed = context.me.conversations(limit=_LONGEST_LISTING if all else limit)
        return CommandResult(listed, _show_list, under="conversations")
    chat = context.me.conversation(id)
    if private is not None:
        chat.set_private(private)
        kept = "Nothing that is said there is kept" if private else "What is said there is kept"
        said = f"{kept} from now on: {chat.id}"
        return CommandResult(ConversationPrivacy(chat.id, private), lambda view, _: view.line(said))
    info = _info(chat)
    if window is not None:
        return CommandResult(OfConversation(chat.id, chat.window(window)), partial(_show_window, whole=all))
    messages = _all_messages(chat) if all else chat.messages(limit=limit)
    return CommandResult(Transcript(info, chat.summary(), messages), partial(_show_transcript, whole=all))


def _info(chat: "Conversation") -> "ConversationInfo":
    """Give the figures of a conversation. Raises NotFound."""
    info = chat.info()
    if info is not None:
        return info
    raise NotFound(f"No conversation {chat.id!r}. `recollect conversation` lists them.")


def _all_messages(chat: "Conversation") -> "tuple[Message, ...]":
    pages = [chat.messages(limit=_LONGEST_LISTING)]
    while len(pages[0]) == _LONGEST_LISTING:
        pages.insert(0, chat.messages(limit=_LONGEST_LISTING, before=pages[0][0].sequence))
    return tuple(message for page in pages for message in page)


def _show_list(view: "View", conversations: "tuple[ConversationInfo, ...]") -> None:
    if not conversations:
        view.line("No conversations yet. `recollect say CONVERSATION ROLE TEXT` begins one.")
        return
    table = view.headed("conversation", ("messages", "active", "tokens"), "held")
    for info in conversations:
        name = view.text(info.id).append(" (private)" if info.private else "", "yellow")
        sizes = (info.messages, info.active_messages, info.active_tokens)
        about = " · ".join(filter(None, (info.title, ", ".join(info.speakers))))
        name.append_text(view.text(f"\n{about}" if about else "", "dim"))
        table.add_row(name, *(f"{amount:,}" for amount in sizes), _held(info, view.now))
    view.print(table)


def _held(info: "ConversationInfo", now: "datetime") -> str:
    """Say when a conversation was held: how long ago, or on which days."""
    if info.first_said_at is None or info.last_said_at is None:
        return ""
    first, last = day(info.first_said_at, now), day(info.last_said_at, now)
    return ago(info.last_said_at, now) if first == last else f"{first} to {last}"


def _show_transcript(view: "View", chat: Transcript, *, whole: bool) -> None:
    info = chat.info
    held = amounts((info.messages, "message", "messages")) or "no messages"
    folded = info.messages - info.active_messages
    tokens = counted(info.active_tokens, "active token", "active tokens")
    parts = [
        info.id,
        *filter(None, (_held(info, view.now), ", ".join(info.speakers))),
        held,
        *([f"{folded:,} folded"] if folded else []),
        tokens,
        *(["private"] if info.private else []),
    ]
    view.line(" · ".join(parts), "bold")
    hidden = info.messages - len(chat.messages)
    if hidden > 0:
        view.line(f"{counted(hidden, 'earlier message', 'earlier messages')} not shown: add --all", "dim")
    for message in _with_summary(chat):
        view.print(_spoken(view, message, whole=whole or message.role == "summary"))


def _with_summary(chat: Transcript) -> "Iterator[Message]":
    """Put the summary after what it was made from."""
    yield from (message for message in chat.messages if message.status != "active")
    if chat.summary:
        yield chat.summary
    yield from (message for message in chat.messages if message.status == "active")


def _show_window(view: "View", shown: "OfConversation[Window]", *, whole: bool) -> None:
    window = shown.told
    view.line(f"{shown.conversation} · {window.tokens:,} of {window.max_tokens:,} tokens", "bold")
    if window.omitted:
        left = counted(window.omitted, "message", "messages")
        view.line(f"{left} left out: in the summary, no room, or no result for a tool call.", "yellow")
    for message in window.messages:
        view.print(_spoken(view, message, whole=whole))


def _spoken(view: "View", message: "Message", *, whole: bool) -> "RenderableType":
    role = str(message.metadata.get(STORED_AS, message.role))
    head = view.text((message.speaker or role).ljust(_WIDEST_ROLE), _STYLES.get(role, "bold"))
    details = [
        minute(message.said_at, view.now),
        message.id,
        *([_MARKS[message.status]] if message.status in _MARKS else []),
    ]
    if message.feedback:
        details.append("rated up" if message.feedback > 0 else "rated down")
    head.append_text(view.text("  " + "  ".join(details), "dim"))
    style = "dim" if message.status != "active" else ""
    lines = [view.text(message.content if whole else excerpt(message.content), style)] if message.content else []
    calls = (shortened(f"calls {call.name} {call.arguments}", _LONGEST_CALL) for call in message.tool_calls)
    lines += [view.text(call, "dim") for call in calls]
    return view.stack(head, *map(view.indent, lines))


@commands.command(
    "write",
    "read",
    creates=False,
    busy="Summarising",
    examples=("recollect compact c1", "recollect compact c1 --keep 4"),
)
def compact(
    context: CommandContext,
    conversation: options.ConversationArgument,
    *,
    keep: Annotated[int | None, option("N", "Newest messages to leave as they are; the settings say 16.")] = None,
) -> "CommandResult[OfConversation[Compaction]]":
    """Fold all but the newest messages into a summary.

    Nothing is deleted: what was folded is still shown and found. Exits with 1 when no summary could be made.
    """
    chat = context.me.conversation(conversation)
    _info(chat)
    compaction = chat.compact(keep_recent=keep)
    exit_code = FAILED if compaction.action == "failed" else 0
    return CommandResult(OfConversation(chat.id, compaction), _show_compaction, exit_code)


def _show_compaction(view: "View", compacted: "OfConversation[Compaction]") -> None:
    done, name = compacted.told, compacted.conversation
    match done.action:
        case "compacted":
            folded = counted(done.folded, "message", "messages")
            view.line(f"Folded {folded} of {name}: {done.tokens_before:,} tokens became {done.tokens_after:,}.")
        case "unchanged":
            view.line(f"Nothing to fold in {name}: all of it is recent, or folded already. See --keep.")
        case "busy":
            view.line(f"Another process is summarising {name} right now; nothing was done here.", "yellow")
        case "failed":
            view.line(f"No summary of {name} could be made: {done.reason} All is as it was.", "red")
    if done.usage.tokens:
        view.line(f"{done.summarizer} was paid {done.usage.tokens:,} tokens.", "dim")
    if done.degraded:
        view.line(f"It was summarised without the language model: {done.reason}", "yellow")
    if done.summary:
        view.print(_spoken(view, done.summary, whole=True))


@commands.command(
    "write",
    "read",
    creates=False,
    examples=(
        "recollect rate 019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90 up",
        'recollect rate 019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90 down --comment "too long"',
        "recollect rate 019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90 --undo",
    ),
)
def rate(
    context: CommandContext,
    id: Annotated[str, argument("ID", "The id of a message or a memory, as `search` shows it.")],
    rating: Annotated[
        str | None, argument("RATING", "up, down, or none to take it back.", autocompletion=one_of(_RATINGS))
    ] = None,
    *,
    comment: Annotated[str, option("TEXT", "Why. With two messages that were rated down it becomes a lesson.")] = "",
    undo: Annotated[bool, flag("--undo", "Take the rating back.")] = False,
) -> "CommandResult[Message] | CommandResult[MemoryRecord]":
    """Rate a message or a memory.

    What was rated down comes later in every search.
    """
    word = (rating or ("none" if undo else "")).lower()
    if word not in _RATINGS or (undo and word != "none"):
        raise InvalidInput(f"The rating is {word!r}; expected up, down or none.")
    try:
        return CommandResult(context.me.messages.rate(id, _RATINGS[word], comment=comment), _show_rating)
    except NotFound as unknown:
        try:
            return CommandResult(context.me.rate(id, _RATINGS[word], comment=comment), _show_rating)
        except NotFound:
            raise unknown from None


def _show_rating(view: "View", item: "Message | MemoryRecord") -> None:
    rating = getattr(item, "feedback", item.metadata.get("feedback"))
    said = {1: "Rated up:", -1: "Rated down:", None: "Not rated any more:"}[rating]
    view.line(f"{said} {shortened(item.content, _LONGEST_CALL)}")
