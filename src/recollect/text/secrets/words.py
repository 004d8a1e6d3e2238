"""Secrets that are known by the words beside them: passwords, codes and keys, in programs and in four languages.

A noun alone proves nothing ("I forgot my password"); what counts is a value that it is given, and how that value looks.
"""

import re
from collections.abc import Mapping
from functools import cache

from recollect.text.secrets import values
from recollect.text.secrets.kind import Check, Kind, group, only_if, patterns
from recollect.text.tables import COMMON, TableError, load_sections, read_pairs, split_pair

_GAP = re.compile(r"\{([a-z][a-z ]+)\}")
_CHECKS: Mapping[str, Check] = {
    **{
        check.__name__: check
        for check in (
            group, values.basic, values.bearer, values.code_list, values.cookie, values.credential, values.dense_nearby,
            values.door_code, values.element, values.flag, values.header, values.named_after, values.password,
            values.password_nearby, values.pin, values.session, values.url_password,
        )
    },
    **{test.__name__: only_if(test, 1) for test in (values.base32, values.seed_phrase)},
}  # fmt: skip


@cache
def words() -> tuple[Kind, ...]:
    """Give the kinds, with the nouns and verbs of all languages in their patterns."""
    parts = dict(read_pairs("secret_words", "parts"))
    found: list[Kind] = []
    for section in load_sections(COMMON, "secret_words")[1:]:
        fields = dict(map(split_pair, section.lines))
        if fields.keys() != {"pattern", "hint", "check"} or fields["check"] not in _CHECKS:
            raise TableError(
                f"{section.lines[0].place}: expected a pattern, a hint, and as check one of {', '.join(_CHECKS)}."
            )
        pattern, hint = (_filled(fields[name], parts) for name in ("pattern", "hint"))
        found.append(Kind(section.heading, pattern, _CHECKS[fields["check"]], hint))
    return tuple(found)


def _filled(pattern: str, parts: Mapping[str, str]) -> str:
    """Put what a name in braces stands for in its place, again and again, because parts may name others."""
    while _GAP.search(pattern):
        pattern = _GAP.sub(lambda name: parts.get(name[1]) or patterns(name[1]), pattern)
    return pattern
