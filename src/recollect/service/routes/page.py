"""The page: files without a user's data, served from memory. What it shows comes from the API."""

import gzip
import hashlib
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from recollect._version import __version__
from recollect.service.authentication import PAGE_PATH
from recollect.web.middleware import PAGE_CSP
from recollect.web.problems import RequestRefused

router = APIRouter(include_in_schema=False)

_HEADERS: Final = {
    "Content-Security-Policy": PAGE_CSP,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-cache",  # a browser asks whether it has changed
    "Vary": "Accept-Encoding",
}
_MEDIA_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}


class PageFile(NamedTuple):
    """A file of the page, plain and compressed."""

    media_type: str
    etag: str
    plain: bytes
    compressed: bytes


@router.get("/")
async def page(request: Request) -> Response:
    """Give people with a browser the page, and tell programs where the routes are listed."""
    if "text/html" in request.headers.get("accept", ""):
        return _file("index.html", request)
    return JSONResponse({"name": "Recollect", "version": __version__, "docs": "/docs", "openapi": "/openapi.json"})


@router.get(PAGE_PATH + "{path:path}")
async def page_file(path: str, request: Request) -> Response:
    """Give a file of the page."""
    return _file(path, request)


def _file(path: str, request: Request) -> Response:
    file = page_files().get(path)
    if file is None:
        raise RequestRefused(HTTPStatus.NOT_FOUND, "The page has no such file.")
    headers = {**_HEADERS, "ETag": file.etag}
    if request.headers.get("if-none-match") == file.etag:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(file.plain, headers=headers, media_type=file.media_type)
    return Response(file.compressed, headers={**headers, "Content-Encoding": "gzip"}, media_type=file.media_type)


@cache
def page_files() -> dict[str, PageFile]:
    """Read all files of the page, once a process."""
    return dict(_read(files("recollect.service") / "page", ""))


def _read(folder: Traversable, prefix: str) -> list[tuple[str, PageFile]]:
    found: list[tuple[str, PageFile]] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _read(entry, f"{prefix}{entry.name}/")
        elif (media_type := _MEDIA_TYPES.get(entry.name.rpartition(".")[2])) is not None:
            plain = entry.read_bytes()
            etag = f'"{hashlib.sha256(plain).hexdigest()[:32]}"'
            found.append((f"{prefix}{entry.name}", PageFile(media_type, etag, plain, gzip.compress(plain, 9, mtime=0))))
    return found
