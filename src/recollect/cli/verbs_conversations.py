"""What the commands for conversations do."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from recollect.api.user import Conversation
from recollect.cli.edge import FAILED
from recollect.cli.errand import Answer, Errand, VerbFunction, given_text
from recollect.cli.values import past_moment
from recollect.cli.verbs_places import find_addresses, place_fields
from recollect.errors import InvalidInput, NotFound
from recollect.model.messages import Appended, Compaction, ConversationInfo, Message, Window

_LONGEST_LISTING = 1_000
_RATINGS: Mapping[str, int | None] = {"up": 1, "down": -1, "none": None}


@dataclass(frozen=True, slots=True)
class Said:
    """What became of a message; `folded_into` is a summary that was made because of it."""

    appended: Appended
    folded_into: Message | None


@dataclass(frozen=True, slots=True)
class Conversations:
    """The conversations of a user, the one that was spoken in last first."""

    conversations: tuple[ConversationInfo, ...]


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation: its figures, what its older part was folded into, and its messages in order."""

    info: ConversationInfo
    summary: Message | None
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a model would be shown of a conversation."""

    conversation: str
    window: Window


@dataclass(frozen=True, slots=True)
class Privacy:
    """Whether what is said in a conversation is kept."""

    conversation: str
    private: bool


@dataclass(frozen=True, slots=True)
class Compacted:
    """What compacting a conversation did."""

    conversation: str
    compaction: Compaction


def say(errand: Errand) -> Answer:
    """Add a message, and find out whether the conversation was compacted because of it."""
    asked = errand.asked
    optional = ("id", "speaker", "model", "tool_call_id")
    fields: dict[str, Any] = {name: asked[name] for name in optional if asked[name] is not None}
    if asked["at"] is not None:
        fields["said_at"] = past_moment(asked["at"], "at", errand.now)
    chat = errand.me.conversation(asked["conversation"])
    before = chat.summary()
    located = place_fields(errand, asked["from_place"], "from")
    appended = chat.append(asked["role"], given_text(asked["text"]), **fields, **located)
    if located and appended.action == "created" and appended.id:
        find_addresses(errand, located)
        message = errand.me.surroundings(appended.id, before=0, after=0)[0]
        appended = replace(appended, message=message)
    after = chat.summary()
    made = after is not None and (before is None or before.id != after.id)
    return Answer(Said(appended, after if made else None))


def conversation(errand: Errand) -> Answer:
    """Show a conversation, or list them all."""
    asked, me = errand.asked, errand.me
    if asked["id"] is None:
        return Answer(_listing(errand))
    chat = me.conversation(asked["id"])
    if asked["private"] is not None:
        chat.set_private(asked["private"])
        return Answer(Privacy(chat.id, asked["private"]))
    info = _info(chat)
    if asked["window"] is not None:
        return Answer(Shown(chat.id, chat.window(asked["window"])))
    messages = _all_messages(chat) if asked["all"] else chat.messages(limit=asked["limit"])
    return Answer(Chat(info, chat.summary(), messages))


def _listing(errand: Errand) -> Conversations:
    asked = errand.asked
    given = next((name for name in ("window", "private") if asked[name] is not None), None)
    if given:
        raise InvalidInput(f"--{given} needs to know which conversation: recollect conversation ID --{given}")
    return Conversations(errand.me.conversations(limit=_LONGEST_LISTING if asked["all"] else asked["limit"]))


def compact(errand: Errand) -> Answer:
    """Fold the older part of a conversation."""
    chat = errand.me.conversation(errand.asked["conversation"])
    _info(chat)
    done = chat.compact(keep_recent=errand.asked["keep"])
    return Answer(Compacted(chat.id, done), FAILED if done.action == "failed" else 0)


def rate(errand: Errand) -> Answer:
    """Note what the user thought of a message."""
    rating = errand.asked["rating"].lower()
    if rating not in _RATINGS:
        raise InvalidInput(f"The rating is {errand.asked['rating']!r}; expected up, down or none.")
    return Answer(errand.me.rate(errand.asked["id"], _RATINGS[rating]))


def _info(chat: Conversation) -> ConversationInfo:
    """Give the figures of a conversation. Raises NotFound."""
    info = chat.info()
    if info is not None:
        return info
    raise NotFound(f"No conversation {chat.id!r}. `recollect conversation` lists them.")


def _all_messages(chat: Conversation) -> tuple[Message, ...]:
    pages = [chat.messages(limit=_LONGEST_LISTING)]
    while len(pages[0]) == _LONGEST_LISTING:
        pages.insert(0, chat.messages(limit=_LONGEST_LISTING, before=pages[0][0].sequence))
    return tuple(message for page in pages for message in page)


VERBS: Mapping[str, VerbFunction] = {
    "say": say,
    "conversation": conversation,
    "compact": compact,
    "rate": rate,
}
