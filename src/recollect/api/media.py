"""`me.media`: originals of pictures, sounds and films, before a memory or message has them and after."""

from dataclasses import replace
from os import PathLike

from recollect.api.scoped import Scoped
from recollect.engine.drafts import media
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
        added = self._engine.filing.add_medium(self._engine, self._scope, file)
        return replace(added, caption=caption, alt=alt, transcript=transcript, duration_s=duration_s)

    def original(self, original: str) -> bytes:
        """Return the bytes of a medium that a memory or message of the user has. Raises NotFound."""
        return media.original(self._engine, self._scope, original)
