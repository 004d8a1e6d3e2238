"""Files: documents that are sent here, and those of folders that the service keeps in step itself.

No route takes a path of the machine the service runs on: a client must not make it read its disk. Which folders are
synced is for whoever sits at that machine.
"""

import hashlib
from http import HTTPStatus
from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import Path, Query, Request, Response

from recollect.api.memory import UserMemory
from recollect.errors import InvalidInput
from recollect.model.files import AddedFile
from recollect.model.literals import FileSource
from recollect.model.search import Forgotten
from recollect.service import answered as out
from recollect.service import answered_files as shown_files
from recollect.service import asked
from recollect.service.calls import Call, Forgetting, Reading, Shown, Work, Writing, carry_out, only
from recollect.service.direct import direct
from recollect.service.parts import ENVELOPE_BYTES, Sent, unpacked
from recollect.service.strict import BARE, VISIBLE, Body
from recollect.service.uploads import Uploads
from recollect.settings import Settings
from recollect.web.problems import Refused

router = direct("Files")

ADDRESS: Final = "/api/files"
LARGEST_MB: Final = 32
LONGEST_NAME: Final = 1_000
_ID: Final = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
_BINARY: Final = {"type": "string", "format": "binary"}
_ANYTHING: Final = "application/octet-stream"

Id = Annotated[str, Path(min_length=1, max_length=100, description="The id of a file.")]

_SENT: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "description": "The bytes of the document, whatever its type is said to be; or a form with one part, `file`.",
        "content": {
            _ANYTHING: {"schema": _BINARY},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"file": _BINARY},
                    "required": ["file"],
                    "additionalProperties": False,
                }
            },
        },
    }
}
_KNOWN: Final[dict[int | str, dict[str, Any]]] = {
    200: {"model": shown_files.AddedFileBody, "description": "The very same bytes are kept already."}
}
_ORIGINAL: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"*/*": {"schema": _BINARY}}, "description": "The bytes as they were sent."}
}


class DocumentSent(Body):
    """What tells one document that is sent from another, so that the same request can be known again."""

    digest: str
    name: str


def most_bytes(settings: Settings) -> int:
    """Give how large a document may be."""
    return min(LARGEST_MB, settings.files.document_mb) * 2**20


def most_sent_bytes(settings: Settings) -> int:
    """Give how large a body with a document in it may be."""
    return most_bytes(settings) + ENVELOPE_BYTES


@router.post(ADDRESS, status_code=HTTPStatus.CREATED, response_model=shown_files.AddedFileBody,
             responses=_KNOWN, openapi_extra=_SENT)  # fmt: skip
async def add(
    *,
    request: Request,
    call: Writing,
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
    that cannot be read is refused with 422, and `detail` says why. The same bytes are kept once.
    """
    if replace:
        call.insist_on("forget")
    body, content_type = await request.body(), request.headers.get("content-type", "")
    uploads: Uploads = request.app.state.uploads
    return await uploads.take(lambda: _add(call, unpacked(body, content_type), name, replace=replace))


def _add(call: Call, sent: Sent, name: str | None, *, replace: bool) -> Response:
    most = most_bytes(call.memory.settings)
    if len(sent.content) > most:
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The document is larger than {most:,} bytes. Split it.")
    called = name or sent.name
    if not called:
        raise InvalidInput("The document has no name. Say what it is called: ?name=setup.md.")

    def show(value: AddedFile) -> Shown:
        known = value.action == "duplicate"
        return Shown(shown_files.added(value), HTTPStatus.OK if known else HTTPStatus.CREATED)

    same = DocumentSent(digest=hashlib.sha256(sent.content).hexdigest(), name=called)

    # its words are found at once; a long document's vectors would take minutes, and follow
    def add(me: UserMemory) -> AddedFile:
        return me.files.add(sent.content, name=called, replace=replace, wait=False)

    return carry_out(call, Work("add-file", show, only(AddedFile, show)), same, add)


@router.get(ADDRESS)
def listing(
    *,
    call: Reading,
    limit: Annotated[int, Query(ge=1, le=asked.MOST_ITEMS), BARE] = 50,
    cursor: Annotated[str | None, Query(pattern=_ID, description="The cursor of the page before.")] = None,
    source: Annotated[
        FileSource | None,
        Query(description="Only files of synced folders of notes or of session logs, or only documents."),
    ] = None,
) -> shown_files.FileListing:
    """List files, the one that was added last first, and the folders that are kept in step."""
    page = call.me.files.list(limit=limit, cursor=cursor, source=source)
    return shown_files.listing(page, call.me.files.folders(look=False))


@router.get("/api/files/{id}")
def get(call: Reading, id: Id) -> shown_files.FileBody:
    """Give what is known about a file."""
    return shown_files.file_body(call.me.files.get(id))


@router.get("/api/files/{id}/text")
def text(
    call: Reading,
    id: Id,
    lines: Annotated[
        str | None,
        Query(
            pattern=r"^[1-9][0-9]{0,8}-[1-9][0-9]{0,8}$",
            description="The first and the last line that are wanted, counted from 1; without it, all.",
            examples=["12-30"],
        ),
    ] = None,
) -> shown_files.FileTextBody:
    """Give the text of a file: as it lies on the disk, or from the store when it is gone from there."""
    wanted = None
    if lines is not None:
        first, _, last = lines.partition("-")
        wanted = int(first), int(last)
    return shown_files.text_body(call.me.files.read(call.me.files.get(id).id, wanted))


@router.get("/api/files/{id}/original", response_class=Response, responses=_ORIGINAL)
def original(call: Reading, id: Id) -> Response:
    """Give the bytes of a document as they were sent, to be saved and not to be shown."""
    file = call.me.files.get(id)
    content = call.me.files.original(file.id)
    # named here in full, or the framework would add which letters it is in, which nobody knows
    return Response(content, headers={"Content-Type": file.mime, "Content-Disposition": _attached(file.path)})


def _attached(name: str) -> str:
    """Say under which name to save something; old clients read the first form, all others the second."""
    last = name.replace("\\", "/").rpartition("/")[2]
    plain = "".join(sign if sign.isascii() and sign.isprintable() and sign not in '"%;' else "_" for sign in last)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(last, safe='', errors='replace')}"


@router.delete("/api/files/{id}", response_model=out.ForgottenBody)
def delete(call: Forgetting, id: Id) -> Response:
    """Forget a file for good, with its text and its original. What lies in a synced folder stays there."""

    def show(value: Forgotten) -> Shown:
        return Shown(out.forgotten(value))

    def verb(me: UserMemory) -> Forgotten:
        return me.forget(me.files.get(id).id)  # a file, nothing else; raises NotFound

    return carry_out(call, Work("forget", show, only(Forgotten, show)), None, verb)
