"""What a user's message teaches: the statements that a reader finds in it, made into memories of their own.

The invariant: plain functions of the message and its reading. The same message always gives the same findings, in
linear time; a message over 20,000 characters is a paste and gives none.

    own_words   which parts of a message are not the user's own, by its layout; sentences and clauses
    exact       phrases that mean one thing only, with and without a reader; the patterns a user adds
    capturing   how sure a statement is, given the words around it; what is never kept
    replies     the question that a reply answers, and what it says about the answer
    contents    the words of a memory, and whom it is about
    values      its value, and whether that value may replace an older one
    words       the language tables, folded and compiled
"""

from recollect.text.capture.capturing import CaptureRules, capture, judge
from recollect.text.capture.exact import NONE, CapturePattern, CompiledPatterns, compile_patterns

__all__ = ["NONE", "CapturePattern", "CaptureRules", "CompiledPatterns", "capture", "compile_patterns", "judge"]
