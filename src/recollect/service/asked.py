"""What may be sent: the bodies of requests, with their limits. Whatever has another form is refused by name.

The schema in the documentation promises what is done here: whatever fits it is taken, whatever does not is refused.
"""

import re
from datetime import datetime
from typing import Annotated, Any, Final, Literal
from unicodedata import normalize

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    WithJsonSchema,
)

from recollect.model.literals import MEMORY_TYPES, SOURCES, MemoryType, Source
from recollect.model.places import LONGEST_LABEL
from recollect.service.asked_places import TOGETHER, Address, Latitude, Locatable, Longitude, Placed, Searching
from recollect.service.strict import VISIBLE, Body, Share

MOST_ITEMS: Final = 100
LONGEST_QUERY: Final = 2_000
LONGEST_CONTENT: Final = 100_000
LONGEST_TEXT: Final = 1_000_000
LONGEST_NAME: Final = 128

_MOMENT: Final[TypeAdapter[datetime]] = TypeAdapter(datetime)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]", re.ASCII)


def _moment(value: object) -> datetime:
    """Read a moment as it is written in JSON. A number could mean seconds or milliseconds, so it means nothing."""
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or not _DAY.match(value):
        raise ValueError("a moment is a text such as 2026-03-01T12:00:00Z")
    found = _MOMENT.validate_python(value)
    if found.tzinfo is None:
        raise ValueError("a moment needs its time zone, such as Z or +01:00")
    return found


Moment = Annotated[
    datetime, BeforeValidator(_moment), WithJsonSchema({"type": "string", "format": "date-time"}), Field(strict=False)
]


def _whole(value: object) -> object:
    """Take 7.0 for 7, as JSON does."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _composed(value: str) -> str:
    """Give a name in the one form in which it is kept; some keyboards and file systems write it in another."""
    return normalize("NFC", value)


# Two characters are spaces to some readers of patterns and not to others, so they are named.
SAID: Final = r"[^\s\x1c-\x1f\x85\ufeff]"  # more than space
ON_ITS_OWN: Final = (  # no control characters or outer spaces
    r"^[^\s\x00-\x1f\x85\ufeff]([^\x00-\x08\x0b-\x1f]*[^\s\x00-\x1f\x85\ufeff])?$"
)


WHOLE: Final = BeforeValidator(_whole)  # behind the limits, or the documentation would not know of them
Name = Annotated[str, Field(max_length=LONGEST_NAME)]
Content = Annotated[str, Field(min_length=1, max_length=LONGEST_CONTENT, pattern=VISIBLE)]
Session = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=ON_ITS_OWN), AfterValidator(_composed)]
Queried = Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY, pattern=VISIBLE)]
Limit = Annotated[int, Field(ge=1, le=MOST_ITEMS), WHOLE]
Count = Annotated[int, Field(ge=0, lt=2**53), WHOLE]
Metadata = dict[str, Any]


class NewMemoryBody(Locatable):
    """A memory to store. Only the content is needed."""

    model_config = ConfigDict(
        json_schema_extra={
            **TOGETHER,
            "examples": [
                {"content": "Prefers dark mode in all applications", "type": "preference", "importance": 0.8},
                {
                    "content": "Takes the svíčková here",
                    "type": "preference",
                    "location": {"lat": 49.1951, "lng": 16.6068, "place_label": "U Karla pub"},
                },
                {
                    "content": "The lamp in the office is called Sunny",
                    "type": "fact",
                    "subject": "light.office",
                    "key": "nickname",
                    "value": "Sunny",
                },
            ],
        }
    )

    content: Content
    type: MemoryType = "other"
    importance: Share = 0.7
    confidence: Share = 1.0
    subject: Name = ""
    key: Name = ""
    value: Annotated[str, Field(max_length=100_000)] = ""
    context: Name = ""
    source: Name = "user_stated"
    trust: Annotated[
        int, Field(ge=0, le=3, description="3 stated, 2 inferred, 1 the user's files, 0 anything else"), WHOLE
    ] = 3
    session: Name = ""
    occurred_at: Moment | None = None
    valid_from: Moment | None = None
    valid_until: Moment | None = None
    expires_at: Moment | None = None
    metadata: Metadata = Field(default_factory=dict)


class BulkBody(Body):
    """Several memories to store at once."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"memories": [{"content": "Likes rye bread"}, {"content": "Runs on Sundays"}]}]}
    )

    memories: Annotated[list[NewMemoryBody], Field(min_length=1, max_length=MOST_ITEMS)]


class MemoryPatch(Placed):
    """What to change of a memory. What is not named stays; null takes a moment or a place away."""

    model_config = ConfigDict(json_schema_extra={**TOGETHER, "minProperties": 1, "examples": [{"importance": 0.9}]})

    content: Content = ""
    type: MemoryType = "other"
    importance: Share = 0.7
    confidence: Share = 1.0
    subject: Name = ""
    key: Name = ""
    value: Annotated[str, Field(max_length=100_000)] = ""
    context: Name = ""
    source: Name = ""
    session: Name = ""
    occurred_at: Moment | None = None
    valid_from: Moment | None = None
    valid_until: Moment | None = None
    expires_at: Moment | None = None
    metadata: Metadata = Field(default_factory=dict)


class ContextQuery(Searching):
    """A search of memories, all that was said, and files."""

    model_config = ConfigDict(
        json_schema_extra={**TOGETHER, "examples": [{"query": "which theme do I like?", "limit": 5}]}
    )

    query: Queried
    limit: Limit = 10
    sources: Annotated[list[Source], Field(min_length=1, max_length=len(SOURCES))] | None = None
    session: Name | None = None
    current: Name | None = None
    since: Moment | None = None
    until: Moment | None = None
    min_score: Share = 0.0
    prefer: Annotated[list[MemoryType], Field(max_length=len(MEMORY_TYPES))] = Field(default_factory=list)
    diverse: bool = False


class SimpleQuery(Searching):
    """A search in the form that simple clients use."""

    model_config = ConfigDict(
        json_schema_extra={**TOGETHER, "examples": [{"query": "TypeScript", "limit": 10, "threshold": 0.3}]}
    )

    query: Queried
    limit: Limit = 10
    threshold: Share = 0.0


class FederatedQuery(Body):
    """A search of this store and of other services."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "the offsite in March", "nodes": ["office"]}]})

    query: Queried
    nodes: (
        Annotated[
            list[Annotated[str, Field(min_length=1, max_length=100)]],
            Field(max_length=MOST_ITEMS, description="Nodes to ask by name; without it, all that are enabled for you."),
        ]
        | None
    ) = None
    limit: Limit = 10


PlaceName = Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL, pattern=ON_ITS_OWN), AfterValidator(_composed)]


class NamedPlaceSent(Body):
    """Where a place is that is given a name."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"lat": 49.1951, "lng": 16.6068}]})

    lat: Latitude
    lng: Longitude
    address: Address = ""


class ToolCallBody(Body):
    """A tool that the assistant asked for; `arguments` is JSON as the model wrote it."""

    id: Annotated[str, Field(min_length=1, max_length=256, pattern=VISIBLE)]
    name: Annotated[str, Field(min_length=1, max_length=256, pattern=VISIBLE)]
    arguments: Annotated[str, Field(max_length=LONGEST_TEXT)] = "{}"


Said = Annotated[str, Field(max_length=LONGEST_TEXT)] | Annotated[list[str | dict[str, Any]], Field(max_length=1_000)]


# A message says something or calls a tool; the result of a tool may be empty, but must say of which call it is.
_SAYS_SOMETHING: Final[dict[str, Any]] = {
    "anyOf": [
        {
            "required": ["tool_call_id"],
            "properties": {"role": {"const": "tool"}, "tool_call_id": {"type": "string", "minLength": 1}},
        },
        {
            "required": ["content"],
            "properties": {
                "role": {"not": {"const": "tool"}},
                "content": {"anyOf": [{"type": "string", "pattern": SAID}, {"type": "array", "minItems": 1}]},
            },
        },
        {
            "required": ["tool_calls"],
            "properties": {"role": {"not": {"const": "tool"}}, "tool_calls": {"type": "array", "minItems": 1}},
        },
    ]
}


class MessageBody(Locatable):
    """A message as it was said, perhaps with the place where it was said."""

    model_config = ConfigDict(
        json_schema_extra={
            "allOf": [_SAYS_SOMETHING, TOGETHER],
            "examples": [{"role": "user", "content": "I moved to Brno last week.", "id": "m-17"}],
        }
    )

    role: Literal["user", "assistant", "system", "tool", "reasoning"]
    content: Said = ""
    id: Annotated[str, Field(max_length=256, description="The host's own id: delivered twice, it is kept once.")] = ""
    speaker: Annotated[str, Field(max_length=256)] = ""
    tool_calls: Annotated[list[ToolCallBody], Field(max_length=MOST_ITEMS)] = Field(default_factory=list)
    tool_call_id: Annotated[str, Field(max_length=256)] = ""
    sequence: Count | None = None
    said_at: Moment | None = None
    model: Annotated[str, Field(max_length=256)] = ""
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    thinking_tokens: Count | None = None
    metadata: Metadata = Field(default_factory=dict)


class MessagesBody(Body):
    """Messages to add to a conversation, all or none."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"messages": [{"role": "user", "content": "Where did I park?"}]}]}
    )

    messages: Annotated[list[MessageBody], Field(min_length=1, max_length=MOST_ITEMS)]


def _how_many(body: object) -> str:
    several = isinstance(body, MessagesBody) or (isinstance(body, dict) and "messages" in body)
    return MessagesBody.__name__ if several else MessageBody.__name__


OneOrSeveral = Annotated[
    Annotated[MessageBody, Tag(MessageBody.__name__)] | Annotated[MessagesBody, Tag(MessagesBody.__name__)],
    Discriminator(_how_many),
]


class FeedbackBody(Body):
    """What the user thought of a message: 1, -1, or null to take it back."""

    feedback: Literal[1, -1] | None


class CompactBody(Body):
    """How to compact a conversation."""

    keep_recent: Annotated[int, Field(ge=0, le=1_000), WHOLE] | None = None


class BeforePromptBody(Locatable):
    """What the user says, before the agent answers, and where they are."""

    model_config = ConfigDict(
        json_schema_extra={**TOGETHER, "examples": [{"prompt": "Which theme do I like?", "session": "s1"}]}
    )

    prompt: Said
    session: Session
    id: Annotated[str, Field(max_length=256)] = ""
    speaker: Annotated[str, Field(max_length=256)] = ""
    metadata: Metadata = Field(default_factory=dict)


class AgentEndBody(Body):
    """The messages of a turn, after the agent has answered; or the whole conversation, in any host's manner."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "session": "s1",
                    "messages": [
                        {"role": "user", "content": "I prefer dark mode."},
                        {"role": "assistant", "content": "Noted."},
                    ],
                }
            ]
        }
    )

    session: Session
    messages: Annotated[list[dict[str, Any]], Field(max_length=1_000)]


class SessionEndBody(Body):
    """A session that ends."""

    session: Session


_NAMED: Final = ("id", "query", "session", "source", "folder")
_NOT_NAMED: Final[dict[str, Any]] = {
    **{name: {"type": "null"} for name in _NAMED},
    "everything": {"const": False},
}
_EXACTLY_ONE: Final[dict[str, Any]] = {
    "oneOf": [{"required": [name], "properties": {**_NOT_NAMED, name: {"type": "string"}}} for name in _NAMED]
    + [{"required": ["everything"], "properties": {**_NOT_NAMED, "everything": {"const": True}}}]
}


class ForgetBody(Body):
    """What to forget: exactly one of `id`, `query`, `session`, `source`, `folder`, `everything`."""

    model_config = ConfigDict(json_schema_extra={**_EXACTLY_ONE, "examples": [{"query": "dark mode", "dry_run": True}]})

    id: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    query: Queried | None = None
    session: Session | None = None
    source: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=VISIBLE)] | None = None
    folder: (
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=4_096,
                pattern=VISIBLE,
                description="The root of a synced folder, as GET /api/files gives it. What lies in it stays.",
            ),
        ]
        | None
    ) = None
    everything: bool = False
    dry_run: bool = False
