"""Files that are stored: documents, and files of synced folders; originals of media that memories and messages have.

The invariant: a browser shows pictures, sounds and films of a few formats, told by their bytes; everything else is to
be saved. Nothing is fetched from anywhere.
"""

from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import Path, Query, Response

from recollect import plugins
from recollect.model.files import FileRecord, FileText
from recollect.model.literals import FileSource
from recollect.model.search import Forgotten
from recollect.service import requests
from recollect.service import responses as out
from recollect.service.idempotency import run_idempotent
from recollect.service.json_routes import json_router
from recollect.service.openapi_document import BINARY
from recollect.service.request_context import ForgetCall, ReadCall, WithReceipt

router = json_router("Files")
media = json_router("Media")

FileId = Annotated[str, Path(min_length=1, max_length=100, description="The id of a file.")]

_ANYTHING: Final = "application/octet-stream"

# What a browser may show. No format of these can hold a script.
_SHOWN: Final = frozenset(
    {
        *("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"),
        *("audio/mpeg", "audio/ogg", "audio/flac", "audio/wav", "audio/mp4", "audio/aac"),
        *("video/mp4", "video/webm", "video/ogg"),
    }
)
_ORIGINAL: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"*/*": {"schema": BINARY}}, "description": "The bytes as they were sent."}
}


@router.get("/api/files", response_model=out.FileListingBody)
def list_files(
    *,
    call: ReadCall,
    limit: requests.QueryLimit = 50,
    cursor: requests.PageCursor = None,
    source: Annotated[
        FileSource | None,
        Query(description="Only files of synced folders of notes or of session logs, or only documents."),
    ] = None,
    since: requests.QueryTime = None,
    until: requests.QueryTime = None,
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
def get_file_chunks(call: ReadCall, id: FileId, limit: requests.QueryLimit = 100) -> out.Items:
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
        reply=out.ForgottenBody,
        committed=Forgotten,
    )


@media.get("/api/media/{original}", response_class=Response, responses=_ORIGINAL)
def get_media(
    call: ReadCall,
    original: Annotated[str, Path(min_length=64, max_length=64, description="The SHA-256 of the bytes.")],
) -> Response:
    """Give the bytes of a medium that a memory or message has. What a browser cannot show safely is to be saved."""
    data = call.me.media.original(original)
    detected = [detect(data)[1] for detect in plugins.installed("adapters", "media_type")]
    mime = detected[0] if detected else _ANYTHING
    shown = mime in _SHOWN
    headers = {
        "Content-Type": mime if shown else _ANYTHING,
        "Content-Disposition": "inline" if shown else f'attachment; filename="{original[:12]}"',
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    return Response(data, headers=headers)
