"""Uploads: documents, by themselves or in a form (`multipart/form-data`, RFC 7578), and originals of media.

No route takes a path of this machine: a client must not make the service read its disk. Which folders are synced is
decided on the machine itself. A body is in memory already and of a bounded size, and is scanned once; what is not
exactly one file called `file` is refused.
"""

import hashlib
import re
from collections.abc import Mapping
from email.message import Message
from http import HTTPStatus
from typing import Annotated, Any, Final, NamedTuple

from fastapi import Query, Request, Response
from pydantic import Field

from recollect.api.memory import UserMemory
from recollect.errors import InvalidInput
from recollect.model.files import AddedAction, AddedFile
from recollect.model.literals import FileKind
from recollect.model.media import Media
from recollect.service import responses as out
from recollect.service.body_model import VISIBLE, StrictBody
from recollect.service.idempotency import Reply, run_idempotent
from recollect.service.json_routes import json_router
from recollect.service.openapi_document import BINARY, FILE_FORM
from recollect.service.request_context import ApiCall, WriteCall
from recollect.settings import Settings
from recollect.web.problems import RequestRefused

ENVELOPE_BYTES: Final = 64 * 1024  # what a form may have around its file
_FORM: Final = "multipart/form-data"
_PART: Final = "file"
_LONGEST_HEAD: Final = 4_096
_LONGEST_TYPE: Final = 1_000
_END_OF_HEAD: Final = b"\r\n\r\n"
_BOUNDARY: Final = re.compile(r"[\x20-\x7e]{0,69}[\x21-\x7e]")

documents = json_router("Files")
originals = json_router("Media")

_FILES: Final = "/api/files"
_MEDIA: Final = "/api/media"
_LARGEST_MB: Final = 32
_LONGEST_NAME: Final = 1_000
_ANYTHING: Final = "application/octet-stream"

AddedFileBody = out.body(
    "AddedFileBody",
    action=AddedAction,  # and not what it is called: another request may have sent it under another name
    id=(str, out.at("file", "id")),
    kind=(FileKind, out.at("file", "kind")),
    mime=(str, out.at("file", "mime")),
    lines=(int, out.at("file", "lines")),
    chunks=(int, out.at("file", "chunks")),
    cut=(bool, out.at("file", "cut")),
    notes=(list[str], out.at("file", "notes")),
    degraded=(list[str], Field(default_factory=list)),
    left_out=(list[str], Field(default_factory=list)),
)

_DOCUMENT: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "description": "The bytes of the document, whatever its type is said to be; or a form with one part, `file`.",
        "content": {
            "multipart/form-data": {"schema": FILE_FORM},  # first, or a generated client does not compile
            _ANYTHING: {"schema": BINARY},
        },
    }
}
_KNOWN: Final[dict[int | str, dict[str, Any]]] = {
    200: {"model": AddedFileBody, "description": "The very same bytes are kept already."}
}
_MEDIUM: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "description": "The bytes, whatever their type is said to be.",
        "content": {_ANYTHING: {"schema": BINARY}},
    }
}


class UploadedDocument(NamedTuple):
    """An uploaded document. Without a form around it, the request has to say its name."""

    name: str
    content: bytes


def read_upload(body: bytes, content_type: str) -> UploadedDocument:
    """Take a document out of the form it was sent in, if it is in one. Raises Refused."""
    head = _header("content-type", content_type[:_LONGEST_TYPE])
    if head.get_content_type() != _FORM:
        return UploadedDocument("", body)
    try:
        boundary = head.get_boundary("")
    except ValueError as error:  # a parameter may name an encoding that cannot decode it
        raise _unreadable("its boundary cannot be decoded") from error
    if not _BOUNDARY.fullmatch(boundary):
        raise _unreadable("it names no boundary")
    return _only_file(body, boundary.encode())


def _only_file(body: bytes, boundary: bytes) -> UploadedDocument:
    """Find the only part, between the first delimiter and the last one."""
    opening = b"--" + boundary
    if not body.startswith(opening + b"\r\n"):
        raise _unreadable("it does not begin with its boundary")
    begin = len(opening) + 2
    head_end = body.find(_END_OF_HEAD, begin, begin + _LONGEST_HEAD)
    if head_end < 0:
        raise _unreadable("its first part has no end of its head")
    start = head_end + len(_END_OF_HEAD)
    delimiter = re.compile(re.escape(b"\r\n" + opening) + rb"(--|[ \t]*\r\n)").search(body, start)
    if delimiter is None:
        raise _unreadable("it ends in the middle of a part")
    if delimiter[1] != b"--":
        raise _unreadable("it has more than one part")
    return UploadedDocument(_name(body[begin:head_end]), body[start : delimiter.start()])


def _name(head: bytes) -> str:
    """Read the name of the file from the head of its part, without folders."""
    lines = head.decode("utf-8", "replace").split("\r\n")
    dispositions = [line.partition(":")[2].strip() for line in lines if line.lower().startswith("content-disposition:")]
    disposition = _header("content-disposition", dispositions[0] if len(dispositions) == 1 else "")
    try:
        name, filename = disposition.get_param("name", header="content-disposition"), disposition.get_filename("")
    except ValueError as error:
        raise _unreadable("the name of its file cannot be decoded") from error
    if name != _PART:
        raise _unreadable(f"its part is not called `{_PART}`")
    filename = filename.replace("%22", '"')  # browsers spell this one so
    return filename.replace("\\", "/").rpartition("/")[2]


def _header(name: str, value: str) -> Message:
    head = Message()
    head[name] = value
    return head


def _unreadable(why: str) -> RequestRefused:
    return RequestRefused(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        f"The form cannot be read: {why}. Send one file in a part called `{_PART}`, or the bytes of the document by "
        "themselves, with `name` in the query.",
    )


class DocumentRequest(StrictBody):
    """The fingerprint of an upload, by which a repeated request is recognised."""

    digest: str
    name: str


class MediaRequest(StrictBody):
    """The fingerprint of a medium, by which a repeated request is recognised."""

    digest: str


def largest(settings: Settings) -> Mapping[str, int]:
    """Give the largest bodies that are accepted, by path."""
    return {_FILES: _largest_document(settings) + ENVELOPE_BYTES, _MEDIA: _largest_medium(settings)}


def _largest_document(settings: Settings) -> int:
    return min(_LARGEST_MB, settings.files.document_mb) * 2**20


def _largest_medium(settings: Settings) -> int:
    return min(_LARGEST_MB, settings.files.media_mb) * 2**20


@documents.post(_FILES, status_code=HTTPStatus.CREATED, response_model=AddedFileBody,
                responses=_KNOWN, openapi_extra=_DOCUMENT)  # fmt: skip
async def add_file(
    *,
    request: Request,
    call: WriteCall,
    name: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=_LONGEST_NAME,
            pattern=VISIBLE,
            description="What it is called; without it, a form has to say so.",
            examples=["setup.md"],
        ),
    ] = None,
    replace: Annotated[
        bool, Query(description="Forget what was sent under the same name before; the key needs `forget` for that.")
    ] = False,
) -> Response:
    """Add a document: Markdown, text, code, PDF, HTML, DOCX, e-mail, CSV or an image.

    What it is, is found out by what is in it. It is read in a process of its own, with bounds on memory and time; one
    that cannot be read is refused with 422, and `detail` says why. The same bytes are kept once. Of one with more
    pieces than `files.most_pieces` only the first are searched: then `cut` is true, and `notes` say how many. The
    rate limit counts the pieces.
    """
    if replace:
        call.require("forget")
    body, content_type = await request.body(), request.headers.get("content-type", "")
    return await call.admission.read_document(
        call.requester, len(body), lambda: _add_document(call, read_upload(body, content_type), name, replace=replace)
    )


def _add_document(call: ApiCall, document: UploadedDocument, name: str | None, *, replace: bool) -> Response:
    most = _largest_document(call.memory.settings)
    if len(document.content) > most:
        large = f"The document is larger than {most:,} bytes. Split it."
        raise RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, large)
    called = name or document.name
    if not called:
        raise InvalidInput("The document has no name. Say what it is called: ?name=setup.md.")

    def add(me: UserMemory) -> AddedFile:
        # its words are found at once; a long document's vectors would take minutes, and follow
        added = me.files.add(document.content, name=called, replace=replace, wait=False)
        if added.action != "duplicate":
            call.admission.owe_pieces(call.requester, len(document.content), added.file.chunks)
        return added

    def reply(added: AddedFile) -> Reply:
        known = added.action == "duplicate"
        return Reply(out.dump(AddedFileBody, added), HTTPStatus.OK if known else HTTPStatus.CREATED)

    return run_idempotent(
        call,
        "add-file",
        add,
        reply=reply,
        committed=AddedFile,
        request=DocumentRequest(digest=hashlib.sha256(document.content).hexdigest(), name=called),
    )


@originals.post(_MEDIA, status_code=HTTPStatus.CREATED, response_model=out.MediaAnswerBody, openapi_extra=_MEDIUM)
async def add_media(*, request: Request, call: WriteCall) -> Response:
    """Store the bytes of a picture, sound or film. Send the answer, with a caption, as `media` of a memory or message.

    What it is, is told by its bytes; of a photo also its size, its words and its place. What no memory or message has
    after an hour is removed.
    """
    data = await request.body()
    return await call.admission.read_document(call.requester, 0, lambda: _add_medium(call, data))


def _add_medium(call: ApiCall, data: bytes) -> Response:
    most = _largest_medium(call.memory.settings)
    if len(data) > most:
        raise RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"It is larger than {most:,} bytes. Make it smaller.")
    return run_idempotent(
        call,
        "add-media",
        lambda me: me.media.add(data),
        reply=lambda added: Reply(out.dump(out.MediaAnswerBody, added), HTTPStatus.CREATED),
        committed=Media,
        request=MediaRequest(digest=hashlib.sha256(data).hexdigest()),
    )
