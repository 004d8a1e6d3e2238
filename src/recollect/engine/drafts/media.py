"""Media of memories and messages: their originals kept, their texts redacted, what they are read from their bytes.

The invariant: nothing is ever fetched from a URL, and an item has no original but those of its own user.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from recollect.engine.base.context import Engine
from recollect.engine.drafts import redaction
from recollect.errors import InvalidInput, InvalidMemory, InvalidMessage, NotFound
from recollect.model.media import (
    DIGEST,
    MOST_MEDIA,
    TEXT_LIMITS,
    Media,
    MediaLike,
    checked_media,
    kind_by_name,
    original_name,
)
from recollect.model.memories import NewMemory, Scope
from recollect.model.messages import NewMessage
from recollect.text.clean import clean

WithMedia = TypeVar("WithMedia", NewMemory, NewMessage)


def original(engine: Engine, scope: Scope, digest: str) -> bytes:
    """Give the original that a memory or message has. Raises NotFound."""
    known = bool(DIGEST.fullmatch(digest)) and engine.store.read(scope, lambda reader: reader.has_original(digest))
    if not known:
        raise NotFound(f"No memory or message has the original {digest[:80]!r}.")
    return engine.originals.original(original_name(scope.user_id, digest))


def with_checked_media(engine: Engine, scope: Scope, item: WithMedia) -> WithMedia:
    """Give an item whose media are checked; usually the very same one. Without a place, it has that of its photo."""
    if not item.media:
        return item
    wrong = InvalidMemory if isinstance(item, NewMemory) else InvalidMessage
    media = check_media(engine, scope, item.media, wrong)
    has_place = item.lat is not None or item.lng is not None or item.address or item.place_label
    photo = None if has_place else next((one for one in media if one.lat is not None), None)
    where: dict[str, Any] = {"lat": photo.lat, "lng": photo.lng} if photo else {}
    return replace(item, media=media, **where)


def check_media(
    engine: Engine, scope: Scope, offered: Sequence[MediaLike], wrong: type[InvalidInput]
) -> tuple[Media, ...]:
    """Check and redact media. Raises `wrong`."""
    if isinstance(offered, (str, bytes, Mapping, Media)) or not isinstance(offered, Sequence):
        raise wrong("media is a list: pass [Media(…)], or a list of mappings with a url or an original.")
    if len(offered) > MOST_MEDIA:
        raise wrong(f"There are {len(offered)} media; an item has at most {MOST_MEDIA}.")
    checked: list[Media] = []
    try:
        for given in offered:
            media: object = given
            if isinstance(given, Mapping) and not given.get("kind"):  # of an original that is found out later
                media = {**given, "kind": kind_by_name(str(given.get("url", "")))}
            public = located(engine, redacted(engine, checked_media(media)))
            checked.append(_of_original(engine, scope, public) if public.original else public)
    except ValueError as error:
        raise wrong(str(error)) from error
    return tuple(checked)


def redacted(engine: Engine, media: Media) -> Media:
    """Redact what is shown of a medium."""
    texts: dict[str, Any] = {
        name: redaction.public_text(engine, clean(getattr(media, name))) for name in (*TEXT_LIMITS, "url")
    }
    return replace(media, **{name: text for name, text in texts.items() if text != getattr(media, name)})


def located(engine: Engine, media: Media) -> Media:
    """Round where a photo was taken, as the settings say."""
    coarse = redaction.public_place(engine, media.lat, media.lng)
    return replace(media, lat=coarse["lat"], lng=coarse["lng"]) if coarse else media


def _of_original(engine: Engine, scope: Scope, media: Media) -> Media:
    """Say of an original what its bytes say, and keep it for longer: what nothing refers to goes after a while."""
    try:
        data = engine.originals.original(original_name(scope.user_id, media.original))
    except NotFound as error:
        raise ValueError(
            f"There is no original {media.original}. Add it first; unused ones go after an hour."
        ) from error
    engine.originals.keep(scope.user_id, media.original, data)
    seen = media.width is not None or media.kind != "image"
    known = engine.documents.examine(data, details=not seen)
    facts: dict[str, Any] = {"kind": known.kind, "mime": known.mime, "size": len(data)}
    if not seen:
        public = located(engine, redacted(engine, known))
        more = {name: getattr(public, name) for name in ("width", "height", "exif", "lat", "lng")}
        facts |= {name: value for name, value in more.items() if not getattr(media, name)}
    return replace(media, **facts)
