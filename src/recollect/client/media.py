"""Originals of media over HTTP. See their twin in `recollect.api`."""

from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path

from recollect.client.decode import decode
from recollect.client.service import ServiceScoped, path_part
from recollect.errors import InvalidDocument
from recollect.model.media import Media


class ServiceMedia(ServiceScoped):
    """A user's originals of media."""

    def add(
        self,
        file: str | PathLike[str] | bytes,
        *,
        caption: str = "",
        alt: str = "",
        transcript: str = "",
        duration_s: float | None = None,
    ) -> Media:
        """Send the bytes of a picture, sound or film, and return it for `media` of a memory or message."""
        added = decode(Media, self._service.post_bytes(self._user_id, "/api/media", _read(file)))
        return replace(added, caption=caption, alt=alt, transcript=transcript, duration_s=duration_s)

    def original(self, original: str) -> bytes:
        """Return the bytes of a medium that a memory or message of the user has. Raises NotFound."""
        return self._service.get_bytes(self._user_id, f"/api/media/{path_part(original)}")


def _read(file: str | PathLike[str] | bytes) -> bytes:
    if isinstance(file, bytes | bytearray | memoryview):
        return bytes(file)
    path = Path(fspath(file)).expanduser()
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise InvalidDocument(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
