"""When to stay silent before a prompt: a request that needs no memory gets none, but for standing instructions."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from recollect.engine.base.context import READER, Engine
from recollect.engine.conversations import message_reading
from recollect.engine.search import hits
from recollect.model.filters import Filters
from recollect.model.literals import Trust
from recollect.model.memories import Scope
from recollect.model.readings import ASSISTANT, STANDING
from recollect.model.search import ChannelPart, Hit, Recall, ScoreParts
from recollect.ranking import need
from recollect.text.personal import is_personal

_LOOKED_AT = 50  # instructions, of which some apply only at times
_MOST_READ = 2_000  # characters; a longer request is judged by its two ends
_END = 600


class RequestNeed(NamedTuple):
    """What a request says about its need of memory; None when it was not judged. `failed` means that a reader did."""

    features: Mapping[str, float] | None = None
    failed: bool = False

    def gate(self, found: Recall) -> Recall:
        """Leave out everything when nothing found is worth showing; standing instructions do not speak for it."""
        if self.failed:
            return replace(found, degraded=(*found.degraded, READER))
        others = [hit for hit in found.hits if not is_standing(hit)]
        if self.features is None or need.is_needed(self.features, need.match_features(others)):
            return found
        return replace(found, hits=())

    @property
    def is_silent(self) -> bool:
        """Whether nothing could be found that is worth showing."""
        return self.features is not None and not need.may_need(self.features)


def judge(engine: Engine, scope: Scope, text: str) -> RequestNeed:
    """Read a request with the bundled reader, if the settings want silence."""
    if not engine.settings.hooks.silence:
        return RequestNeed()
    short = text if len(text) <= _MOST_READ else f"{text[:_END]}\n{text[-_END:]}"
    read = message_reading.read_locally(engine, scope, short)
    if read.reading is None:
        return RequestNeed(failed=read.failed)
    return RequestNeed(need.request_features(read.reading.need, personal=is_personal(read.text)))


def is_standing(hit: Hit) -> bool:
    """Tell whether a hit is an instruction that applies always."""
    return hit.source == "memory" and hit.metadata.get(STANDING) is True


def with_standing(engine: Engine, scope: Scope, found: Recall) -> Recall:
    """Add the newest instructions of the user's that apply always, where they are not among the hits."""
    filters = Filters(
        now=engine.clock.now(), types=("preference",), subject=ASSISTANT, min_trust=Trust.STATED
    )  # what is superseded or has expired does not pass
    records = engine.store.read(scope, lambda reader: reader.timeline(filters, _LOOKED_AT))
    part = ScoreParts({STANDING: ChannelPart(None, 1.0, 1.0, 1.0)}, 1.0, {})
    rules = [hits.of_item(record, 1.0, None, part) for record in records if record.metadata.get(STANDING) is True]
    shown = {hit.id for hit in found.hits}
    newest = [hit for hit in rules[-engine.settings.hooks.items :] if hit.id not in shown]
    return replace(found, hits=(*found.hits, *reversed(newest))) if newest else found
