"""Standard output and standard error that take any text, whatever the terminal's encoding is."""

import codecs
import sys
import unicodedata

_NAME = "recollect.nearest"
_PLAIN = {
    "\N{MIDDLE DOT}": "-",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "-",
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
}


def tolerate_any_text() -> None:
    """Let letters that the terminal cannot show become the nearest ones that it can, instead of an error."""
    codecs.register_error(_NAME, _nearest)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_NAME)


def is_unicode() -> bool:
    """Say whether standard output can show every letter."""
    return codecs.lookup(sys.stdout.encoding or "ascii").name == "utf-8"


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_plain(letter, error.encoding) for letter in letters), error.end


def _plain(letter: str, encoding: str) -> str:
    if letter in _PLAIN:
        return _PLAIN[letter]
    bare = "".join(part for part in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(part))
    try:
        bare.encode(encoding)
    except UnicodeEncodeError:
        return "?"
    return bare or "?"
