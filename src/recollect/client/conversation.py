"""Conversations, messages and places over HTTP. See their twins in `recollect.api`."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, Unpack

from recollect.client.decode import decode, decode_all
from recollect.client.service import ServiceConnection, ServiceScoped, path_part
from recollect.errors import InvalidInput, NotFound
from recollect.model import kinds
from recollect.model.literals import MessageRole
from recollect.model.memories import NewMemory
from recollect.model.messages import (
    Appended,
    Compaction,
    Content,
    ConversationInfo,
    Message,
    MessageFields,
    NewMessage,
    Window,
    message_of,
)
from recollect.model.places import Located, LocationLike, NamedPlace, PlaceSummary, with_location
from recollect.model.readings import MemoryOrigin, TaughtMemory
from recollect.model.search import PlaceContents

_PAGE = 100


class ServiceConversation(ServiceScoped):
    """One conversation. It begins with the first message that is appended."""

    def __init__(self, service: ServiceConnection, user_id: str, id: str) -> None:
        super().__init__(service, user_id)
        self.id = id
        self._path = f"/api/conversations/{path_part(id)}"

    def append(self, role: MessageRole, content: Content = "", **fields: Unpack[MessageFields]) -> Appended:
        """Append a message. The result has the message that was stored."""
        return self.extend([message_of(role, content, fields)])[0]

    def extend(self, messages: Iterable[NewMessage | Mapping[str, Any]]) -> tuple[Appended, ...]:
        """Append several messages, all or none."""
        if isinstance(messages, (str, Mapping)) or not isinstance(messages, Iterable):
            raise InvalidInput("extend takes several messages, for example a list. To add one, use append.")
        body = {"messages": [message_body(message) for message in messages]}
        done = []
        for found in self._post(f"{self._path}/messages", body)["results"]:
            stored = decode(Message, self._get(f"/api/messages/{found['id']}")) if found["id"] else None
            done.append(Appended(found["action"], stored))
        return tuple(done)

    def window(self, max_tokens: int | None = None, *, reasoning: bool = False) -> Window:
        """Return what to show a model: system prompts, the current summary and the newest turns that fit."""
        found = self._get(f"{self._path}/window", max_tokens=max_tokens, reasoning=reasoning or None)
        return decode(Window, found, max_tokens=max_tokens or 0)

    def compact(self, *, keep_recent: int | None = None) -> Compaction:
        """Fold all but the newest messages into the summary."""
        return decode(Compaction, self._post(f"{self._path}/compact", {"keep_recent": keep_recent}))

    def info(self) -> ConversationInfo | None:
        """Return the statistics of the conversation; None when it does not exist yet."""
        try:
            return decode(ConversationInfo, self._get(self._path, limit=1)["conversation"])
        except NotFound:
            return None

    def messages(self, *, limit: int = 100, before: int | None = None) -> tuple[Message, ...]:
        """Return the last messages in order; to page, pass a sequence number as `before`."""
        found: tuple[Message, ...] = ()
        while len(found) < limit:
            size = min(_PAGE, limit - len(found))
            try:
                page = self._get(self._path, limit=size, cursor=before)
            except NotFound:
                break
            found = (*decode_all(Message, page["messages"]), *found)
            if page.get("cursor") is None:
                break
            before = int(page["cursor"])
        return found

    def summary(self) -> Message | None:
        """Return the current summary, if there is one."""
        found = self._get(f"{self._path}/summary")["summary"]
        return None if found is None else decode(Message, found)

    def originals(self, summary_id: str) -> tuple[Message, ...]:
        """Return the messages that a summary was made from, in order."""
        return decode_all(Message, self._get(f"/api/messages/{path_part(summary_id)}/originals")["items"])

    def learned(self) -> tuple[TaughtMemory, ...]:
        """Return the memories that were captured from the messages of this conversation, oldest first."""
        return decode_all(TaughtMemory, self._get(f"{self._path}/learned")["items"])

    def set_private(self, private: bool = True) -> None:  # noqa: FBT001, FBT002 - as the verb has it
        """Switch storing off, or on again, from now on. What was stored before stays: `forget` it."""
        self._send("PUT", f"{self._path}/private", {"private": private})


class ServiceMessages(ServiceScoped):
    """Single messages by id."""

    def get(self, id: str) -> Message:
        """Return one message. Raises NotFound."""
        return decode(Message, self._get(f"/api/messages/{path_part(id)}"))

    def around(self, id: str, *, before: int = 2, after: int = 2) -> tuple[Message, ...]:
        """Return a message with its neighbours, in order; the id may be that of a hit. Raises NotFound."""
        found = self._get(f"/api/messages/{path_part(id)}/around", before=before, after=after)
        return decode_all(Message, found["items"])

    def between(
        self, *, since: kinds.Since | None = None, until: kinds.Until | None = None, limit: int = 50
    ) -> tuple[Message, ...]:
        """Return the newest messages of a time, of all conversations, in the order in which they were said."""
        return decode_all(Message, self._get("/api/messages", since=since, until=until, limit=limit)["items"])

    def origins(self, memory_id: str) -> tuple[MemoryOrigin, ...]:
        """Return the messages that a memory was captured from, with the words that say it. Raises NotFound."""
        return decode_all(MemoryOrigin, self._get(f"/api/memories/{path_part(memory_id)}/origins")["items"])

    def rate(self, message_id: str, feedback: int | None, *, comment: str = "") -> Message:
        """Store the user's feedback on a message: 1, -1, or None to take it back. Raises NotFound."""
        body = {"feedback": feedback, "comment": comment}
        return decode(Message, self._post(f"/api/messages/{path_part(message_id)}/feedback", body))


class ServicePlaces(ServiceScoped):
    """A user's places, the names the user gave them, and geocoding."""

    def list(self, *, limit: int = 50) -> tuple[PlaceSummary, ...]:
        """List the places at which memories cluster."""
        return decode_all(PlaceSummary, self._get("/api/places", limit=limit)["items"])

    def within(self, lat: float, lng: float, radius_km: float, *, limit: int = 50) -> PlaceContents:
        """Return what is within a circle: the newest memories there, and the last messages sent from there."""
        found = self._get("/api/places/within", lat=lat, lng=lng, radius_km=radius_km, limit=limit)
        return decode(PlaceContents, found)

    def named(self) -> tuple[NamedPlace, ...]:
        """List the places that the user has named."""
        return decode_all(NamedPlace, self._get("/api/places/named")["items"])

    def set(self, name: str, location: LocationLike) -> NamedPlace:
        """Name a place, such as `home`, so that `recall` knows it; setting it again moves it."""
        return decode(NamedPlace, self._send("PUT", _named(name), with_location({"location": location})))

    def forget(self, name: str) -> None:
        """Delete the name of a place; memories at that place stay. Raises NotFound."""
        self._send("DELETE", _named(name))

    def geocode(self, name: str, *, limit: int = 5) -> tuple[Located, ...]:
        """Find the coordinates of a name such as `Brno` or `Paris, Texas`, the likeliest first."""
        return decode_all(Located, self._get("/api/places/locate", name=name, limit=limit)["items"])


def message_body(message: NewMessage | Mapping[str, Any]) -> dict[str, Any]:
    """Give the body of a message."""
    if not isinstance(message, NewMessage):
        return dict(message)
    fields = {name: value for name, value in fields_of(message).items() if value not in (None, "", (), {})}
    if message.tool_calls:
        fields["tool_calls"] = [asdict(call) if is_dataclass(call) else call for call in message.tool_calls]
    return fields


def fields_of(value: NewMemory | NewMessage) -> dict[str, Any]:
    """Give the fields of what is to be stored."""
    return {name: getattr(value, name) for name in value.__slots__}


def _named(name: str) -> str:
    return f"/api/places/named/{path_part(name)}"
