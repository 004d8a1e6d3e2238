"""Which texts say nothing: too short, without a word, or a line of a system. A judgement by form alone."""

import re
import unicodedata
from typing import Final, Literal

NoiseRule = Literal["noise", "short", "system"]

SHORT: Final = 10  # characters; an ideograph says as much as three letters
_WIDE: Final = 3
_SYSTEM: Final = re.compile(r"\[system(?:[ _-]\w+)*\]|\A\s*<system[\w-]*>", re.IGNORECASE)
_FEW_LETTERS: Final = 2
_REPEATED: Final = 4


def noise_rule(text: str) -> NoiseRule | None:
    """Give the rule by which a text says nothing; None when it may say something."""
    if _SYSTEM.search(text):
        return "system"
    kept = [character for character in text.casefold() if character.isalnum()]
    letters = {character for character in kept if character.isalpha()}
    if not kept or (len(kept) >= _REPEATED and len(letters) == len({*kept}) <= _FEW_LETTERS):
        return "noise"
    return "short" if _weight(text.strip()) < SHORT else None


def _weight(text: str) -> int:
    return sum(_WIDE if unicodedata.east_asian_width(character) in "WF" else 1 for character in text[:SHORT])
