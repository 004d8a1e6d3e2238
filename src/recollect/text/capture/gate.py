"""What is never kept: secrets, and messages that are mostly emoji.

The invariant: a secret never becomes a memory, whatever else the sentence says and whichever rule would keep it.
"""

from recollect.text.secrets import REDACTION_MARK, redact

_MOST_EMOJI = 3
_CHARACTERS_PER_EMOJI = 100

_EMOJI_FROM = "\u2600"
_EMOJI_PLANE = "\U0001f000"


def is_shouted(text: str) -> bool:
    """Tell whether a message is mostly emoji, or at least full of them."""
    return sum(map(_is_emoji, text)) > max(_MOST_EMOJI, len(text) // _CHARACTERS_PER_EMOJI)


def is_secret(said: str) -> bool:
    """Tell whether a text holds a password, a key or the number of a card, or held one before it was redacted."""
    return REDACTION_MARK in redact(said).text


def _is_emoji(letter: str) -> bool:
    return letter >= _EMOJI_PLANE or _EMOJI_FROM <= letter <= "\u27bf"
