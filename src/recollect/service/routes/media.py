"""Media: originals of pictures, sounds and films that memories and messages have.

The invariant: a browser shows pictures, sounds and films of a few formats, told by their bytes; everything else is to
be saved. Nothing is fetched from anywhere.
"""

from typing import Annotated, Any, Final

from fastapi import Path, Response

from recollect import plugins
from recollect.service.json_routes import json_router
from recollect.service.openapi_document import BINARY
from recollect.service.request_context import ReadCall

router = json_router("Media")

_ANYTHING: Final = "application/octet-stream"

# What a browser may show. No format of these can hold a script.
SHOWN: Final = frozenset(
    {
        *("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"),
        *("audio/mpeg", "audio/ogg", "audio/flac", "audio/wav", "audio/mp4", "audio/aac"),
        *("video/mp4", "video/webm", "video/ogg"),
    }
)
_BYTES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"*/*": {"schema": BINARY}}, "description": "The bytes as they were sent."}
}


@router.get("/api/media/{original}", response_class=Response, responses=_BYTES)
def get_media(
    call: ReadCall,
    original: Annotated[str, Path(min_length=64, max_length=64, description="The SHA-256 of the bytes.")],
) -> Response:
    """Give the bytes of a medium that a memory or message has. What a browser cannot show safely is to be saved."""
    data = call.me.media.original(original)
    detected = [detect(data)[1] for detect in plugins.installed("adapters", "media_type")]
    mime = detected[0] if detected else _ANYTHING
    shown = mime in SHOWN
    headers = {
        "Content-Type": mime if shown else _ANYTHING,
        "Content-Disposition": "inline" if shown else f'attachment; filename="{original[:12]}"',
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    return Response(data, headers=headers)
