# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Names that are near each other: inflected, shortened, misspelt, or written in another script.

The invariant: a word of a question means a known name only if it is near no other known name.
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from recollect.text.clean import fold
from recollect.text.language import function_words, unaccented

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_VOWELS = frozenset("aeiouyаеиоуыэюяйь")
_SHORTEST_ROOT = 2
_LONGEST_ENDING = 3
_SHORTEST_NAME = 3
_SHORTEST_MISSPELT = 4
_LONGEST_MISSPELT = 30
_TWO_WRONG = 7  # letters of names in which two may be wrong
_SHORTEST_SMALL = 6  # letters of a name that is typed without a capital
_MOST_WORDS = 12
_MOST_NAMES = 200

# What a sound is spelt like in any of the languages, roughly, so that Лёша is near Ljoscha and Lyosha.
_LATIN = str.maketrans(
    dict(zip("абвгґдеэзиійклмнопрстуфыў", "abvggdeeziiiklmnoprstufiu", strict=True))
    | {"ё": "io", "є": "ie", "ї": "i", "ж": "zh", "х": "h", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sh"}
    | {"ю": "iu", "я": "ia", "ь": "", "ъ": ""}
)
_SPELLINGS = {
    "sch": "sh",
    "ch": "h",
    "kh": "h",
    "ck": "k",
    "ph": "f",
    "th": "t",
    "y": "i",
    "j": "i",
    "w": "v",
    "ou": "u",
    "c": "k",
}


class _Name(NamedTuple):
    plain: str
    sound: str


def near_names(text: str, known: Collection[str]) -> frozenset[str]:
    """Give the known names that a question means by another form or spelling of them, as `Muhamad` or `Mel`."""
    words = list(islice(_name_like(text), _MOST_WORDS))
    if not words or len(known) > _MOST_NAMES:
        return frozenset()
    found: set[str] = set()
    for word in words:
        near = [name for name in known if any(_is_near(part, word) for part in _parts(name))]
        if len(near) == 1:
            found.update(near)
    return frozenset(found)


def same_name(name: str, other: str) -> bool:
    """Tell whether two plain words may be one name with different endings: Mia, Mií; Тома, Томом."""
    short, long = sorted((name, other), key=len)
    if short == long:
        return True
    root = len(short) - (short[-1:] in _VOWELS)
    return root >= _SHORTEST_ROOT and len(long) - root <= _LONGEST_ENDING and short[:root] == long[:root]


def _name_like(text: str) -> Iterator[_Name]:
    small = not any(map(str.isupper, text))
    for word in _WORD.findall(text):
        name = _name(word)
        long_enough = len(name.plain) >= (_SHORTEST_SMALL if small else _SHORTEST_NAME)
        if long_enough and (small or word[0].isupper()) and fold(word) not in function_words():
            yield name


@lru_cache(maxsize=1_000)
def _parts(name: str) -> tuple[_Name, ...]:
    return tuple(part for part in map(_name, _WORD.findall(name)) if len(part.plain) >= _SHORTEST_NAME)


def _name(word: str) -> _Name:
    plain = unaccented(fold(word)).replace("\u2019", "'").removesuffix("'s").rstrip("'")
    sound = plain.translate(_LATIN)
    for spelling, usual in _SPELLINGS.items():
        sound = sound.replace(spelling, usual)
    return _Name(plain, "".join(now for before, now in zip(" " + sound, sound, strict=False) if now != before))


def _is_near(name: _Name, word: _Name) -> bool:
    """Tell whether a word is the name with another ending, a short form, of the same sound, or misspelt."""
    if name.plain.startswith(word.plain) or name.sound == word.sound or _inflected(name.sound, word.sound):
        return True
    lengths = sorted((len(name.sound), len(word.sound)))
    wrong = 2 if lengths[0] >= _TWO_WRONG else 1
    if not _SHORTEST_MISSPELT <= lengths[0] <= _LONGEST_MISSPELT or lengths[1] - lengths[0] > wrong:
        return False
    return name.sound[0] == word.sound[0] and _distance(name.sound, word.sound) <= wrong


def _inflected(name: str, word: str) -> bool:
    return same_name(name, word) and (len(name) > _SHORTEST_NAME or abs(len(name) - len(word)) <= 1)


def _distance(one: str, other: str) -> int:
    """Count the letters that are wrong, missing or superfluous; two that are swapped are one."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        last, before, row = before, row, [number]
        for place, its in enumerate(other, 1):
            least = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != its))
            if last and place > 1 and letter == other[place - 2] and one[number - 2] == its:
                least = min(least, last[place - 2] + 1)
            row.append(least)
    return row[-1]
