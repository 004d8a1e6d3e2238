"""Response bodies, derived from the frozen values of the model.

`body` makes a pydantic model with the fields of a value: the description and the encoder of one component of the
OpenAPI document. A route returns the value itself; its body reads the attributes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING
from dataclasses import fields as dataclass_fields
from datetime import datetime
from functools import reduce
from operator import or_
from types import GenericAlias, UnionType
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, create_model

from recollect.federation import FederatedHit, FederatedResult, NodeReport
from recollect.model.files import AddedAction, Chunk, FilePage, FileRecord
from recollect.model.literals import FileKind, FileSource, Source
from recollect.model.memories import MemoryRecord, Page, Remembered
from recollect.model.messages import Appended, Compaction, ConversationInfo, Message, ToolCall, Window
from recollect.model.places import Located, NamedPlace, PlacePart, PlaceSummary
from recollect.model.search import About, Forgotten, Hit, Place, PromptContext, Recall, TurnOutcome
from recollect.model.stats import SearchFigures, Stats, Status
from recollect.service.metrics.readiness import Readiness


class ResponseBody(BaseModel):
    """A body that reads the attributes of a value."""

    model_config = ConfigDict(from_attributes=True, populate_by_name=True)


class Items(NamedTuple):
    """A whole listing, without pages."""

    items: Iterable[object]


_BODIES: Final[dict[type, type[ResponseBody]]] = {}


def body(
    title: str,
    doc: str,
    value: type | None = None,
    /,
    *,
    omit: Iterable[str] = (),
    defaults: Mapping[str, Any] | None = None,
    **fields: Any,  # noqa: ANN401 - a type, or a type with its Field
) -> type[ResponseBody]:
    """Derive the body `title` from a value class, without `omit` and with `fields` added or replaced.

    Every field is required in the document but those with `defaults`. Inside of later bodies the value is shown by the
    body that was derived from it first.
    """
    hints = get_type_hints(value) if value else {}
    given = {**{field: hint for field, hint in hints.items() if field not in omit}, **fields}
    defined = {
        field: (_body_type(hint[0]), hint[1])
        if isinstance(hint, tuple)
        else (_body_type(hint), (defaults or {}).get(field, ...))
        for field, hint in given.items()
    }
    made: type[ResponseBody] = create_model(title, __base__=ResponseBody, __doc__=doc, **defined)  # type: ignore[call-overload]
    if value:
        _BODIES.setdefault(value, made)
    return made


def _own_defaults(value: type) -> dict[str, Any]:
    """Give the defaults that a dataclass declares, for bodies that document them."""
    declared = {field.name: field for field in dataclass_fields(value)}
    fixed = {name: field.default for name, field in declared.items() if field.default is not MISSING}
    factories = {name: field.default_factory for name, field in declared.items()}
    made = {name: Field(default_factory=make) for name, make in factories.items() if make is not MISSING}
    return {**fixed, **made}


def _body_type(hint: Any) -> Any:  # noqa: ANN401 - any annotation
    """Give an annotation with bodies in place of values, and with the plain containers of JSON."""
    inner = [part if part is ... else _body_type(part) for part in get_args(hint)]
    match get_origin(hint):
        case None:
            return _BODIES.get(hint, hint)
        case origin if origin is Union or origin is UnionType:
            return reduce(or_, inner)
        case origin if origin is tuple:
            return GenericAlias(list, (inner[0],))
        case origin if origin is Mapping:
            return GenericAlias(dict, tuple(inner))
        case _:
            return hint


def dump(shape: type[BaseModel], value: object) -> str:
    """Encode a value as the JSON of its body."""
    return shape.model_validate(value).model_dump_json()


def _at(*path: str) -> Any:  # noqa: ANN401 - a Field
    return Field(validation_alias=AliasPath(*path))


def _if_known(*path: str) -> Any:  # noqa: ANN401 - a Field
    """Take a field from inside of a value, and leave it out where there is nothing."""
    return Field(default=None, validation_alias=AliasPath(*path), exclude_if=lambda value: value in (None, ""))


class ProblemDocument(BaseModel):
    """An error, as RFC 9457 has it."""

    model_config = ConfigDict(title="Problem")

    type: str = Field(examples=["about:blank"])
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["No memory 01a1dfdf-9755-700c-8ecf-655f449c5cac."])


MemoryBody = body("MemoryBody", "A memory as it is kept.", MemoryRecord)
MemoryPageBody = body(
    "MemoryPage",
    "A part of a listing, newest first. Pass `cursor` to get the next part; it is null at the end.",
    Page,
    defaults={"cursor": None},
)
MemoriesBody = body("Memories", "Memories of one kind.", items=tuple[MemoryRecord, ...])
RememberedBody = body(
    "RememberedBody",
    "What became of a memory that was offered.",
    Remembered,
    defaults={"existing_id": None, "degraded": Field(default_factory=list)},
)
RememberedManyBody = body("RememberedMany", "What became of each memory, in order.", results=tuple[Remembered, ...])

PlaceBody = body("PlaceBody", "Where something is.", Place)
PlaceShareBody = body(
    "PlaceShare",
    """What a place did to a score: (1 - `weight`) x `content` + `weight` x `geo` is the score.

    `geo` is the larger of `nearness`, which comes from `distance_km`, and `likeness`, that of the places' names.
    Without a `location_weight` it counts times `fit`, how good the content is compared with the best one, and for no
    less than `least`.
    """,
    PlacePart,
)
HitBody = body(
    "HitBody",
    """Something that was found. `score` and `similarity` are from 0 to 1.

    In a `file` it is a part of its text: `metadata` has its `path`, `start_line`, `end_line`, `heading` and `file_id`.
    What has a place has `lat`, `lng`, `address` and `place_label`, as far as they are known. When the search says where
    the user is, `distance_km` is how far that is, and `place_share` what it did to the score.
    """,
    Hit,
    omit=("parts", "record"),
    conversation=(str | None, Field(default=None, validation_alias=AliasPath("record", "conversation"))),
    lat=(float | None, _if_known("place", "lat")),
    lng=(float | None, _if_known("place", "lng")),
    address=(str | None, _if_known("place", "address")),
    place_label=(str | None, _if_known("place", "label")),
    distance_km=(float | None, _if_known("parts", "place", "distance_km")),
    place_share=(PlacePart | None, _if_known("parts", "place")),
)
RecallBody = body(
    "RecallBody",
    "The answer to a question. `degraded` names what was missing; `answerable` says how likely an answer is here.",
    Recall,
)
ForgottenBody = body(
    "ForgottenBody",
    "What forgetting did, or would do: `ids` are gone; `candidates` wait for a choice.",
    Forgotten,
    defaults={"files": 0},
)
AboutBody = body("AboutBody", "What is known about a topic.", About)

ToolCallBody = body("ToolCallAnswer", "A tool that the assistant asked for.", ToolCall)
MessageBody = body("MessageAnswer", "A turn of a conversation as it is kept.", Message)
AppendedBody = body("AppendedBody", "What became of a message.", Appended, omit=("message",), id=str | None)
AppendedManyBody = body("AppendedMany", "What became of each message, in order.", results=tuple[Appended, ...])
ConversationBody = body("ConversationBody", "A conversation with its figures.", ConversationInfo)
ConversationPageBody = body(
    "ConversationPage",
    "Conversations, the one that was spoken in last first.",
    items=tuple[ConversationInfo, ...],
    cursor=str | None,
    defaults={"cursor": None},
)
ConversationDetailBody = body(
    "ConversationAnswer",
    "A conversation with its last messages, in order. Pass `cursor` to get those before them.",
    conversation=ConversationInfo,
    messages=tuple[Message, ...],
    cursor=str | None,
    defaults={"cursor": None},
)
WindowBody = body("WindowBody", "What of a conversation to show a model.", Window, omit=("max_tokens",))
CompactionBody = body("CompactionBody", "What compacting did.", Compaction, omit=("usage",))
PromptBody = body(
    "PromptBody",
    "What an agent gets before it answers; `block` is ready to stand before the prompt.",
    PromptContext,
)
TurnBody = body("TurnBody", "What was kept of a turn.", TurnOutcome)
SessionBody = body("SessionBody", "What was kept of a session that ended, if anything was.", summary=Remembered | None)

FileBody = body(
    "FileBody",
    """A file as it is kept.

    A synced one lies at `path` beneath `root`; one that was added by itself has no root, and its path is its name.
    `digest` is the SHA-256 of its bytes; `original` says whether they are kept. `notes` say what is not as it should
    be.
    """,
    FileRecord,
    omit=("mtime_ns", "recipe"),
    original=Annotated[bool, BeforeValidator(bool)],
)
_FOLDER: Final[dict[str, Any]] = {
    "root": (str, _at("folder", "root")),
    "source": (FileSource, _at("folder", "source")),
    "files": int,
    "chunks": int,
    "scanned_at": (datetime, _at("folder", "scanned_at")),
    "completed_at": (datetime | None, _at("folder", "completed_at")),
    "trouble": (dict[str, int], _at("folder", "trouble")),
}
FolderBody = body(
    "FolderBody",
    """A folder that is kept in step: when it was last looked through, when to its end, and what could not be read then.

    `trouble` maps reasons to how many files.
    """,
    **_FOLDER,
)
WatchedFolderBody = body(
    "WatchedFolder",
    "The same, with how many files differ from what is kept; null when the folder cannot be read.",
    **_FOLDER,
    drift=int | None,
)
FileListingBody = body(
    "FileListing",
    "A part of a listing, newest first, and all folders. Pass `cursor` to get the next part; it is null at the end.",
    FilePage,
    defaults={"cursor": None},
    folders=tuple[FolderBody, ...],  # type: ignore[valid-type] # a body, made above
)
AddedFileBody = body(
    "AddedFileBody",
    """What became of a document that was sent: `duplicate` means that the very same bytes are kept already.

    `notes` say what is not as it should be, such as a part that could not be read.
    """,
    action=AddedAction,  # and not what it is called: another request may have sent it under another name
    id=(str, _at("file", "id")),
    kind=(FileKind, _at("file", "kind")),
    mime=(str, _at("file", "mime")),
    lines=(int, _at("file", "lines")),
    chunks=(int, _at("file", "chunks")),
    notes=(list[str], _at("file", "notes")),
    degraded=(list[str], Field(default_factory=list)),
)
FileTextBody = body(
    "FileTextBody",
    """Lines of a file, `first` to `last`, counted from 1; `lines` is how many it has in all.

    `origin` says where they come from. `current` is false when the file was changed since it was read into the store.
    """,
    id=(str, _at("file", "id")),
    path=(str, _at("file", "path")),
    first=int,
    last=int,
    lines=(int, _at("file", "lines")),
    text=str,
    origin=Literal["disk", "store"],
    current=bool,
)

PlaceSummaryBody = body(
    "PlaceSummaryBody",
    """A place at which a user's memories cluster. `name` is what the user calls it, or else its address.

    `radius_km` is how far from its middle the farthest of them is; `visits` are the days on which something was.
    `named` says whether the user has given it that name.
    """,
    PlaceSummary,
)
PlacesBody = body(
    "Places", "The places of a user, those with most of their memories first.", items=tuple[PlaceSummary, ...]
)
NamedPlaceBody = body("NamedPlaceBody", "A place that the user has given a name.", NamedPlace)
NamedPlacesBody = body(
    "NamedPlaces", "The places that the user has given names, by name.", items=tuple[NamedPlace, ...]
)
ForgottenNameBody = body("ForgottenName", "What a place is called was forgotten; what happened there stays.", name=str)
LocatedBody = body(
    "LocatedBody",
    "What is known of a place in the world. `name` is that of the nearest one which has one, `distance_km` away.",
    Located,
)
LocatedManyBody = body("LocatedMany", "Places of a name, the likeliest first.", items=tuple[Located, ...])

FederatedHitBody = body(
    "FederatedHitBody",
    """Something that was found, and where. Scores of two nodes cannot be compared.

    Of what is in a file, `where` is its place there, such as `notes/setup.md:12-30`.
    """,
    FederatedHit,
)
NodeBody = body("NodeBody", "How a node that was to be asked fared.", NodeReport, state=str)
FederatedBody = body("FederatedBody", "The answer of this store and others, best first.", FederatedResult)

LiveBody = body("Live", "It runs.", status=Literal["alive"], defaults={"status": "alive"})
ReadyBody = body("Ready", "Whether requests can be answered, and what is wrong with each part if not.", Readiness)
UserStatsBody = body(
    "UserStats",
    "Figures about what a user has stored, and about the searches of the last seven days, if they are kept.",
    Stats,
    searches=tuple[SearchFigures, ...],
    defaults={**_own_defaults(Stats), "searches": ()},
)
ServiceStatusBody = body(
    "ServiceStatus",
    "What runs on what, and the folders that are kept in step for the user.",
    Status,
    defaults={**_own_defaults(Status), "folders": ()},
    folders=tuple[WatchedFolderBody, ...],  # type: ignore[valid-type] # a body, made above
)


class SimpleHit(BaseModel):
    """Something that was found, in the form that simple clients use."""

    source_type: Source
    source_id: str
    content: str
    similarity: float
    context: dict[str, Any]


def simple_hit(hit: Hit) -> SimpleHit:
    """Show a hit to a simple client."""
    context: dict[str, Any] = {"type": hit.type, "created_at": hit.created_at.isoformat(), "score": hit.score}
    if isinstance(hit.record, Message):
        context["conversation"] = hit.record.conversation
    if isinstance(hit.record, Chunk):
        context |= hit.metadata
    context |= _known_place(hit)
    similarity = hit.score if hit.similarity is None else max(0.0, hit.similarity)
    return SimpleHit(
        source_type=hit.source, source_id=hit.id, content=hit.content, similarity=similarity, context=context
    )


def _known_place(hit: Hit) -> dict[str, Any]:
    if hit.place is None:
        return {}
    place, part = hit.place, hit.parts.place
    distance_km = None if part is None else part.distance_km
    known = {"lat": place.lat, "lng": place.lng, "address": place.address, "place_label": place.label}
    return {name: value for name, value in {**known, "distance_km": distance_km}.items() if value not in (None, "")}
