"""Response bodies, derived from the frozen values of the model.

`body` makes a pydantic model with the fields of a value: the description and the encoder of one component of the
OpenAPI document, described in openapi.json. A route returns the value itself; its body reads the attributes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, replace
from dataclasses import fields as dataclass_fields
from datetime import datetime
from functools import reduce
from http import HTTPStatus
from operator import or_
from types import GenericAlias, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from fastapi import Query, Response
from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, create_model

from recollect.authorization import Key
from recollect.model.backups import ImportReport, Skipped
from recollect.model.files import Chunk, FilePage, FileRecord
from recollect.model.insights import Cluster, Clusters, DuplicatePair, Insights, Tidying
from recollect.model.literals import FileSource, FileState, Permission, Source
from recollect.model.media import Media
from recollect.model.memories import Doubt, MemoryRecord, Page, Remembered
from recollect.model.messages import Appended, Compaction, ConversationInfo, Message, ToolCall, Window
from recollect.model.places import Located, NamedPlace, PlacePart, PlaceSummary
from recollect.model.readings import (
    Captured,
    ExplainedReading,
    MemoryOrigin,
    Need,
    Reading,
    SkippedStatement,
    Statement,
    TaughtMemory,
    TextSpan,
)
from recollect.model.receipts import AuditPosition, ErasureCheck, ErasureFinding, OlderBackup, Receipt
from recollect.model.scopes import Membership, SharedScope
from recollect.model.search import (
    About,
    ChannelPart,
    Correction,
    Forgotten,
    ForgottenItem,
    Hit,
    Place,
    PlaceContents,
    PromptContext,
    Recall,
    Reranking,
    RerankPart,
    ScoreParts,
    TurnOutcome,
)
from recollect.model.stats import AuditLine, SearchFigures, Stats, Status, TimelineBucket
from recollect.service.body_model import DESCRIPTIONS
from recollect.service.json_routes import JSON
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
    made: type[ResponseBody] = create_model(title, __base__=ResponseBody, __doc__=DESCRIPTIONS[title], **defined)  # type: ignore[call-overload]
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


def answer(
    shape: type[BaseModel], value: object, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None
) -> Response:
    """Make the HTTP response that says a value as the JSON of its body."""
    return Response(dump(shape, value), status, headers, JSON)


def at(*path: str) -> Any:  # noqa: ANN401 - a Field
    """Take a field from inside of a value."""
    return Field(validation_alias=AliasPath(*path))


def _if_known(*path: str) -> Any:  # noqa: ANN401 - a Field
    """Take a field from inside of a value, and leave it out where there is nothing."""
    return Field(default=None, validation_alias=AliasPath(*path), exclude_if=lambda value: value in (None, "", [], ()))


class ProblemDocument(BaseModel):
    """An error, as RFC 9457 has it."""

    model_config = ConfigDict(title="Problem")

    type: str = Field(examples=["about:blank"])
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["No memory 01a1dfdf-9755-700c-8ecf-655f449c5cac."])


MediaAnswerBody = body("MediaAnswer", Media)
MemoryBody = body(
    "MemoryBody",
    MemoryRecord,
    left_out=(list[str] | None, _if_known("left_out")),
    kept_secret=(list[str] | None, _if_known("kept_secret")),
)
MemoryPageBody = body("MemoryPage", Page, defaults={"cursor": None})
MemoriesBody = body("Memories", items=tuple[MemoryRecord, ...])
DoubtBody = body("DoubtBody", Doubt)
DoubtsBody = body("Doubts", items=tuple[Doubt, ...])
ClusterBody = body("ClusterBody", Cluster)
DuplicatePairBody = body("DuplicatePairBody", DuplicatePair)
ClustersBody = body("ClustersBody", Clusters)
RememberedBody = body(
    "RememberedBody",
    Remembered,
    defaults={name: Field(default_factory=list) for name in ("degraded", "left_out", "kept_secret", "taken_over")}
    | {"existing_id": None},
)
RememberedManyBody = body("RememberedMany", results=tuple[Remembered, ...])

StoredToolCallBody = body("ToolCallAnswer", ToolCall)
StoredMessageBody = body("MessageAnswer", Message)
StoredMessagesBody = body("MessagesAnswer", items=tuple[Message, ...])
ChunkBody = body("ChunkBody", Chunk)
ChunksBody = body("Chunks", items=tuple[Chunk, ...])
PlaceBody = body("PlaceBody", Place)
PlaceShareBody = body("PlaceShare", PlacePart)
RerankShareBody = body("RerankShare", RerankPart)
ChannelPartBody = body("ChannelPartBody", ChannelPart)
ScorePartsBody = body("ScorePartsBody", ScoreParts)
RerankingBody = body("Reranking", Reranking)
CorrectionBody = body("CorrectionBody", Correction)
HitBody = body(
    "HitBody",
    Hit,
    omit=("parts", "record"),
    conversation=(str | None, Field(default=None, validation_alias=AliasPath("record", "conversation"))),
    subject=(str | None, _if_known("record", "subject")),
    key=(str | None, _if_known("record", "key")),
    value=(str | None, _if_known("record", "value")),
    context=(str | None, _if_known("record", "context")),
    confidence=(float | None, _if_known("record", "confidence")),
    learned_from=(str | None, _if_known("learned_from")),
    participants=(list[str] | None, _if_known("participants")),
    media=(tuple[Media, ...] | None, _if_known("media")),
    speaker=(str | None, _if_known("record", "speaker")),
    channel=(str | None, _if_known("channel")),
    lat=(float | None, _if_known("place", "lat")),
    lng=(float | None, _if_known("place", "lng")),
    address=(str | None, _if_known("place", "address")),
    place_label=(str | None, _if_known("place", "label")),
    distance_km=(float | None, _if_known("parts", "place", "distance_km")),
    place_share=(PlacePart | None, _if_known("parts", "place")),
    corrected=(tuple[Correction, ...] | None, _if_known("corrected")),
    on_disk=(FileState | None, _if_known("on_disk")),
    reranked=(RerankPart | None, _if_known("parts", "rerank")),
    item=(MemoryRecord | Message | Chunk | None, _if_known("item")),  # of a `WholeHit`
    score_parts=(ScoreParts | None, _if_known("score_parts")),
)
RecallBody = body("RecallBody", Recall, omit=("reranking",), reranking=(Reranking | None, _if_known("reranking")))
ForgottenItemBody = body("ForgottenItemBody", ForgottenItem)
AuditPositionBody = body("AuditPositionBody", AuditPosition)
ReceiptBody = body("ReceiptBody", Receipt)
# What is still to be erased is the state of the store (`status`), so a repeated request is answered alike.
ForgottenBody = body("ForgottenBody", Forgotten, defaults={"files": 0, "receipt": None}, omit=("pending",))
ErasureFindingBody = body("ErasureFindingBody", ErasureFinding)
OlderBackupBody = body("OlderBackupBody", OlderBackup)
ErasureCheckBody = body("ErasureCheckBody", ErasureCheck, erased=bool)
AboutBody = body("AboutBody", About)

AppendedBody = body("AppendedBody", Appended, omit=("message",), id=str | None, left_out=list[str])
AppendedManyBody = body("AppendedMany", results=tuple[Appended, ...])
ConversationBody = body("ConversationBody", ConversationInfo)
ConversationPageBody = body(
    "ConversationPage", items=tuple[ConversationInfo, ...], cursor=str | None, defaults={"cursor": None}
)
ConversationDetailBody = body(
    "ConversationAnswer",
    conversation=ConversationInfo,
    messages=tuple[Message, ...],
    cursor=str | None,
    defaults={"cursor": None},
)
WindowBody = body("WindowBody", Window, omit=("max_tokens",))
CompactionBody = body("CompactionBody", Compaction, omit=("usage",))
SummaryBody = body("SummaryBody", summary=Message | None)
TaughtMemoryBody = body("TaughtMemoryBody", TaughtMemory)
LearnedBody = body("Learned", items=tuple[TaughtMemory, ...])
PrivateBody = body("PrivateAnswer", id=str, private=bool)
PromptBody = body("PromptBody", PromptContext)
TurnBody = body("TurnBody", TurnOutcome)
SessionBody = body("SessionBody", summary=Remembered | None)

SpanBody = body("SpanBody", TextSpan)
MemoryOriginBody = body("MemoryOriginBody", MemoryOrigin)
OriginsBody = body("Origins", items=tuple[MemoryOrigin, ...])
NeedBody = body("NeedBody", Need)
StatementBody = body("StatementBody", Statement)
MessageReadingBody = body("MessageReading", Reading, omit=("usage",))
CapturedBody = body("CapturedBody", Captured)
SkippedStatementBody = body("SkippedStatementBody", SkippedStatement)
ExplainedReadingBody = body("ExplainedReadingBody", ExplainedReading)

FileBody = body(
    "FileBody",
    FileRecord,
    omit=("mtime_ns", "ctime_ns", "inode", "recipe"),
    cut=bool,
    original=Annotated[bool, BeforeValidator(bool)],
)
_FOLDER: Final[dict[str, Any]] = {
    "root": (str, at("folder", "root")),
    "source": (FileSource, at("folder", "source")),
    "files": int,
    "chunks": int,
    "scanned_at": (datetime, at("folder", "scanned_at")),
    "completed_at": (datetime | None, at("folder", "completed_at")),
    "trouble": (dict[str, int], at("folder", "trouble")),
}
FolderBody = body("FolderBody", **_FOLDER)
WatchedFolderBody = body("WatchedFolder", **_FOLDER, drift=int | None)
FileListingBody = body(
    "FileListing",
    FilePage,
    defaults={"cursor": None},
    folders=tuple[FolderBody, ...],  # type: ignore[valid-type] # a body, made above
)
SkippedBody = body("SkippedBody", Skipped)
ImportedBody = body("ImportedBody", ImportReport, omit=("path", "waiting"))
FileTextBody = body(
    "FileTextBody",
    id=(str, at("file", "id")),
    path=(str, at("file", "path")),
    first=int,
    last=int,
    lines=(int, at("file", "lines")),
    text=str,
    origin=Literal["disk", "store"],
    current=bool,
)

PlaceSummaryBody = body("PlaceSummaryBody", PlaceSummary)
PlacesBody = body("Places", items=tuple[PlaceSummary, ...])
PlaceContentsBody = body("PlaceContentsBody", PlaceContents)
NamedPlaceBody = body("NamedPlaceBody", NamedPlace)
NamedPlacesBody = body("NamedPlaces", items=tuple[NamedPlace, ...])
ForgottenNameBody = body("ForgottenName", name=str)
LocatedBody = body("LocatedBody", Located)
LocatedManyBody = body("LocatedMany", items=tuple[Located, ...])

MembershipBody = body("MembershipBody", Membership)
MembershipsBody = body("Memberships", items=tuple[Membership, ...])
SharedScopeBody = body("SharedScopeBody", SharedScope)
SharedScopesBody = body("SharedScopes", items=tuple[SharedScope, ...])

PageLoginBody = body(
    "PageLogin",
    user=str,
    default_user=str,
    scopes=tuple[Permission, ...],
    csrf=str,
    expires_at=datetime | None,
    version=str,
)
PageSessionBody = body(
    "PageSession",
    id=str,
    name=str,
    user=str,
    opened_at=datetime,
    expires_at=datetime | None,
    last_used_at=datetime | None,
    this_one=bool,
)
SessionsBody = body("PageSessions", items=tuple[PageSessionBody, ...])  # type: ignore[valid-type]

TimelineBucketBody = body("TimelineBucketBody", TimelineBucket)
TimelineBody = body("Timeline", items=tuple[TimelineBucket, ...])

LiveBody = body("Live", status=Literal["alive"], defaults={"status": "alive"})
ReadyBody = body("Ready", Readiness)
UserStatsBody = body(
    "UserStats", Stats, searches=tuple[SearchFigures, ...], defaults={**_own_defaults(Stats), "searches": ()}
)
KeyBody = body("ApiKey", Key)
KeysBody = body("ApiKeys", items=tuple[KeyBody, ...])  # type: ignore[valid-type]
AuditLogBody = body("AuditLog", items=tuple[AuditLine, ...])
InsightsBody = body("Insights", Insights)
TidyingBody = body("Tidying", Tidying, omit=("pending",))
ServiceStatusBody = body(
    "ServiceStatus",
    Status,
    defaults={**_own_defaults(Status), "folders": ()},
    folders=tuple[WatchedFolderBody, ...],  # type: ignore[valid-type] # a body, made above
)


Whole = Annotated[bool, Query(description="Show hits with the whole item and the parts of the score.")]


class WholeHit:
    """A hit that is shown with the whole item and the parts of its score, for clients that ask for them."""

    def __init__(self, hit: Hit) -> None:
        self._hit = hit
        self.item = hit.record
        self.score_parts = hit.parts

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the hit's own
        """Give what the hit has."""
        return getattr(self._hit, name)


Searched = TypeVar("Searched", Recall, About, PromptContext)


def with_records(result: Searched, *, whole: bool) -> Searched:
    """Show the hits of a search whole, if that is asked for."""
    return replace(result, hits=_whole(result.hits)) if whole else result


def with_candidates(forgotten: Forgotten, *, whole: bool) -> Forgotten:
    """Show what might be forgotten whole, if that is asked for."""
    return replace(forgotten, candidates=_whole(forgotten.candidates)) if whole else forgotten


def _whole(hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    return cast("tuple[Hit, ...]", tuple(WholeHit(hit) for hit in hits))


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
    known = {name: getattr(hit.record, name, "") for name in ("subject", "key", "value", "confidence", "speaker")}
    known |= {name: getattr(hit, name) for name in ("learned_from", "participants", "channel")}
    context |= {name: value for name, value in known.items() if value not in ("", ())}
    if hit.corrected:
        context["corrected"] = [one.mark(whole=False) for one in hit.corrected]
    if isinstance(hit.record, Message):
        context["conversation"] = hit.record.conversation
    if hit.on_disk:
        context["on_disk"] = hit.on_disk
    if isinstance(hit.record, Chunk):
        context |= hit.metadata
    if hit.place is not None:
        place, part = hit.place, hit.parts.place
        where = {"lat": place.lat, "lng": place.lng, "address": place.address, "place_label": place.label}
        where["distance_km"] = None if part is None else part.distance_km
        context |= {name: value for name, value in where.items() if value not in (None, "")}
    similarity = hit.score if hit.similarity is None else max(0.0, hit.similarity)
    return SimpleHit(
        source_type=hit.source, source_id=hit.id, content=hit.content, similarity=similarity, context=context
    )
