"""Which files a question names, so that those come first."""

import re

# A word with a dot and an ending, or with a slash in it; a place such as `:12-30` after it is not part of the name.
_NAME = re.compile(r"(?:[^\s\"'`<>|:*?()\[\]{},;]*/)?[^\s\"'`<>|:*?()\[\]{},;/]+")
_ENDING = re.compile(r"\.[^\W_]\w{0,9}$")
_MOST = 5
_LONGEST = 400


def file_names(text: str) -> tuple[str, ...]:
    """Give the names and paths of files in a text, without case and without what stands before a relative path."""
    found: dict[str, None] = {}
    for match in _NAME.finditer(text[:_LONGEST]):
        name = match[0].rstrip(".").casefold()
        if "/" in name or _ENDING.search(name):
            found[name.removeprefix("~").removeprefix("./").lstrip("/")] = None
    found.pop("", None)
    return tuple(found)[:_MOST]
