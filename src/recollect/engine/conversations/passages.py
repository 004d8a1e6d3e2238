"""What the block before a prompt says: lines that stand for themselves, each with its day and who said it.

The invariant: a line tells something. What only asks stands only with its answer, what only acknowledges stands not at
all, and no sentence is said twice. Turns of one conversation and day stand together, as they were said.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from functools import cache
from typing import NamedTuple

from recollect.engine.conversations import silence
from recollect.engine.search import corrections, hits
from recollect.model.files import Chunk
from recollect.model.filters import MessageFilters
from recollect.model.literals import MessageRole, Trust
from recollect.model.media import described
from recollect.model.memories import MemoryRecord
from recollect.model.messages import Message, MessagePosition
from recollect.model.readings import ASSISTANT, USER
from recollect.model.search import Hit, ScoreParts
from recollect.storage.base import StoreReader
from recollect.text.clean import fold
from recollect.text.fence import Quoted, TalkTurn, spoken_day
from recollect.text.repetition import unsaid
from recollect.text.tables import read_words
from recollect.text.telling import ends_as_question, only_asks, says_nothing, says_yes_or_no, telling_part

_WORD = re.compile(r"\w+")
_SAID: tuple[MessageRole, ...] = ("user", "assistant")
_COMPLETED = 3  # best hits that bring the turns beside them along
_SHORT = 160  # characters of a turn that is brought along, or that may need the question before it


_UNMEASURED = ScoreParts({}, 0.0, {})


class Beside(NamedTuple):
    """The turns before and after a message, where there are any that may be shown."""

    before: Hit | None = None
    after: Hit | None = None


class Line(NamedTuple):
    """What is to be shown of a hit."""

    hit: Hit
    text: str


def beside(reader: StoreReader, found: Sequence[Hit], session: str) -> Mapping[str, Beside]:
    """Read the turns beside messages that were found, but for those that the model sees anyway."""
    ids = [hit.id for hit in found if _is_turn(hit)]
    if not ids:
        return {}
    spots = reader.around(ids, 1, MessageFilters(roles=_SAID, min_trust=Trust.FILE, beyond=session))
    places = {(spot.conversation, spot.sequence): spot.id for spot in spots}
    pairs = {spot.id: _pair(spot, places) for spot in spots if spot.id in set(ids)}
    known = {hit.id: hit for hit in found}
    missing = {one for pair in pairs.values() for one in pair if one} - known.keys()
    records = [hits.of_item(one, 0.0, None, _UNMEASURED) for one in reader.get_messages(sorted(missing))]
    known |= {hit.id: hit for hit in corrections.mark(reader, records)}
    return {hit_id: Beside(*(known.get(one) for one in pair)) for hit_id, pair in pairs.items()}


def _pair(spot: MessagePosition, places: Mapping[tuple[str, int], str]) -> tuple[str, str]:
    before, after = ((spot.conversation, spot.sequence + step) for step in (-1, 1))
    return places.get(before, ""), places.get(after, "")


def lines_of(found: Sequence[Hit], turns: Mapping[str, Beside], most: int) -> list[Line]:
    """Give what to show of so many hits, of what stands beside them, and of instructions, the best first.

    A memory goes before the message that told it. A question goes behind its answer, and is not shown without it.
    """
    rules = [Line(hit, hit.content) for hit in found if silence.is_standing(hit)]
    wanted = _with_turns([hit for hit in found if not silence.is_standing(hit)], turns, most)
    first = sorted(wanted, key=lambda hit: hit.source != "memory")
    said = unsaid([*(rule.text for rule in rules), *map(_text_of, first)])[len(rules) :]
    texts = {hit.id: text for hit, text in zip(first, said, strict=True)}
    telling = [hit for hit in wanted if _tells(hit, texts[hit.id])]
    shown = {_spot(hit): hit for hit in telling}
    kept = [hit for hit in telling if not _is_turn(hit) or _spot(hit, 1) in shown or not only_asks(hit.content)]
    return [*(Line(hit, _shown(hit, texts[hit.id], shown)) for hit in kept), *rules]


def _with_turns(found: Sequence[Hit], turns: Mapping[str, Beside], most: int) -> list[Hit]:
    """Give so many hits, each once and followed by the turns that complete it."""
    wanted: dict[str, Hit] = {}
    count = 0
    for hit in found:
        passage = [*_passage(hit, turns.get(hit.id, Beside()), whole=count < _COMPLETED)]
        count += bool(passage)
        if count > most:
            break
        wanted |= {one.id: one for one in passage if one.id not in wanted}
    return [*wanted.values()]


def _passage(hit: Hit, turns: Beside, *, whole: bool) -> Iterator[Hit]:
    """Give a hit and the turns it needs: of a question the answer first, of a short answer also the question."""
    before, after = turns
    is_reply = before is not None and ends_as_question(before.content)
    if not _is_turn(hit):
        yield hit
    elif only_asks(hit.content):
        if after and _answers(after, hit):
            yield after
            yield hit
    elif not says_nothing(hit.content) or (before and is_reply and _answers(hit, before)):
        yield hit
        if before and ((whole and _completes(before)) or (is_reply and _is_short(hit))):
            yield before
        if after and whole and _completes(after) and not only_asks(after.content):
            yield after


def _answers(turn: Hit, question: Hit) -> bool:
    """Tell whether a person answers; what an assistant said to a question of the user's is found by what it says."""
    if turn.type != "user" or _speaker(turn) == _speaker(question) or only_asks(turn.content):
        return False
    return says_yes_or_no(turn.content) or not says_nothing(turn.content)


def _completes(turn: Hit) -> bool:
    """Tell whether a turn is worth showing for the one beside it: short, of a person, and not only politeness."""
    return _is_short(turn) and turn.type == "user" and not says_nothing(turn.content)


def _is_short(turn: Hit) -> bool:
    return len(turn.content) <= _SHORT


def _spot(hit: Hit, step: int = 0) -> tuple[str, int]:
    """Say where a turn stands, or the one so many steps after it."""
    return (hit.record.conversation, hit.record.sequence + step) if isinstance(hit.record, Message) else (hit.id, 0)


def _is_turn(hit: Hit) -> bool:
    return isinstance(hit.record, Message) and hit.type in _SAID and not hit.scope


def _tells(hit: Hit, text: str) -> bool:
    """Tell whether anything is left of a hit: where it was found for what others say, not only what was corrected."""
    return bool(text) and (text == hit.content or bool(corrections.without_said(text, hit.corrected)))


def _text_of(hit: Hit) -> str:
    """Give what to show of a hit: nothing that was forgotten, and of what was superseded what one mark can name."""
    superseded = [one for one in hit.corrected if one.by]
    gone = hit.corrected if len(superseded) > 1 else [one for one in hit.corrected if not one.by]
    return corrections.without_said(hit.content, gone) if gone else hit.content


def _shown(hit: Hit, text: str, shown: Mapping[tuple[str, int], Hit]) -> str:
    """Give the text of a line; of a turn that stands alone, without what says nothing."""
    if _is_turn(hit) and not hit.corrected and _spot(hit, -1) not in shown:
        text = telling_part(text, questions=_spot(hit, 1) in shown)
    return f"{text} {described(hit.media)}" if hit.media else text


def quote(line: Line, zone: tzinfo) -> Quoted:
    """Label a line: with its day and who said it, or with the path of its file."""
    hit, text = line
    record = hit.record
    beside_it = f"{_origin(hit)}{_corrected(hit, text)}"
    if isinstance(record, Chunk):
        return Quoted(f"{record.place}{beside_it}", text)
    if isinstance(record, MemoryRecord):
        day = spoken_day(record.occurred_at or record.valid_from, zone)
        return Quoted(f"{day}{_about(hit, record)}{beside_it}", text, standing=silence.is_standing(hit))
    day, who = spoken_day(record.said_at, zone), f"{_speaker(hit)}{beside_it}"
    turn = TalkTurn(f"{record.conversation} {day}", record.sequence, who) if _is_turn(hit) else None
    return Quoted(f"{day} · {who}", text, turn=turn)


def _speaker(hit: Hit) -> str:
    return hit.record.speaker or hit.type if isinstance(hit.record, Message) else ""


def _about(hit: Hit, record: MemoryRecord) -> str:
    """Say whose words a memory has, if they are the user's own; or what it is about, where its text does not say."""
    subject = record.subject
    if subject in ("", USER) and not hit.scope and _speaks_of_self(record.content):
        return f" · {USER}"
    if subject in ("", USER, ASSISTANT) or fold(subject) in fold(record.content):
        return ""
    return f" · about {subject}"


def _speaks_of_self(text: str) -> bool:
    return not _first_person().isdisjoint(_WORD.findall(fold(text)))


@cache
def _first_person() -> frozenset[str]:
    return frozenset(map(fold, read_words("capture", "first person")))


def _corrected(hit: Hit, text: str) -> str:
    """Say which words no longer hold, if not all of them, and what was told since."""
    marks = [one for one in hit.corrected if one.by]
    if len(marks) != 1:
        return ""
    return f" · {marks[0].mark(whole=not corrections.without_said(text, marks))}"


def _origin(hit: Hit) -> str:
    """Say from which shared scope a hit is, and who wrote it."""
    return f" · {hit.scope}, by {hit.author}" if hit.author else f" · {hit.scope}" if hit.scope else ""
