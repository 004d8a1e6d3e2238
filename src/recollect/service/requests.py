"""Request bodies, with their limits.

The OpenAPI schemas are plain, so that generators of clients take them: what two fields mean to each other is checked
here and by the verbs, and said in the descriptions.
"""

from typing import Annotated, Any, Final, Literal, Self

from fastapi import Body, Query
from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from recollect.api.verbs import MemoryVerbs
from recollect.model import kinds
from recollect.model.media import LONGEST_CAPTION, LONGEST_TRANSCRIPT, LONGEST_URL, MOST_MEDIA, MediaKind
from recollect.model.memories import MemoryFields, NewMemory
from recollect.model.messages import MessageFields, NewMessage
from recollect.model.places import LONGEST_LABEL
from recollect.model.scopes import ScopeRole
from recollect.service.body_model import (
    COMPOSED,
    EXAMPLES,
    PLAIN_NUMBER,
    TRIMMED,
    VISIBLE,
    WHOLE_NUMBER,
    Share,
    StrictBody,
    TimeText,
    whole,
)
from recollect.service.request_locations import (
    AddressText,
    Latitude,
    LocatableBody,
    LocationSearchBody,
    Longitude,
    PlacedBody,
    StoredBody,
)
from recollect.service.verb_fields import holding, taking

LONGEST_NAME: Final = kinds.LONGEST_NAME
LONGEST_QUERY: Final = kinds.LONGEST_QUERY
MOST_ITEMS: Final = kinds.MOST_ITEMS
LONGEST_CONTENT: Final = 100_000
LONGEST_TEXT: Final = 1_000_000


def _rating(value: object) -> object:
    """Read a rating as a whole number; true, which Python takes for 1, is none."""
    if isinstance(value, bool):
        raise ValueError("a rating is 1, -1 or null")  # noqa: TRY004 - as pydantic wants it
    return whole(value)


ShortText = Annotated[str, Field(max_length=LONGEST_NAME)]
MemoryText = Annotated[str, Field(min_length=1, max_length=LONGEST_CONTENT, pattern=VISIBLE)]
SessionName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=TRIMMED), COMPOSED]
QueryText = Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY, pattern=VISIBLE)]
ItemLimit = Annotated[int, Field(ge=1, le=MOST_ITEMS), WHOLE_NUMBER]
JsonObject = dict[str, Any]
QueryLimit = Annotated[int, Query(ge=1, le=MOST_ITEMS), PLAIN_NUMBER]
QueryTime = Annotated[TimeText | None, Query()]
PageCursor = Annotated[
    str | None,
    Query(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", description="The cursor of the page before."),
]
_WHERE: Final = ("radius_km", "location_radius_km", "location_weight", "location_mode")

MediaText = Annotated[str, Field(max_length=LONGEST_CAPTION)]
MediaNumber = Annotated[int, Field(ge=0, lt=2**53), WHOLE_NUMBER]


class MediaBody(StrictBody):
    """A picture, sound, film or document: with a `url`, which is never fetched, or the `original` of an upload."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["MediaBody"])

    kind: MediaKind | None = None
    url: Annotated[str, Field(max_length=LONGEST_URL)] = ""
    original: Annotated[str, Field(max_length=64, pattern=r"^([0-9a-f]{64})?$")] = ""
    mime: ShortText = ""
    size: MediaNumber | None = None
    duration_s: Annotated[float, Field(ge=0, lt=2**53, allow_inf_nan=False)] | None = None
    width: MediaNumber | None = None
    height: MediaNumber | None = None
    caption: MediaText = ""
    alt: MediaText = ""
    transcript: Annotated[str, Field(max_length=LONGEST_TRANSCRIPT)] = ""
    exif: MediaText = ""
    lat: Latitude | None = None
    lng: Longitude | None = None


MediaList = Annotated[list[MediaBody], Field(max_length=MOST_MEDIA)]


@holding(MemoryFields, NewMemory)
class NewMemoryBody(StoredBody):
    """A memory to store. Only the content is needed."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["NewMemoryBody"])

    content: MemoryText
    metadata: JsonObject = Field(default_factory=dict)
    media: MediaList = Field(default_factory=list)
    participants: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL, pattern=VISIBLE)]],
        Field(max_length=MOST_ITEMS, exclude=True, description="The names of those who took part in an event"),
    ] = Field(default_factory=list)

    @model_validator(mode="after")
    def _keep_participants(self) -> Self:
        """Keep the participants in the metadata."""
        if self.participants:
            self.metadata = {**self.metadata, "participants": self.participants}
        return self


class BulkBody(StrictBody):
    """Several memories to store at once."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["BulkBody"])

    memories: Annotated[list[NewMemoryBody], Field(min_length=1, max_length=MOST_ITEMS)]

    @property
    def texts(self) -> int:
        """As many as there are memories."""
        return len(self.memories)


def _describe_patch(schema: JsonObject) -> None:
    """Document a patch without defaults: a generated client would send them, and so overwrite what is there."""
    schema |= {"minProperties": 1, **EXAMPLES["MemoryPatch"]}
    for field in schema["properties"].values():
        field.pop("default", None)


@holding(MemoryFields, NewMemory, but=("trust", "many"))
class MemoryPatch(PlacedBody):
    """What to change of a memory. What is not named stays; null takes a moment or a place away."""

    model_config = ConfigDict(json_schema_extra=_describe_patch)

    content: MemoryText = ""
    metadata: JsonObject = Field(default_factory=dict)
    media: MediaList = Field(default_factory=list)


class ReadingBody(StrictBody):
    """A message to read. Nothing of it is stored."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["ReadingBody"])

    text: MemoryText
    before: Annotated[
        str | None,
        Field(max_length=LONGEST_CONTENT, description="What another said right before it, such as a question."),
    ] = None


@taking(MemoryVerbs.search_context)
class ContextQuery(LocationSearchBody):
    """A search of memories, all that was said, and files."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["ContextQuery"])

    whole: bool = Field(default=False, description="Show hits with the whole item and the parts of the score.")


@taking(MemoryVerbs.search_context, "query", "limit", *_WHERE)
class SimpleQuery(LocationSearchBody):
    """A search in the form that simple clients use."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["SimpleQuery"])

    threshold: Share = 0.0


PlaceName = Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL, pattern=TRIMMED), COMPOSED]


class NamedPlaceSent(StrictBody):
    """Where a place is that is given a name."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["NamedPlaceSent"])

    lat: Latitude
    lng: Longitude
    address: AddressText = ""


class MemberBody(StrictBody):
    """What a member of a shared scope may do."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["MemberBody"])

    role: ScopeRole = "reader"


class ToolCallBody(StrictBody):
    """A tool that the assistant asked for; `arguments` is JSON as the model wrote it."""

    id: Annotated[str, Field(min_length=1, max_length=256, pattern=VISIBLE)]
    name: Annotated[str, Field(min_length=1, max_length=256, pattern=VISIBLE)]
    arguments: Annotated[str, Field(max_length=LONGEST_TEXT)] = "{}"


MessageContent = (
    Annotated[str, Field(max_length=LONGEST_TEXT)] | Annotated[list[str | dict[str, Any]], Field(max_length=1_000)]
)


@holding(MessageFields, NewMessage)
class MessageBody(StoredBody):
    """A message as it was said, perhaps with the place where it was said.

    It has content, media or tool calls; the result of a tool has a `tool_call_id`.
    """

    model_config = ConfigDict(json_schema_extra=EXAMPLES["MessageBody"])

    role: Literal["user", "assistant", "system", "tool", "reasoning"]
    content: MessageContent = ""
    tool_calls: Annotated[list[ToolCallBody], Field(max_length=MOST_ITEMS)] = Field(default_factory=list)
    metadata: JsonObject = Field(default_factory=dict)
    media: MediaList = Field(default_factory=list)


class MessagesBody(StrictBody):
    """Messages to add to a conversation, all or none."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["MessagesBody"])

    messages: Annotated[list[MessageBody], Field(min_length=1, max_length=MOST_ITEMS)]

    @property
    def texts(self) -> int:
        """As many as there are messages."""
        return len(self.messages)


def _body_kind(body: object) -> str:
    several = isinstance(body, MessagesBody) or (isinstance(body, dict) and "messages" in body)
    return MessagesBody.__name__ if several else MessageBody.__name__


MessageOrMessages = Annotated[
    Annotated[MessageBody, Tag(MessageBody.__name__)] | Annotated[MessagesBody, Tag(MessagesBody.__name__)],
    Discriminator(_body_kind),
    Body(title="OneOrMoreMessages"),  # the name of the type in generated clients
]


@taking(MemoryVerbs.rate, "comment")
class FeedbackBody(StrictBody):
    """What the user thought of a message or memory: 1, -1, or null to take it back."""

    feedback: Annotated[Literal[1, -1], BeforeValidator(_rating)] | None


class TidyBody(StrictBody):
    """The ids of suggestions to carry out."""

    apply: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=512)]], Field(min_length=1, max_length=MOST_ITEMS)
    ]


@taking(MemoryVerbs.merge, "into")
class MergeBody(StrictBody):
    """Into which memory to merge one that says the same."""


class CompactBody(StrictBody):
    """How to compact a conversation."""

    keep_recent: Annotated[int, Field(ge=0, le=1_000), WHOLE_NUMBER] | None = None


class PrivateSwitch(StrictBody):
    """Whether what is said in a conversation from now on is kept."""

    private: bool


@taking(MemoryVerbs.before_prompt)
class BeforePromptBody(LocatableBody):
    """What the user says, before the agent answers, and where they are."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["BeforePromptBody"])

    prompt: MessageContent
    whole: bool = Field(default=False, description="Show hits with the whole item and the parts of the score.")


@taking(MemoryVerbs.after_turn, "session")
class AgentEndBody(StrictBody):
    """The messages of a turn, after the agent has answered; or the whole conversation, in any host's manner."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["AgentEndBody"])

    messages: Annotated[list[dict[str, Any]], Field(max_length=1_000)]


@taking(MemoryVerbs.end_session)
class SessionEndBody(StrictBody):
    """A session that ends."""


@taking(MemoryVerbs.forget)
class ForgetBody(StrictBody):
    """What to forget: exactly one of `id`, `query`, `session`, `source`, `folder`, `everything`.

    `all` and `documents` go with a query, `sources` with an id, `allow_again` with everything; a dry run has no
    receipt.
    """

    model_config = ConfigDict(json_schema_extra=EXAMPLES["ForgetBody"])

    whole: bool = Field(default=False, description="Show candidates with the whole item and the parts of the score.")


class VerifyErasureBody(StrictBody):
    """A receipt of forgetting to check."""

    receipt: dict[str, Any] = Field(description="The receipt as it was given, with all its fields.")


class LogInBody(StrictBody):
    """What opens a session: a one-time link's secret, or a key."""

    secret: str = Field(min_length=1, max_length=200, description="`rl_…` of a link, or a key `rk_…`.")
