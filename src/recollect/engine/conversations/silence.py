"""When to stay silent: a request that needs no memory gets none before a prompt, but for standing instructions.

A query at a door for agents and people gets nothing when nothing found has to do with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from recollect.engine.base.context import READER, VECTOR, Engine
from recollect.engine.conversations import capture
from recollect.engine.search import hits
from recollect.engine.search.hits import TIME, searched_text
from recollect.model.calibration import LEAST_SCORE, PASSAGE
from recollect.model.files import Chunk
from recollect.model.filters import Filters
from recollect.model.literals import Trust
from recollect.model.memories import Scope
from recollect.model.messages import Message
from recollect.model.readings import ASSISTANT, NEED_NONE, STANDING, Need
from recollect.model.search import Hit, Recall
from recollect.ranking import need
from recollect.ranking.need import WordEvidence
from recollect.text.query import read_query
from recollect.text.questions import RequestForm, is_keywords, is_small_talk, names_user, request_form
from recollect.text.terms import count_held, query_words

_LOOKED_AT = 50  # instructions, of which some apply only at times
_MOST_RULES = 5  # that are shown
_MOST_READ = 2_000  # characters; a longer request is judged by its two ends
_END = 600
_NAMED = frozenset({"subject", "speaker"})  # factors of hits about or by someone whom the query names


class RequestNeed(NamedTuple):
    """What a request says about its need of memory; None when it was not judged. `failed` means that a reader did."""

    text: str
    features: Mapping[str, float] | None = None
    failed: bool = False

    def gate(self, found: Recall) -> Recall:
        """Leave out everything when nothing found is worth showing; standing instructions do not speak for it."""
        if self.failed:
            return replace(found, degraded=(*found.degraded, READER))
        others = [hit for hit in found.hits if not is_standing(hit)]
        if self.features is None:
            return found
        words = word_evidence(self.text, others)
        is_shown = need.is_worth_showing(self.features, words, others, found.answerable)
        return found if is_shown else replace(found, hits=())

    @property
    def is_silent(self) -> bool:
        """Whether nothing could be found that is worth showing."""
        if self.features is None or need.may_need(self.features):
            return False
        return not is_keywords(self.text) or is_small_talk(self.text)


def judge(engine: Engine, scope: Scope, text: str, before: str = "") -> RequestNeed:
    """Read a request after the turn before it with the bundled reader, if the settings want silence."""
    return _judged(engine, scope, text, before) if engine.settings.hooks.silence else RequestNeed(text)


def _judged(engine: Engine, scope: Scope, text: str, before: str = "", *, own: bool = False) -> RequestNeed:
    short = text if len(text) <= _MOST_READ else f"{text[:_END]}\n{text[-_END:]}"
    read = capture.read_locally(engine, scope, short, before)
    if read.reading is None:
        return RequestNeed(text, failed=read.failed)
    return RequestNeed(read.text, _features(read.text, read.reading.need, own=own))


def _features(text: str, needs: Need, *, own: bool) -> Mapping[str, float]:
    form = request_form(text)
    form = RequestForm(own=True, asks=form.asks) if own else form
    return need.request_features(needs, **form._asdict())


def only_related(engine: Engine, scope: Scope, query: str, found: Recall) -> Recall:
    """Leave out what has nothing to do with a query: all hits when none has, and otherwise hits that hardly match.

    Hits with the telling words of the query stay, and near a place those of keywords: they may say what is there. What
    was found without vectors has only its words to speak for it: most of them, or any if a part has failed.
    """
    if not found.hits or VECTOR in found.degraded:
        return found
    query = read_query(query, None).text
    words = word_evidence(query, found.hits)
    is_near = any(hit.parts.place is not None for hit in found.hits)
    own = names_user(query)
    unread = _features(query, NEED_NONE, own=own)  # where the hits suffice whatever a reader says, it is not asked
    related = need.is_related(words, found.answerable) or (is_near and words.is_keywords)
    measured = engine.settings.recall.vector_weight > 0 and engine.models.configured is not None
    related = related or (not measured and 2 * words.held >= words.asked)
    if not related and not _is_asked_for(unread, words, found):
        features = _judged(engine, scope, query, own=own).features
        if features is not None and not _is_asked_for(features, words, found):
            return replace(found, hits=())
    telling = query_words(query)
    kept = [hit for hit in found.hits if is_near or hit.score >= LEAST_SCORE or count_held(telling, _words_of(hit))]
    return found if len(kept) == len(found.hits) else replace(found, hits=tuple(kept))


def _is_asked_for(request: Mapping[str, float], words: WordEvidence, found: Recall) -> bool:
    """Tell whether a query needs memory, or what was found answers it; what was found by its time mostly is."""
    if any(TIME in hit.parts.channels for hit in found.hits):
        return not need.is_idle(request)
    if need.means_known(request, words, found.hits) or (words.is_whole and not need.is_idle(request)):
        return True
    return need.is_asked_for(need.door_features(request, words, found.hits, found.answerable))


def word_evidence(query: str, found: Sequence[Hit]) -> WordEvidence:
    """Count the words of a query, and those of them that the best hit holds."""
    telling = query_words(query)
    held, words = max(
        ((count_held(telling, text), len(text.split())) for text in map(_words_of, found)), default=(0, 0)
    )
    return WordEvidence(
        len(telling),
        held,
        is_keywords=is_keywords(query),
        is_passage=words >= PASSAGE,
        is_named=any(not _NAMED.isdisjoint(hit.parts.factors) for hit in found),
    )


def _words_of(hit: Hit) -> str:
    """Give the words that a hit can be asked for by, its speaker or path included."""
    record = hit.record
    beside = record.speaker if isinstance(record, Message) else record.path if isinstance(record, Chunk) else ""
    return f"{searched_text(record)} {beside}"


def is_standing(hit: Hit) -> bool:
    """Tell whether a hit is an instruction of the user's that applies always; what others said is only quoted."""
    return hit.source == "memory" and not hit.scope and hit.metadata.get(STANDING) is True


def with_standing(engine: Engine, scope: Scope, found: Recall) -> Recall:
    """Add the newest instructions of the user's that apply always, where they are not among the hits."""
    filters = Filters(
        now=engine.clock.now(), types=("preference",), subject=ASSISTANT, min_trust=Trust.STATED
    )  # what is superseded or has expired does not pass
    records = engine.store.read(scope, lambda reader: reader.timeline(filters, _LOOKED_AT))
    rules = [hits.unmeasured(record, STANDING) for record in records if record.metadata.get(STANDING) is True]
    shown = {hit.id for hit in found.hits}
    newest = [hit for hit in rules[-min(_MOST_RULES, engine.settings.hooks.items) :] if hit.id not in shown]
    return replace(found, hits=(*found.hits, *reversed(newest))) if newest else found
