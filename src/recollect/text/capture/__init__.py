"""What in a user's message is worth keeping as a memory, in English, Russian, Czech and German.

The invariant: plain functions of the text. The same message always gives the same findings, in linear time; a message
over 20,000 characters is a paste and gives none, and of a shorter one the first hundred sentences are judged.

    prose      the message without what was pasted, quoted, logged or put there by us, in sentences
    gate       what no rule needs to look at
    grammar    the notation of the rules; english, russian, czech, german are written in it
    judging    a sentence against the rules; slots cuts out who, what and when
    own        the patterns a user adds
"""

from collections.abc import Iterator

from recollect.model.messages import Captured
from recollect.text.capture.gate import is_shouted, passes
from recollect.text.capture.judging import cut_at_turns, is_pasted, judge
from recollect.text.capture.own import NONE, CapturePattern, CompiledPatterns, compile_patterns, judge_by_own
from recollect.text.capture.plausible import plausible
from recollect.text.capture.prose import sentences
from recollect.text.capture.tables import Category

__all__ = [
    "NONE",
    "CapturePattern",
    "Category",
    "CompiledPatterns",
    "capture",
    "compile_patterns",
    "detect_category",
    "should_capture",
]


def should_capture(text: str, patterns: CompiledPatterns = NONE) -> bool:
    """Tell whether a user's message says anything worth keeping."""
    return next(_findings(text, patterns), None) is not None


def detect_category(text: str) -> Category:
    """Name what kind of memory a message holds: that of its most important finding, or other."""
    for found in capture(text, limit=1):
        match found.type:
            case "preference" | "decision" | "entity" | "fact":
                return found.type
            case _:
                break
    return "other"


def capture(text: str, *, limit: int = 2, patterns: CompiledPatterns = NONE) -> tuple[Captured, ...]:
    """Give at most `limit` findings of a user's message, the most important first."""
    found = {captured.content: captured for captured in _findings(text, patterns)}
    return tuple(sorted(found.values(), key=lambda captured: -captured.importance)[: max(limit, 0)])


def _findings(text: str, patterns: CompiledPatterns) -> Iterator[Captured]:
    spoken = sentences(text)
    if not spoken or is_shouted(text) or is_pasted(spoken):
        return
    for sentence in spoken:
        for piece in cut_at_turns(sentence):
            if passes(piece) and (found := judge_by_own(piece, patterns) or judge(piece)):
                yield plausible(found)
