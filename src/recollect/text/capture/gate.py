"""What no rule needs to look at: fragments, walls of text, emoji, secrets.

The invariant: a secret never becomes a memory, whatever else the sentence says and whichever rule would keep it.
"""

from recollect.text.capture.grammar import LazyRegex
from recollect.text.capture.spelling import fold_spelling

SENTENCE_CHARACTERS = range(10, 501)

_FEWEST_WORDS = 2
_MOST_EMOJI = 3
_CHARACTERS_PER_EMOJI = 100
_LETTERS_AT_LEAST = 0.3

_EMOJI_FROM = "\u2600"
_EMOJI_PLANE = "\U0001f000"

_SECRET = LazyRegex(
    r"(?:password|passwort|passphrase|kennwort|heslo|парол[ьяе]|api[ _-]?key|secret[ _-]?key|private key|access token|"
    r"(?:^|\W)(?:cvv|cvc|pin|пин)(?:[ -]?(?:code|kod|код))?(?:\W|$))"
    r"(?:\W+[\pL\pN._-]+){0,4}?\W*(?:[:=-]|\W(?:is|ist|lautet|je|zni)\W)"
    r"|парол[ьяе] |sk-[a-z0-9_-]{16}|gh[pousr]_[a-z0-9]{16}|akia[a-z0-9]{12}|xox[abp]-|-begin [a-z ]*private key"
    r"|(?:\d[ -]?){15,18}\d"
)


def is_shouted(text: str) -> bool:
    """Tell whether a message is mostly emoji, or at least full of them."""
    return sum(map(_is_emoji, text)) > max(_MOST_EMOJI, len(text) // _CHARACTERS_PER_EMOJI)


def passes(said: str) -> bool:
    """Tell whether a sentence is long enough, short enough, made of words and free of secrets."""
    if len(said) not in SENTENCE_CHARACTERS or len(said.split()) < _FEWEST_WORDS:
        return False
    if sum(map(_is_emoji, said)) > _MOST_EMOJI or sum(map(str.isalpha, said)) < _LETTERS_AT_LEAST * len(said):
        return False
    return _SECRET.search(fold_spelling(said)) is None


def _is_emoji(letter: str) -> bool:
    return letter >= _EMOJI_PLANE or _EMOJI_FROM <= letter <= "\u27bf"
