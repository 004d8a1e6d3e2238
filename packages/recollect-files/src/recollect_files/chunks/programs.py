"""Looks at programs: where definitions begin, by the words that most languages begin them with, and by indentation.

The invariant: a definition begins with the comments and decorators that stand right above it.
"""

import re
from typing import Final

from recollect_files.chunks.layout import BLOCK, HEADINGS, ITEM, LINE, NEVER, SECTION, Heading, SourceLines, TextLayout

_MODIFIERS: Final = (
    r"(?:(?:pub(?:\([a-z]{1,10}\))?|public|private|protected|internal|static|final|abstract|sealed|open|override"
    r"|export|default|async|declare|unsafe|extern|const|inline|virtual|data|partial|local)[ \t]{1,4}){0,5}"
)
_KEYWORDS: Final = (
    r"(?:def|class|function\*?|func|fn|fun|impl|struct|interface|trait|enum|union|module|namespace|mod|macro_rules!|sub"
    r"|procedure|protocol|extension|object|record|defmodule|defp?|package|type|actor)"
)
_DEFINITION: Final = re.compile(
    rf"({_MODIFIERS})({_KEYWORDS})[ \t]{{1,4}}((?:\([^()]{{0,80}}\)[ \t])?[\w.$:<>?!*&'-]{{1,80}})"
)
_ARROW: Final = re.compile(
    r"(?:export[ \t])?(?:const|let|var)[ \t]([\w$]{1,80})[ \t]?=[ \t]?(?:async[ \t]?)?(?:\(|function)"
)
_ROUTINE: Final = re.compile(
    r"(?:[\w<>\[\],:*&~]{1,60}[ \t]{1,4}){1,5}[*&]?([\w:~]{1,80})[ \t]?\([^;]{0,300}\{[ \t]{0,4}$"
)
_SQL: Final = re.compile(r"(?:create|alter)[ \t](?:or[ \t]replace[ \t])?\w{1,20}[ \t][\w.\"]{1,80}", re.IGNORECASE)
_NO_DEFINITION: Final = ("return", "else", "if", "for", "while", "switch", "new", "throw", "await", "case", "do", "try")
_ATTACHED: Final = ("@", "#", "//", "/*", "*", "--", ";;", '"""', "%")
_LONGEST_LINE: Final = 400
_TAB: Final = 4


def look_at_program(text: SourceLines) -> TextLayout:
    """Give the layout of a program: definitions as headings, the deeper the further they are indented."""
    ranks = bytearray([NEVER]) * len(text.lines)
    headings: list[Heading] = []
    fresh, attached = True, -1
    for number, line in enumerate(text.lines):
        core = line.lstrip()
        if not core:
            fresh, attached = True, -1
            continue
        indent = len(line) - len(core)
        ranks[number] = (BLOCK if not indent else ITEM) if fresh else LINE
        fresh = False
        title = _definition(core)
        if title:
            first = number if attached < 0 else attached
            ranks[number] = LINE
            ranks[first] = HEADINGS.get(1 + (indent if line[0] == "\t" else (indent + 1) // _TAB), SECTION)
            headings.append(Heading(first, number, indent + 1, title))
            attached = -1
        elif core.startswith(_ATTACHED):
            attached = number if attached < 0 else attached
        else:
            attached = -1
    return TextLayout(ranks, headings)


def _definition(core: str) -> str:
    if len(core) > _LONGEST_LINE or not (core[0].isalpha() or core[0] == "_") or core.startswith(_NO_DEFINITION):
        return ""
    if match := _DEFINITION.match(core):
        return f"{match[2]} {match[3].rstrip(':<')}"
    if match := _ARROW.match(core):
        return match[1]
    if core.rstrip()[-1] == "{" and (match := _ROUTINE.match(core)):
        return match[1]
    match = _SQL.match(core)
    return match[0] if match else ""
