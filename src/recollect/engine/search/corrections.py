"""What hits say that no longer holds: it was superseded, updated or forgotten since, or is doubted.

The invariant: a message, a part of a file or a summary is never shown as present truth when what it taught, or says in
the same words, was corrected. It carries the newer content, and stands behind the memory that holds it. What it says
besides still holds: the mark names the words that do not.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from recollect.engine.drafts.doubts import find_pairs, property_of
from recollect.engine.search.hits import of_item
from recollect.model.memories import Item, MemoryRecord
from recollect.model.messages import FORGOTTEN, Message
from recollect.model.readings import QUESTION, TextSpan
from recollect.model.search import Correction, Hit
from recollect.storage.base import StoreReader
from recollect.text.clean import fingerprint_text
from recollect.text.query import holds, normal
from recollect.text.questions import property_words
from recollect.text.repetition import Wording, restated_in, said_in, says_more, sentence_marks, sentences

CORRECTED = "corrected"
_MOST = 500  # versions; what was changed more often is told by the newest of them
_WITH_PAST = 3  # memories whose earlier versions are shown
_SUNK = 0.5  # share of its score that is left to a hit that says nothing but what was corrected
_ANSWERS = frozenset({"assistant", "reasoning"})  # they repeat what a user said, in another form
_SUMMARIES = frozenset({"summary", "session_summary"})


class _Change(NamedTuple):
    """A statement that no longer holds, the memory that holds instead, and the hit that taught it; '' if none did.

    One that is only `doubted` is current too.
    """

    said: MemoryRecord
    now: MemoryRecord
    taught_by: str = ""
    doubted: bool = False

    @property
    def at(self) -> datetime:
        """When something else was told."""
        if self.doubted:
            return self.now.valid_from
        return (
            self.now.created_at
            if self.said.superseded_by != self.now.id
            else self.said.valid_until or self.now.updated_at
        )


def mark(reader: StoreReader, hits: Sequence[Hit]) -> list[Hit]:
    """Note with each hit what it says that was corrected since."""
    if not hits:
        return []
    memory_ids = {hit.id for hit in hits if hit.source == "memory"}
    summed_up = _summed_up(reader, [hit.id for hit in hits if hit.type in _SUMMARIES])
    taught: defaultdict[str, set[str]] = defaultdict(set)
    for item_id, memory_id in reader.changed_sayings([*(hit.id for hit in hits), *summed_up]):
        taught[memory_id].add("" if item_id in memory_ids or item_id in summed_up else item_id)
    changes = list(_changes(reader, taught)) if taught else []
    records = [hit.record for hit in hits if isinstance(hit.record, MemoryRecord) and hit.record.superseded_by is None]
    changes += [_Change(earlier, later, doubted=True) for earlier, later in find_pairs(records)]
    return [_marked(hit, changes) for hit in hits]


def _summed_up(reader: StoreReader, summaries: Sequence[str]) -> set[str]:
    """Give the ids of all that summaries were made from, and the summaries before them."""
    found: set[str] = set()
    waiting = [*summaries]
    while waiting:
        waiting = sorted({note.source_id for note in reader.sources(waiting)} - found)
        found.update(waiting)
    return found


def _changes(reader: StoreReader, taught: Mapping[str, Iterable[str]]) -> Iterator[_Change]:
    """Give what was superseded of these memories, each with what holds now, and the messages that taught it."""
    groups: defaultdict[str, dict[str, MemoryRecord]] = defaultdict(dict)
    for saying in reader.versions_around([*taught], _MOST):
        groups[saying.seed][saying.record.id] = saying.record
    for seed_id, versions in groups.items():
        now = next((version for version in versions.values() if version.superseded_by is None), None)
        seed = versions.get(seed_id)
        if now is None or seed is None:
            continue
        for version in versions.values():
            if version is not now and _differ(version, now):
                own = version is seed or version.created_at == seed.created_at  # an update leaves `created_at`
                for item_id in sorted(taught[seed_id]) if own else [""]:
                    yield _Change(version, now, item_id)


def _differ(said: MemoryRecord, now: MemoryRecord) -> bool:
    """Tell whether a memory says something other than an earlier version."""
    if said.value and now.value and fingerprint_text(said.value) != fingerprint_text(now.value):
        return True
    return says_more(said.content, now.content) or says_more(now.content, said.content)


def _marked(hit: Hit, changes: Sequence[_Change]) -> Hit:
    if hit.source == "memory" and hit.type not in _SUMMARIES:
        doubt = next((change for change in changes if change.doubted and change.said.id == hit.id), None)
        return replace(hit, corrected=(_correction(hit.content, doubt),)) if doubt else hit
    found = {one.said: one for one in (*_forgotten(hit), *_corrected(hit, changes))}
    return replace(hit, corrected=tuple(found.values())) if found else hit


def _forgotten(hit: Hit) -> Iterator[Correction]:
    """Give the sentences of a message that were forgotten where they had been learned."""
    marks = hit.record.metadata.get(FORGOTTEN) if isinstance(hit.record, Message) else None
    if isinstance(marks, Mapping):
        for made, sentence in sentence_marks(hit.content).items():
            if (at := _moment(marks.get(made))) is not None:
                yield Correction(sentence.of(hit.content).strip(), at)


def _moment(noted: object) -> datetime | None:
    """Read when a sentence was forgotten; a host may have put anything under that name."""
    try:
        return datetime.fromisoformat(noted) if isinstance(noted, str) else None
    except ValueError:
        return None


def _corrected(hit: Hit, changes: Sequence[_Change]) -> Iterator[Correction]:
    for change in changes:
        if (change.taught_by != hit.id and not _is_before(hit.record, change)) or _says_present(hit.content, change):
            continue
        said = [span.of(hit.content).strip() for span in _saying(hit, change)]
        if said:
            yield _correction(" ".join(said), change)


def _correction(said: str, change: _Change) -> Correction:
    now = change.now
    value = now.value if now.value != change.said.value else ""
    return Correction(said, change.at, now.id, now.content, value, change.doubted)


def _is_before(item: Item, change: _Change) -> bool:
    told = item.said_at if isinstance(item, Message) else item.created_at
    return told <= change.at


def _says_present(text: str, change: _Change) -> bool:
    """Tell whether a text says what holds now, whatever it says of before."""
    now, before = change.now, change.said
    if now.value and fingerprint_text(now.value) != fingerprint_text(before.value):
        return holds(normal(text), normal(now.value))
    return bool(said_in(text, Wording.of([now.content])))


def _saying(hit: Hit, change: _Change) -> list[TextSpan]:
    """Give the sentences of a hit that say what no longer holds: all of a message that taught it in other words."""
    text, said = hit.content, change.said
    place = text.find(said.content)
    end = place + len(said.content)
    if place >= 0:
        return [sentence for sentence in sentences(text) if sentence.start < end and place < sentence.end]
    found = said_in(text, Wording.of([said.content]))
    if not found and hit.type in _ANSWERS:
        found = restated_in(text, said.content, said.value, property_words(property_of(said)))
    if found or change.taught_by != hit.id:
        return found
    value = normal(said.value)
    with_value = [one for one in sentences(text) if value and holds(normal(one.of(text)), value)]
    if value and not with_value and _only_asks(text, said):
        return []
    return with_value or [TextSpan(0, len(text))]


def _only_asks(text: str, said: MemoryRecord) -> bool:
    """Tell whether a message asks for what another one answered: "Where do you live?" says nothing of where."""
    asked = normal(said.content.partition("?")[0])
    return QUESTION in said.metadata and bool(asked) and holds(normal(text), asked)


def without_said(text: str, gone: Iterable[Correction]) -> str:
    """Give a text without words that no longer hold; empty when it says nothing else."""
    for correction in gone:
        for sentence in sentences(correction.said):
            text = text.replace(sentence.of(correction.said).strip(), "", 1)
    return text.strip() if any(map(str.isalnum, text)) else ""


def with_present(reader: StoreReader, hits: Sequence[Hit], min_trust: int) -> list[Hit]:
    """Add what holds now before the first hit that says nothing else than what does not, where it was not found."""
    outdated = [hit for hit in hits if hit.corrected and not hit.scope and not without_said(hit.content, hit.corrected)]
    missing = {one.by for hit in outdated for one in hit.corrected} - {hit.id for hit in hits} - {""}
    if not missing:
        return [*hits]
    records = {record.id: record for record in reader.get(sorted(missing)) if record.trust >= min_trust}
    shown: list[Hit] = []
    for hit in hits:
        present = (records.pop(one.by, None) for one in hit.corrected)
        shown += [of_item(record, hit.score, None, hit.parts) for record in present if record is not None]
        shown.append(hit)
    return shown


def with_past(reader: StoreReader, hits: Sequence[Hit]) -> list[Hit]:
    """Add what the best memories superseded behind each of them, for a question of what was so before."""
    shown: list[Hit] = []
    current = [hit.id for hit in hits if isinstance(hit.record, MemoryRecord)][:_WITH_PAST]
    for hit in hits:
        shown.append(hit)
        versions = reader.chain(hit.id) if hit.id in current else ()
        for said in reversed(versions):
            now = hit.record
            if isinstance(now, MemoryRecord) and said.superseded_by and said.trust >= hit.trust and _differ(said, now):
                earlier = of_item(said, hit.score, None, hit.parts)
                shown.append(replace(earlier, corrected=(_correction(said.content, _Change(said, now)),)))
    return shown


def behind_present(hits: Sequence[Hit]) -> list[Hit]:
    """Put hits that were corrected behind what holds now; with that, they keep a part of their score."""
    ordered = [hit for hit in hits if not hit.corrected]
    if len(ordered) == len(hits):
        return ordered
    for hit in hits:
        if hit.corrected:
            sunk = _sunk(hit, ordered)
            ordered.insert(
                max((place for place, one in enumerate(ordered, 1) if one.score >= sunk.score), default=0), sunk
            )
    return ordered


def _sunk(hit: Hit, others: Sequence[Hit]) -> Hit:
    """Lower the score of a hit, to that of what holds now at most; a factor explains it."""
    present = {one.by for one in hit.corrected}
    scores = [other.score for other in others if other.id in present]
    whole = not without_said(hit.content, hit.corrected)
    sure = not any(one.doubted for one in hit.corrected)
    least = 0.0 if whole else hit.score * _SUNK
    score = min([hit.score * (_SUNK if whole and sure else 1.0), *(one for one in scores if one >= least)])
    if score >= hit.score:
        return hit
    factor = hit.parts.factors.get(CORRECTED, 1.0) * score / hit.score
    parts = replace(hit.parts, factors={**hit.parts.factors, CORRECTED: factor})
    return replace(hit, score=score, parts=parts)
