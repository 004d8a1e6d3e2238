"""What is never kept: secrets, and messages that are mostly emoji.

The invariant: a secret never becomes a memory, whatever else the sentence says and whichever rule would keep it.
"""

from recollect.text.regex import LazyRegex
from recollect.text.secrets import REDACTION_MARK
from recollect.text.spelling import fold_spelling

_MOST_EMOJI = 3
_CHARACTERS_PER_EMOJI = 100

_EMOJI_FROM = "\u2600"
_EMOJI_PLANE = "\U0001f000"

_MARK = REDACTION_MARK.rstrip(": ")  # a reader may cut a statement off at the colon
_SECRET = LazyRegex(
    r"(?:password|passwort|passphrase|kennwort|heslo|парол[ьяе]|api[ _-]?key|secret[ _-]?key|private key|access token)"
    r"(?:\W+[\pL\pN._-]+){0,4}?\W*(?:[:=-]|\W(?:is|ist|lautet|je|zni)\W)"
    r"|(?:^|\W)(?:cvv|cvc|pin|пин)(?:[ -]?(?:code|kod|код))?"
    r"(?:(?: [\pL]+){0,4}?(?:\s*[:=]|\s-+\s|\W(?:is|ist|lautet|je|zni)\W)|\W+\d{3})"
    r"|парол[ьяе] |sk-[a-z0-9_-]{16}|gh[pousr]_[a-z0-9]{16}|akia[a-z0-9]{12}|xox[abp]-|-begin [a-z ]*private key"
    r"|(?:\d[ -]?){15,18}\d"
)


def is_shouted(text: str) -> bool:
    """Tell whether a message is mostly emoji, or at least full of them."""
    return sum(map(_is_emoji, text)) > max(_MOST_EMOJI, len(text) // _CHARACTERS_PER_EMOJI)


def is_secret(said: str) -> bool:
    """Tell whether a text holds a password, a key or the number of a card, or held one before it was redacted."""
    return _MARK in said or _SECRET.search(fold_spelling(said)) is not None


def _is_emoji(letter: str) -> bool:
    return letter >= _EMOJI_PLANE or _EMOJI_FROM <= letter <= "\u27bf"
