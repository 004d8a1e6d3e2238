"""Uploads: documents, and the originals of pictures, sounds and films.

No route takes a path of this machine: a client must not make the service read its disk. Which folders are synced is
decided on the machine itself.
"""

import hashlib
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any, Final

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
from recollect_files.doors.multipart import ENVELOPE_BYTES, UploadedDocument, read_upload

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
