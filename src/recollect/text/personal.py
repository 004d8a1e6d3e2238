"""Whether a text is about the user's own world: questions for memory mostly say `my` or `we`, general ones do not."""

import re
from functools import cache

from recollect.text.clean import fold
from recollect.text.language import guess_language
from recollect.text.stems import unaccented
from recollect.text.tables import LANGUAGES, read_words

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_QUOTED = re.compile(r'"[^"\n]*"|«[^»\n]*»|“[^”\n]*”|„[^“”\n]*[“”]')


def is_personal(text: str) -> bool:
    """Tell whether users speak of themselves or their own, outside of quotations.

    A text in a language without tables is taken for personal.
    """
    own = _QUOTED.sub(" ", text)
    language = guess_language(own)
    if language is not None and language not in LANGUAGES:
        return True
    pattern = _pattern(*(() if language is None else (language,)))
    return any(pattern.fullmatch(unaccented(word)) for word in _WORD.findall(fold(own).replace("\u2019", "'")))


@cache
def _pattern(*languages: str) -> re.Pattern[str]:
    """Compile the words and endings of a language; when it is not known, the words of all that have tables."""
    entries = sorted(map(unaccented, read_words("query", "own", *languages)))
    words = [re.escape(entry) for entry in entries if not entry.startswith("-")]
    endings = [f".+{re.escape(entry[1:])}" for entry in entries if entry.startswith("-") and languages]
    return re.compile("|".join((*words, *endings)))
