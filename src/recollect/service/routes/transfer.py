"""Export and import of one's own memory, as a file."""

import tempfile
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import Query, Request, Response
from fastapi.responses import StreamingResponse

from recollect.api.backups import import_own
from recollect.api.memory import AuditedWrite
from recollect.errors import InvalidInput
from recollect.service import responses as out
from recollect.service.json_routes import json_router
from recollect.service.openapi_document import BINARY
from recollect.service.request_context import ApiCall, ReadCall, WriteCall
from recollect.web.problems import RequestRefused

router = json_router("Export")

IMPORT_PATH: Final = "/api/import"
MOST_BYTES: Final = 32 * 2**20
_ZIP: Final = "application/zip"
_PIECE: Final = 256 * 1024
_ARCHIVE: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {_ZIP: {"schema": BINARY}}, "description": "The file."}
}
_SENT: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "description": "The bytes of a file that an export gave.",
        "content": {"application/octet-stream": {"schema": BINARY}},  # whatever its type is said to be
    }
}


@router.get("/api/export", response_class=Response, responses=_ARCHIVE)
async def export_archive(
    *,
    call: ReadCall,
    vectors: Annotated[bool, Query(description="Take the vectors along; otherwise they are made anew.")] = False,
    readable: Annotated[bool, Query(description="Markdown for people instead, which cannot be imported.")] = False,
) -> Response:
    """Give everything of the user in one file, which any store can import.

    Memories with their history, conversations, files with their originals, places. With an admin's key also what keeps
    the forgotten from coming back elsewhere.
    """
    return await call.admission.read_document(
        call.requester, 0, lambda: _export(call, vectors=vectors, readable=readable)
    )


def _export(call: ApiCall, *, vectors: bool, readable: bool) -> Response:
    """Write the file to the disk first: a client that reads slowly holds up nothing."""
    folder = tempfile.TemporaryDirectory(prefix="recollect-export-")
    try:
        path = Path(folder.name, "export.zip")
        tombstones = call.principal.may("admin")
        report = call.me.export(path, vectors=vectors, readable=readable, tombstones=tombstones)
        file = path.open("rb")
    finally:
        folder.cleanup()  # the file stays until it is closed

    def pieces() -> Iterator[bytes]:
        with file:
            while piece := file.read(_PIECE):
                yield piece

    name = quote(f"{call.scope or call.user_id}{'-readable' if readable else ''}.zip", safe="", errors="replace")
    headers = {
        "Content-Disposition": f"attachment; filename=\"export.zip\"; filename*=UTF-8''{name}",
        "Content-Length": str(report.bytes),
        "Cache-Control": "no-store",
    }
    return StreamingResponse(pieces(), media_type=_ZIP, headers=headers)


@router.post(IMPORT_PATH, response_model=out.ImportedBody, openapi_extra=_SENT)
async def import_archive(
    *,
    request: Request,
    call: WriteCall,
    of_user: Annotated[
        str | None, Query(min_length=1, max_length=512, description="Who is meant, if the file is of several users.")
    ] = None,
    dry_run: Annotated[bool, Query(description="Check the file and say what is in it; store nothing.")] = False,
) -> Response:
    """Bring a file that an export gave into the memory of the user, whatever the user was called there.

    Importing twice adds nothing, and nothing that is there is changed. A damaged file is refused with 422 before
    anything is stored. Larger files are imported on the machine of the service, with `recollect import`.
    """
    body = await request.body()
    return await call.admission.read_document(
        call.requester, len(body), lambda: _import(call, body, of_user, dry_run=dry_run)
    )


def _import(call: ApiCall, body: bytes, of_user: str | None, *, dry_run: bool) -> Response:
    if len(body) > MOST_BYTES:
        large = f"The file is larger than {MOST_BYTES:,} bytes. Import it with `recollect import`."
        raise RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, large)
    me = call.audited(AuditedWrite(call.principal.id, "import"))
    with tempfile.TemporaryDirectory(prefix="recollect-import-") as folder:
        path = Path(folder, "body.zip")
        path.write_bytes(body)
        tombstones = call.principal.may("admin")
        try:
            report = import_own(me, path, of_user=of_user, dry_run=dry_run, tombstones=tombstones)
        except InvalidInput as error:  # of which the client need not know where it lay
            raise type(error)(str(error).replace(str(path), "The file")) from error
    return out.answer(out.ImportedBody, report)
