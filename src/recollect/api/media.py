"""`me.media`: originals of pictures, sounds and films, before a memory or message has them and after."""

import stat
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path

from recollect.api.scoped import Scoped
from recollect.engine.drafts import media
from recollect.errors import InvalidDocument
from recollect.model.media import Media


class UserMedia(Scoped):
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
        """Store the bytes of a picture, sound or film, and return it for `media` of a memory or message.

        `file` is a path, or the bytes themselves. What it is, is told by its bytes; of a photo also its size, its words
        and its place. What no memory or message has after an hour is removed. Raises InvalidDocument when it is too
        large.
        """
        added = media.add(self._engine, self._scope, self._read(file))
        return replace(added, caption=caption, alt=alt, transcript=transcript, duration_s=duration_s)

    def original(self, original: str) -> bytes:
        """Return the bytes of a medium that a memory or message of the user has. Raises NotFound."""
        return media.original(self._engine, self._scope, original)

    def _read(self, file: str | PathLike[str] | bytes) -> bytes:
        if isinstance(file, bytes | bytearray | memoryview):
            return bytes(file)
        path = Path(fspath(file)).expanduser()
        try:
            status = path.stat()
            if (status.st_dev, status.st_ino) in self._engine.store.own_files():  # opening it would drop SQLite's locks
                raise InvalidDocument(f"{path} is the store itself.")
            if not stat.S_ISREG(status.st_mode):
                raise InvalidDocument(f"{path} is no plain file.")
            with path.open("rb") as opened:
                return opened.read(self._engine.settings.files.media_mb * 2**20 + 1)
        except (OSError, ValueError) as error:  # a name may have characters that no file has
            raise InvalidDocument(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
