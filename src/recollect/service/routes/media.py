"""Media: originals of pictures, sounds and films that memories and messages have.

The invariant: a browser shows pictures, sounds and films of a few formats, told by their bytes; everything else is to
be saved. Nothing is fetched from anywhere.
"""

import hashlib
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import Path, Request, Response

from recollect import plugins
from recollect.model.media import Media
from recollect.service import responses as out
from recollect.service.body_model import StrictBody
from recollect.service.idempotency import Reply, run_idempotent
from recollect.service.json_routes import json_router
from recollect.service.openapi_document import BINARY
from recollect.service.request_context import ApiCall, ReadCall, WriteCall
from recollect.settings import Settings
from recollect.web.problems import RequestRefused

router = json_router("Media")

MEDIA_PATH: Final = "/api/media"
LARGEST_MB: Final = 32
_ANYTHING: Final = "application/octet-stream"

# What a browser may show. No format of these can hold a script.
SHOWN: Final = frozenset(
    {
        *("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"),
        *("audio/mpeg", "audio/ogg", "audio/flac", "audio/wav", "audio/mp4", "audio/aac"),
        *("video/mp4", "video/webm", "video/ogg"),
    }
)
_SENT: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "description": "The bytes, whatever their type is said to be.",
        "content": {_ANYTHING: {"schema": BINARY}},
    }
}
_BYTES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"*/*": {"schema": BINARY}}, "description": "The bytes as they were sent."}
}


class MediaRequest(StrictBody):
    """The fingerprint of an upload, by which a repeated request is recognised."""

    digest: str


def most_bytes(settings: Settings) -> int:
    """Give the largest upload that is accepted."""
    return min(LARGEST_MB, settings.files.media_mb) * 2**20


@router.post(MEDIA_PATH, status_code=HTTPStatus.CREATED, response_model=out.MediaAnswerBody, openapi_extra=_SENT)
async def add_media(*, request: Request, call: WriteCall) -> Response:
    """Store the bytes of a picture, sound or film. Send the answer, with a caption, as `media` of a memory or message.

    What it is, is told by its bytes; of a photo also its size, its words and its place. What no memory or message has
    after an hour is removed.
    """
    data = await request.body()
    return await call.admission.read_document(call.requester, 0, lambda: _add(call, data))


def _add(call: ApiCall, data: bytes) -> Response:
    most = most_bytes(call.memory.settings)
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


@router.get("/api/media/{original}", response_class=Response, responses=_BYTES)
def get_media(
    call: ReadCall,
    original: Annotated[str, Path(min_length=64, max_length=64, description="The SHA-256 of the bytes.")],
) -> Response:
    """Give the bytes of a medium that a memory or message has. What a browser cannot show safely is to be saved."""
    data = call.me.media.original(original)
    mime = plugins.find("adapters", "media_type", "recollect-files")(data)[1]
    shown = mime in SHOWN
    headers = {
        "Content-Type": mime if shown else _ANYTHING,
        "Content-Disposition": "inline" if shown else f'attachment; filename="{original[:12]}"',
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    return Response(data, headers=headers)
