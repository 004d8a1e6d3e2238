"""Secrets that need a second look: cards and accounts, and passwords, codes and keys by the words beside them.

A noun alone proves nothing ("I forgot my password"); what counts is a value that it is given, and how that value looks.
"""

import re
from collections.abc import Mapping
from functools import cache

from recollect.text.secrets import checks, shapes, values
from recollect.text.secrets.kind import SecretCheck, SecretKind, group, only_if, patterns
from recollect.text.tables import COMMON, TableError, load_sections, read_pairs, split_pair

_GAP = re.compile(r"\{([a-z][a-z ]+)\}")
_SPANS = (
    group, shapes.account_number, shapes.card_number, shapes.card_number_after, shapes.social_number, values.code_list,
    values.credential, values.dense_nearby, values.door_code, values.flag, values.password, values.password_nearby,
    values.pin,
)  # fmt: skip
_TESTS = (
    checks.is_login, shapes.dense_secret, values.base32, values.bearer, values.cookie, values.element, values.header,
    values.named_after, values.seed_phrase, values.session, values.url_password,
)  # fmt: skip
_CHECKS: Mapping[str, SecretCheck] = {
    **{check.__name__: check for check in _SPANS},
    **{test.__name__: only_if(test, 1) for test in _TESTS},
}


@cache
def checked_kinds() -> tuple[SecretKind, ...]:
    """Give the kinds, with the nouns and verbs of all languages in their patterns."""
    parts = dict(read_pairs("secret_patterns", "parts"))
    found: list[SecretKind] = []
    for section in load_sections(COMMON, "secret_patterns")[1:]:
        fields = dict(map(split_pair, section.lines))
        if fields.keys() != {"pattern", "hint", "check"} or fields["check"] not in _CHECKS:
            raise TableError(
                f"{section.lines[0].place}: expected a pattern, a hint, and as check one of {', '.join(_CHECKS)}."
            )
        pattern, hint = (_filled(fields[name], parts) for name in ("pattern", "hint"))
        found.append(SecretKind(section.heading, pattern, _CHECKS[fields["check"]], hint))
    return tuple(found)


def _filled(pattern: str, parts: Mapping[str, str]) -> str:
    """Put what a name in braces stands for in its place, again and again, because parts may name others."""
    while _GAP.search(pattern):
        pattern = _GAP.sub(lambda name: parts.get(name[1]) or patterns(name[1]), pattern)
    return pattern
