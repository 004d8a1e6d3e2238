"""A last look at what a finding would replace: a slot is filled only by what can stand in it.

Filling a slot sends the value before it to the history. "I live in fear" must not end the life in Brno.
"""

from dataclasses import replace

import re2

from recollect.model.messages import Captured

_MOST_WORDS = {"home": 4, "employer": 5, "name": 4}
_ANOTHER = re2.compile(
    r"(?i)(?:^|[^\pL])(?:other|another|second|older|younger|elder|oldest|youngest|middle|andere[nrsm]?|zweite[nrsm]?|ältere[nrsm]?"
    r"|jüngere[nrsm]?|druh\pL+|další\pL*|starší\pL*|mladší\pL*|ostatní|друг\pL+|втор\pL+|старш\pL+|младш\pL+)(?:$|[^\pL])"
)


def plausible(found: Captured) -> Captured:
    """Give the finding, without its key when its value is nothing that the key could have."""
    if not found.key or _fits(found):
        return found
    return replace(found, key="", value="" if found.key in _MOST_WORDS else found.value)


def _fits(found: Captured) -> bool:
    if found.subject != "user" and _ANOTHER.search(found.content):
        return False
    most = _MOST_WORDS.get(found.key)
    if most is None:
        return True
    words = found.value.split()
    named = found.value[:1].isupper() or (found.content.islower() and found.key == "name")
    return bool(words) and len(words) <= most and named and not (found.key == "home" and _has_number(found.value))


def _has_number(value: str) -> bool:
    return any(character.isdigit() for character in value)
