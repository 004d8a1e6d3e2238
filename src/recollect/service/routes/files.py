"""Files: uploaded documents, and files of synced folders.

No route takes a path of this machine: a client must not make the service read its disk. Which folders are synced is
decided on the machine itself.
"""

import hashlib
from http import HTTPStatus
from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import Path, Query, Request, Response

from recollect.api.memory import UserMemory
from recollect.errors import InvalidInput
from recollect.model.files import AddedFile, FileRecord, FileText
from recollect.model.literals import FileSource
from recollect.model.search import Forgotten
from recollect.service import requests
from recollect.service import responses as out
from recollect.service.body_model import PLAIN_NUMBER, VISIBLE, StrictBody
from recollect.service.idempotency import Reply, run_idempotent
from recollect.service.json_routes import json_router
from recollect.service.multipart import ENVELOPE_BYTES, UploadedDocument, read_upload
from recollect.service.openapi_document import BINARY, FILE_FORM
from recollect.service.request_context import ApiCall, ForgetCall, ReadCall, WithReceipt, WriteCall
from recollect.settings import Settings
from recollect.web.problems import RequestRefused

router = json_router("Files")

FILES_PATH: Final = "/api/files"
LARGEST_MB: Final = 32
LONGEST_NAME: Final = 1_000
_ID: Final = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
_ANYTHING: Final = "application/octet-stream"

FileId = Annotated[str, Path(min_length=1, max_length=100, description="The id of a file.")]

_SENT: Final[dict[str, Any]] = {
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
    200: {"model": out.AddedFileBody, "description": "The very same bytes are kept already."}
}
_ORIGINAL: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"*/*": {"schema": BINARY}}, "description": "The bytes as they were sent."}
}


class DocumentRequest(StrictBody):
    """The fingerprint of an upload, by which a repeated request is recognised."""

    digest: str
    name: str


def most_bytes(settings: Settings) -> int:
    """Give the largest document that is accepted."""
    return min(LARGEST_MB, settings.files.document_mb) * 2**20


def most_sent_bytes(settings: Settings) -> int:
    """Give the largest body with a document in it that is accepted."""
    return most_bytes(settings) + ENVELOPE_BYTES


@router.post(FILES_PATH, status_code=HTTPStatus.CREATED, response_model=out.AddedFileBody,
             responses=_KNOWN, openapi_extra=_SENT)  # fmt: skip
async def add_file(
    *,
    request: Request,
    call: WriteCall,
    name: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=LONGEST_NAME,
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
        call.requester, len(body), lambda: _add(call, read_upload(body, content_type), name, replace=replace)
    )


def _add(call: ApiCall, document: UploadedDocument, name: str | None, *, replace: bool) -> Response:
    most = most_bytes(call.memory.settings)
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
        return Reply(out.dump(out.AddedFileBody, added), HTTPStatus.OK if known else HTTPStatus.CREATED)

    return run_idempotent(
        call,
        "add-file",
        add,
        reply=reply,
        committed=AddedFile,
        request=DocumentRequest(digest=hashlib.sha256(document.content).hexdigest(), name=called),
    )


@router.get(FILES_PATH, response_model=out.FileListingBody)
def list_files(
    *,
    call: ReadCall,
    limit: Annotated[int, Query(ge=1, le=requests.MOST_ITEMS), PLAIN_NUMBER] = 50,
    cursor: Annotated[str | None, Query(pattern=_ID, description="The cursor of the page before.")] = None,
    source: Annotated[
        FileSource | None,
        Query(description="Only files of synced folders of notes or of session logs, or only documents."),
    ] = None,
    since: Annotated[requests.Timestamp | None, Query()] = None,
    until: Annotated[requests.Timestamp | None, Query()] = None,
) -> dict[str, object]:
    """List files, the one that was added last first, and the folders that are kept in step."""
    page = call.me.files.list(limit=limit, cursor=cursor, source=source, since=since, until=until)
    return {"items": page.items, "cursor": page.cursor, "folders": call.me.files.folders(look=False)}


@router.get("/api/files/{id}", response_model=out.FileBody)
def get_file(call: ReadCall, id: FileId) -> FileRecord:
    """Give what is known about a file."""
    return call.me.files.get(id)


@router.get("/api/files/{id}/text", response_model=out.FileTextBody)
def get_file_text(
    call: ReadCall,
    id: FileId,
    lines: Annotated[
        str | None,
        Query(
            pattern=r"^[1-9][0-9]{0,8}-[1-9][0-9]{0,8}$",
            description="The first and the last line that are wanted, counted from 1; without it, all.",
            examples=["12-30"],
        ),
    ] = None,
) -> FileText:
    """Give the text of a file: as it lies on the disk, or from the store when it is gone from there."""
    first, _, last = (lines or "").partition("-")
    return call.me.files.read(call.me.files.get(id).id, (int(first), int(last)) if lines else None)


@router.get("/api/files/{id}/chunks", response_model=out.ChunksBody)
def get_file_chunks(
    call: ReadCall, id: FileId, limit: Annotated[int, Query(ge=1, le=requests.MOST_ITEMS), PLAIN_NUMBER] = 100
) -> out.Items:
    """Give the first pieces of a file, by which it is searched, in order."""
    return out.Items(call.me.files.chunks(id, limit=limit))


@router.get("/api/files/{id}/original", response_class=Response, responses=_ORIGINAL)
def get_file_original(call: ReadCall, id: FileId) -> Response:
    """Give the bytes of a document as they were sent, to be saved and not to be shown."""
    file = call.me.files.get(id)
    content = call.me.files.original(file.id)
    # the header in full, or the framework would add a charset, which is not known
    return Response(content, headers={"Content-Type": file.mime, "Content-Disposition": _attachment(file.path)})


def _attachment(path: str) -> str:
    """Name the file to save; old clients read the first form, all others the second."""
    name = path.replace("\\", "/").rpartition("/")[2]
    plain = "".join(sign if sign.isascii() and sign.isprintable() and sign not in '"%;' else "_" for sign in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='', errors='replace')}"


@router.delete("/api/files/{id}", response_model=out.ForgottenBody)
def delete_file(call: ForgetCall, id: FileId, *, receipt: WithReceipt = False) -> Response:
    """Forget a file for good, with its text and its original. What lies in a synced folder stays there."""
    return run_idempotent(
        call,
        "forget",
        lambda me: me.forget(me.files.get(id).id, receipt=receipt),  # a file, nothing else; raises NotFound
        reply=lambda forgotten: Reply(out.dump(out.ForgottenBody, forgotten)),
        committed=Forgotten,
    )
