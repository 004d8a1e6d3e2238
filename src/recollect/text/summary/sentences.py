# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Sentences of messages: split without code, quotations and tables, and with one line left of what was pasted; and each
as the summariser sees it: its terms, its cues, its numbers and names, and whether it says anything.

Cues are words by which a sentence shows what it is, such as a decision, a preference, a promise or small talk. All
languages are looked for at once: which one a sentence is in need not be known, and people mix them. Each word is looked
up, so that the time hardly grows with the number of cues.

The invariant: the time is bounded however long the message is, because only its beginning and end are looked at.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, groupby
from typing import Literal, NamedTuple, TypeAlias, get_args

from recollect.text.tables import read_lines, read_words
from recollect.text.terms import Forms, query_words

_FIRST, _LAST = 6_000, 2_000  # characters of a message that are read
_MOST_SENTENCES = 40
_LONGEST_SENTENCE = 600
_LONGEST_LINE = 1_500  # what is longer was not typed
_MOST_LINES = 15  # of a typed paragraph
_LONGEST_TOKEN = 100
_NEAR = 40  # characters around a full stop that say whether it ends a sentence
_WRAPPED = 60  # a line this long may go on in the next one
_MOST_SYMBOLS = 0.12

_RECALLED = "<relevant-context"
_RECALLED_END = re.compile(r"</relevant-context\b[^<>\n]*>")
_SKIPPED = re.compile(r"\s*(?:[>|#]|-{3,}|={3,}|\*{3,}|<[/!a-zA-Z])")
_CODE = re.compile(
    r"\s*(?:import \w+(?:$|[ .,;])|from [\w.]+ import |def \w+\(|class \w+[:(]|(?:const|let|var) \w+ ?=|#include|"
    r"function \w*\(|return\b.*;$|SELECT .+ FROM|\$ |>>> |at [\w.$<>]+\(|File \"|"
    r"(?:sudo|pip|npm|git|docker|cd) [\w-]+(?:$| ))"
)
_EXPLAINED = re.compile(r"(?i)(?:error|exception|failure|fatal|ошибка|chyba|fehler)\"?:\s")
_JSON = re.compile(r"[{}\[\]]|\"(?=\s*[:,}\]])|(?<=[:{,\[ ])\"|\"$")
_SYMBOLS = re.compile(r"[{}()\[\];=<>|\\&*$^~]")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,2}[.)])\s+(?=\S)")
_MARKUP = re.compile(r"\*\*|__|`")
_TROUBLE = re.compile(r"(?i)(?:error|exception|failed|failure|denied|timeout|not found|fatal|ошибка|chyba|fehler)")

_STOP = re.compile(r"[.!?…]+[\"'”“’»)\]]*(?=\s|$)|[。！？]+")
_LAST_WORD = re.compile(r"[^\s(\"'„“«]+$")

Sign: TypeAlias = Literal[
    "chatter", "formula", "decision", "preference", "identity", "fact", "wish", "done", "task", "promise", "request",
    "unsure", "hedge", "failed", "noted", "generic", "laughter", "yes", "no", "if",
]  # fmt: skip
_SIGNS: tuple[Sign, ...] = get_args(Sign)

_CUE_WORD = re.compile(r"\w+(?:'\w+)?")
_KEY = 3  # cues are filed under the first letters of their first word
_LONGEST_CACHED = 64  # characters: what is longer is no word, and would be kept as a key
_SPELLINGS = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u0451": "\u0435"})

_FEW = 3  # content words that a polite sentence may have without saying anything
_WORD = re.compile(r"\w+(?:['’]\w+)?")
_NUMBER = re.compile(r"\d[\d.,:/%-]*")
_IDENTIFIER = re.compile(r"\w+(?:[._@/-]\w+)+|\w*\d\w*[^\W\d_]\w*|[^\W\d_]\w*\d\w*")
_STRONG: frozenset[Sign] = frozenset(("decision", "preference", "identity", "wish", "task", "done", "request"))
_BEGINNING = 5  # letters
_OF_LEAD: frozenset[Sign] = frozenset(("chatter", "laughter", "yes", "no", "noted"))  # what a polite start shows
_SAME = 0.8  # of the words: one sentence repeats the other


class Passage(NamedTuple):
    """A sentence, or the telling line of something that was pasted."""

    text: str
    pasted: bool = False


def passages(message: str) -> list[Passage]:
    """Give the sentences of a message in order, at most forty: the first thirty and the last ten."""
    text = _excerpt(message)
    while (start := text.find(_RECALLED)) >= 0:  # memories that were put before a prompt are ours, not what was said
        end = _RECALLED_END.search(text, start)
        text = text[:start] + (text[end.end() :] if end else "")
    found = list(_passages(text))
    if len(found) > _MOST_SENTENCES:
        kept = _MOST_SENTENCES * 3 // 4
        found = [*found[:kept], *found[kept - _MOST_SENTENCES :]]
    return found


def split_sentences(text: str) -> Iterator[str]:
    """Split a line where sentences end: not after abbreviations, ordinals and initials, nor inside numbers and URLs."""
    start = 0
    for stop in _STOP.finditer(text):
        if (
            stop[0][0] != "."
            or stop[0].startswith("..")
            or _ends(text[start : stop.start()], text[stop.end() : stop.end() + _NEAR])
        ):
            sentence = text[start : stop.end()].strip()
            start = stop.end()
            if sentence:
                yield sentence[:_LONGEST_SENTENCE]
    if rest := text[start:].strip():
        yield rest[:_LONGEST_SENTENCE]


def strip_markup(line: str) -> str:
    """Give a line without bullets and markup."""
    return " ".join(_MARKUP.sub("", _ITEM.sub("", line, count=1)).split())


def error_line(text: str) -> str:
    """Give the last line that names an error and explains it, as in `ValueError: no such room`, or else the first."""
    telling = [line for line in _excerpt(text).split("\n") if _TROUBLE.search(line[:_LONGEST_LINE])]
    explained = [line for line in telling if _EXPLAINED.search(line[:_LONGEST_LINE])]
    line = (explained[-1] if explained else next(iter(telling), ""))[:_LONGEST_SENTENCE]
    return " ".join((_JSON.sub("", line) if '":' in line else line).split())


def _ends(before: str, after: str) -> bool:
    match = _LAST_WORD.search(before[-_NEAR:])
    word = match[0].casefold() if match else ""
    following = after.split(maxsplit=1)[0] if after.strip() else ""
    if not following:
        return True
    if word.isdigit() and len(word) <= len("31"):
        nouns = read_words("summary", "after an ordinal")
        return following[0].isupper() and following.casefold().strip(".,;:!?") not in nouns
    if word in read_words("summary", "abbreviations") or len(word) == 1:
        return False
    return not following[0].islower() or (len(word) > len("ab") and "." not in word)


def _excerpt(text: str) -> str:
    return text if len(text) <= _FIRST + _LAST else f"{text[:_FIRST]}\n{text[-_LAST:]}"


def _passages(text: str) -> Iterator[Passage]:
    for fenced, lines in _fences(text):
        if fenced:
            if line := error_line("\n".join(lines)):
                yield Passage(line, pasted=True)
            continue
        for blank, paragraph in groupby(lines, key=lambda line: not line.strip()):
            if not blank:
                yield from _paragraph(list(paragraph))


def _fences(text: str) -> Iterator[tuple[bool, list[str]]]:
    fenced = False
    run: list[str] = []
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            yield fenced, run
            fenced, run = not fenced, []
        else:
            run.append(line)
    yield fenced, run


def _paragraph(lines: list[str]) -> Iterator[Passage]:
    typed = [line for line in lines if not _is_code(line)]
    items = sum(1 for line in typed if _ITEM.match(line))
    pasted = len(lines) > _MOST_LINES and items < len(lines) // 2
    if pasted or any(len(line) > _LONGEST_LINE for line in typed):
        line = error_line("\n".join(lines)) or next(iter(typed), "")
        if first := next(split_sentences(strip_markup(line)), ""):
            yield Passage(first, pasted=True)
        return
    for line in _unwrapped(typed):
        yield from map(Passage, split_sentences(line))


def _unwrapped(lines: list[str]) -> Iterator[str]:
    """Join lines that were broken only because they were full."""
    open_line = ""
    for line in lines:
        text = strip_markup(line)
        goes_on = len(open_line) >= _WRAPPED and open_line[-1] not in ".!?…:;" and text[:1].islower()
        if open_line and not (goes_on and not _ITEM.match(line)):
            yield open_line
            open_line = text
        else:
            open_line = f"{open_line} {text}".strip()
    if open_line:
        yield open_line


def _is_code(line: str) -> bool:
    if _SKIPPED.match(line) or _CODE.match(line):
        return True
    if any(len(token) > _LONGEST_TOKEN and token.isascii() and "://" not in token for token in line.split()):
        return True
    return len(_SYMBOLS.findall(_MARKUP.sub("", line))) > max(2, len(line) * _MOST_SYMBOLS)


class _Cue(NamedTuple):
    sign: Sign
    words: tuple[str, ...]
    at_start: bool


class Signs(NamedTuple):
    """What the words of a sentence show. `idle` counts the words that are nothing but politeness."""

    found: frozenset[Sign]
    words: int
    idle: int
    negated: bool


def words_of(text: str) -> list[str]:
    """Give the words of a text without case, as cues are spelled."""
    return _CUE_WORD.findall(text.casefold().translate(_SPELLINGS))


def signs_of(text: str) -> Signs:
    """Look for every cue."""
    words = words_of(text)
    found: set[Sign] = set()
    idle: set[int] = set()
    for position, word in enumerate(words):
        for cue in _cues_for(word):
            if _stands_at(cue, words, position):
                found.add(cue.sign)
                if cue.sign == "chatter":
                    idle.update(range(position, position + len(cue.words)))
    return Signs(frozenset(found), len(words), len(idle), not read_words("summary", "negations").isdisjoint(words))


def lead_length(words: Sequence[str]) -> int:
    """Say how many words at the start are politeness that the rest does not need."""
    length = 0
    while length < len(words):
        cues = [cue for cue in _cues_for(words[length]) if cue.sign == "chatter"]
        matching = [len(cue.words) for cue in cues if _stands_at(cue, words, length)]
        if not matching:
            break
        length += max(matching)
    return length


def _cues_for(word: str) -> tuple[_Cue, ...]:
    return (_find_cues if len(word) <= _LONGEST_CACHED else _find_cues.__wrapped__)(word)


@lru_cache(maxsize=20_000)
def _find_cues(word: str) -> tuple[_Cue, ...]:
    return tuple(cue for cue in _cues().get(word[:_KEY], ()) if _agree(cue.words[0], word))


def _stands_at(cue: _Cue, words: Sequence[str], position: int) -> bool:
    if cue.at_start and position:
        return False
    length = len(cue.words)
    if length == 1:
        return True
    rest = words[position + 1 : position + length]
    return len(rest) == length - 1 and all(map(_agree, cue.words[1:], rest))


def _agree(pattern: str, word: str) -> bool:
    if pattern[-1] == "*":
        return word.startswith(pattern[:-1])
    return word.endswith(pattern[1:]) if pattern[0] == "*" else word == pattern


@cache
def _cues() -> Mapping[str, tuple[_Cue, ...]]:
    """Give the cues by the first letters of their first word."""
    cues: defaultdict[str, list[_Cue]] = defaultdict(list)
    for sign in _SIGNS:
        for line in read_lines("summary", sign):
            words = tuple(line.casefold().translate(_SPELLINGS).replace("^", "").replace("-", " ").split())
            cues[words[0].rstrip("*")[:_KEY]].append(_Cue(sign, words, "^" in line))
    return {key: tuple(filed) for key, filed in cues.items()}


class SentenceFeatures(NamedTuple):
    """What a sentence consists of. `idle` means that leaving it out loses nothing."""

    text: str
    words: tuple[Forms, ...]
    terms: frozenset[str]
    signs: frozenset[Sign]
    numbers: frozenset[str]
    names: int
    asks: bool
    idle: bool
    negated: bool


def read_sentence(text: str, *, names_are_capital: bool = True) -> SentenceFeatures:
    """Read a sentence. Where nouns are written with a capital, a capital does not show a name."""
    signs = signs_of(text)
    whole, text = text, _without_lead(text)
    words = query_words(text)
    numbers = frozenset(number.rstrip(".,:/-") for number in _NUMBER.findall(text))
    names = len(_IDENTIFIER.findall(text)) + (_capitals(text) if names_are_capital else 0)
    shown_signs = signs.found if text is whole else (signs.found & _OF_LEAD) | signs_of(text).found
    end = text.rstrip("\"'”») ")[-1:]
    questions = read_words("summary", "question words")  # which tell where there is no mark at all
    asks = end in {"?", "？", "؟"} or (end.isalnum() and not questions.isdisjoint(words_of(text)[:1]))
    short = signs.words - signs.idle <= len(("do", "it")) and not asks
    polite = short or ("chatter" in shown_signs and len(words) <= _FEW and 2 * signs.idle >= signs.words)
    personal = signs.words > 1 and not shown_signs.isdisjoint(("preference", "identity"))  # I'm vegan
    bare = signs.words == signs.idle or (len(words) <= 1 and not names and not personal and not asks)
    empty = "formula" in shown_signs or bare or (polite and shown_signs.isdisjoint(_STRONG))
    return SentenceFeatures(
        text=text,
        words=words,
        terms=frozenset(chain.from_iterable(words)),
        signs=shown_signs,
        numbers=numbers,
        names=names,
        asks=asks,
        idle=empty and not numbers and ("formula" in shown_signs or not names or not words),
        negated=signs.negated,
    )


def coverage(part: SentenceFeatures, whole: SentenceFeatures) -> float:
    """Say how much of the first sentence's words the second one has, from 0 to 1."""
    if not part.words or part.terms.isdisjoint(whole.terms):
        return 0.0
    return sum(1 for forms in part.words if not whole.terms.isdisjoint(forms)) / len(part.words)


def loosely_covers(part: SentenceFeatures, whole: SentenceFeatures) -> float:
    """Like `coverage`, but it is enough if words begin alike: a plan and its deed differ in the ending."""
    starts = {term[:_BEGINNING] for term in whole.terms}
    shared = sum(1 for forms in part.words if any(form[:_BEGINNING] in starts for form in forms))
    return shared / max(1, len(part.words))


def alike(a: SentenceFeatures, b: SentenceFeatures) -> float:
    """Say how far one of two sentences is contained in the other, from 0 to 1."""
    return max(coverage(a, b), coverage(b, a)) if a.terms and b.terms else 0.0


def repeats(sentence: SentenceFeatures, other: SentenceFeatures) -> bool:
    """Tell whether a sentence adds nothing to another: no word to speak of, no number, and no denial."""
    new = sentence.negated != other.negated or not sentence.numbers <= other.numbers
    return not new and coverage(sentence, other) >= _SAME


def _without_lead(text: str) -> str:
    """Leave out the politeness a sentence starts with, where a comma or the like sets it apart."""
    spans = [match.span() for match in _WORD.finditer(text)]
    lead = lead_length(words_of(text))
    if not 0 < lead < len(spans):
        return text
    between = text[spans[lead - 1][1] : spans[lead][0]]
    rest = text[spans[lead][0] :]
    return rest[:1].upper() + rest[1:] if between.strip() else text


def _capitals(text: str) -> int:
    """Count the words with a capital that do not start the sentence."""
    words: Sequence[str] = _WORD.findall(text)
    return sum(1 for word in words[1:] if word[0].isupper() and len(word) > 1 and not word.startswith(("I'", "I’")))
