# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""What of an exchange is worth a point: the user's own words first, then what was done, answered and left open."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from recollect.text.summary.calls import TROUBLED, written
from recollect.text.summary.exchanges import Exchange
from recollect.text.summary.reading import Sentence, coverage, read_sentence
from recollect.text.summary.shortening import shortened
from recollect.text.summary.signs import words_of
from recollect.text.summary.statements import Kind, Statement, statement


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The first of these that a sentence shows is what it is.
_BY_SIGN: tuple[Kind, ...] = ("decision", "identity", "preference", "task", "wish", "promise")
_LABELS: dict[Kind, str] = {"decision": "Decision: ", "preference": "User preference: ", "pasted": "User pasted: "}
_SHORT_REPLY = 5  # content words
_LONG_QUESTION = 4  # content words; a shorter one may be a part of the question before it
_LONGEST_QUESTION = 100
_LONGEST_CONTEXT = 70
_LONGEST_OPTION = 80
_COVERED, _UNCOVERED = 0.4, 0.15
_TAKEN_UP = 0.6
_LEAST_WORDS = 2
_PRONOUNS = _words("""
    his her their he she they it it's that's это его её ее их он она они to jeho její jejich sein seine ihr ihre er sie
""")


def find(exchange: Exchange, before: Sentence | None = None) -> Iterator[Statement]:
    """Give everything that may become a point. `before` is what the user last said before this exchange."""
    said = list(exchange.said)
    reply = _reply(exchange)
    if reply:
        said.pop(0)
        yield reply
    wants = [sentence for sentence in said if _is_want(sentence)]
    for sentence in said:
        if not sentence.idle and not _is_want(sentence):
            yield _of_user(sentence, exchange, before)
        before = before if sentence.idle and not sentence.asks else sentence
    for sentence in [pasted for pasted in exchange.pasted if pasted.words][:1]:
        yield statement("key_points", "pasted", _LABELS["pasted"], sentence, exchange.order)
    yield from _answers(exchange, wants)
    yield from _of_assistant(exchange, wants)


def _is_want(sentence: Sentence) -> bool:
    """Tell whether the user asks for an answer or a deed."""
    stated = sentence.negated or not sentence.signs.isdisjoint(("decision", "identity", "preference", "wish"))
    return sentence.asks or ("request" in sentence.signs and not stated)


def _of_user(sentence: Sentence, exchange: Exchange, before: Sentence | None) -> Statement:
    kind = _kind(sentence)
    if kind in {"said", "fact"} and "yes" in sentence.signs and _takes_up(sentence, exchange.heard):
        kind = "decision"
    label = _LABELS.get(kind, "User: ")
    if before and label == "User: " and not _PRONOUNS.isdisjoint(words_of(sentence.text)[:1]):
        label = f"User (on “{shortened(before.text, _LONGEST_CONTEXT)}”): "
    return statement(
        "open_items" if kind in {"task", "promise"} else "key_points", kind, label, sentence, exchange.order
    )


def _takes_up(sentence: Sentence, heard: Sequence[Sentence]) -> bool:
    """Tell whether the user says yes to something that the assistant has just said."""
    return any(coverage(sentence, other) >= _TAKEN_UP for other in heard)


def _kind(sentence: Sentence) -> Kind:
    for kind in _BY_SIGN:
        if kind in sentence.signs:
            return kind
    if "request" in sentence.signs:
        return "wish"  # what not to do; what to do would be a want
    if "done" in sentence.signs and not sentence.negated:
        return "done"
    return "fact" if "fact" in sentence.signs else "said"


def _reply(exchange: Exchange) -> Statement | None:
    """Join a short answer to the question it answers; alone it would say nothing."""
    question = exchange.offered
    first = exchange.said[0] if exchange.said else None
    own = ("task", "wish", "decision", "preference", "identity")  # says enough by itself
    if not question or not first or first.asks or len(first.words) > _SHORT_REPLY or not first.signs.isdisjoint(own):
        return None
    agreed, refused = "yes" in first.signs, "no" in first.signs
    if first.idle and not (agreed or refused) and len(first.words) > 1:
        return None
    option = exchange.options.get((words_of(first.text) or [""])[0])
    meant = f" ({shortened(option, _LONGEST_OPTION)})" if option else ""
    joined = read_sentence(f"{shortened(question.text, _LONGEST_QUESTION)} — {first.text.rstrip('.')}{meant}")
    found = statement("key_points", "reply", "User agreed: " if agreed else "User answered: ", joined, exchange.order)
    if refused or (agreed and _deeds(exchange)):
        return replace(found, worth=found.worth - (2.0 if refused and not option else 1.2))
    return found


def _deeds(exchange: Exchange) -> list[Sentence]:
    return [sentence for sentence in exchange.replied if _is_deed(sentence)]


def _is_deed(sentence: Sentence) -> bool:
    unreal = not sentence.signs.isdisjoint(("unsure", "if", "formula"))
    return "done" in sentence.signs and not unreal and not sentence.asks and not sentence.negated


def _answers(exchange: Exchange, wants: Sequence[Sentence]) -> Iterator[Statement]:
    """Give the telling sentence of each answer; what got none is open."""
    told = [sentence for sentence in exchange.replied if _is_telling(sentence)]
    covered = [max((coverage(want, sentence) for sentence in exchange.replied), default=0.0) for want in wants]
    for place, (want, cover) in enumerate(zip(wants, covered, strict=True)):
        is_long = len(want.words) >= _LONG_QUESTION
        passed_over = cover < _UNCOVERED and max(covered) > _COVERED and is_long
        if passed_over or not _is_served(want, exchange):
            if not want.idle:
                yield statement("open_items", "question", "User asked: ", want, exchange.order)
        elif told and not _deeds(exchange) and (is_long or not place):
            yield _answer(want, told, exchange.order)


def _is_telling(sentence: Sentence) -> bool:
    silent = sentence.idle or sentence.asks or sentence.text.endswith(":")
    return not silent and sentence.signs.isdisjoint(("unsure", "promise"))


def _is_served(want: Sentence, exchange: Exchange) -> bool:
    """Tell whether something was done or said about what the user wants. For a question any word will do."""
    if exchange.works or any(_is_telling(sentence) or _is_deed(sentence) for sentence in exchange.replied):
        return True
    if "request" in want.signs:
        return any(not call.looks and not call.trouble for call in exchange.calls)
    return bool(exchange.replied) and all(s.signs.isdisjoint(("unsure", "promise")) for s in exchange.replied)


def _answer(want: Sentence, told: Sequence[Sentence], order: int) -> Statement:
    def telling(item: tuple[int, Sentence]) -> float:
        place, sentence = item
        worth = coverage(want, sentence) + 0.4 * bool(sentence.numbers) + 0.1 * min(sentence.names, 3)
        worth += 0.4 if place == 0 else 0.0
        return worth - 0.3 * ("if" in sentence.signs) - 0.8 * ("hedge" in sentence.signs)

    best = max(enumerate(told), key=telling)[1]
    if coverage(want, best) * len(want.words) >= 1 and len(best.words) > _LEAST_WORDS:
        return statement("key_points", "answer", "Assistant: ", best, order)
    joined = read_sentence(f"{shortened(want.text, _LONGEST_QUESTION)} — {best.text}")
    return statement("key_points", "answer", "User asked: ", joined._replace(asks=False), order)


def _of_assistant(exchange: Exchange, wants: Sequence[Sentence]) -> Iterator[Statement]:
    order = exchange.order
    for sentence in exchange.replied:
        if not sentence.idle and not sentence.asks and not _is_deed(sentence):
            yield from _prose(sentence, order, asked=bool(wants))
    done = [sentence for sentence in _deeds(exchange) if len(sentence.words) >= _LEAST_WORDS and not sentence.idle]
    label = ""
    told = any(map(_is_telling, exchange.replied))
    if not done and (_deeds(exchange) or (exchange.works and not told)):
        done, label = _as_asked(exchange, wants), "Done as asked: "
    lines = written(call for call in exchange.calls if call.trouble or not call.looks)
    if len(done) == len(lines) == 1 and TROUBLED not in lines[0]:
        # One deed, one call: the words of the assistant and the names that the tool knows belong together.
        done = [read_sentence(f"{done[0].text.rstrip('.')} — c{lines.pop()[1:]}")]
    for sentence in done:
        yield statement("actions", "done", label, sentence, order)
    for line in lines:
        found = statement("actions", "call", "", read_sentence(line), order)
        # What was called hardly matters once the assistant has said what came of it.
        yield replace(found, worth=found.worth - (0.9 if done or told else 0.0) + (0.4 if TROUBLED in line else 0.0))


def _as_asked(exchange: Exchange, wants: Sequence[Sentence]) -> list[Sentence]:
    """Say what was done when the assistant only said that it was."""
    agreed = exchange.offered if exchange.said and "yes" in exchange.said[0].signs else None
    asked = [want for want in wants if not want.idle and "request" in want.signs]
    return (asked or ([agreed] if agreed else []))[:1]


def _prose(sentence: Sentence, order: int, *, asked: bool) -> Iterator[Statement]:
    if "decision" in sentence.signs and "if" not in sentence.signs:
        found = statement("key_points", "decision", "Decision: ", sentence, order)
        yield replace(found, worth=found.worth - 0.7)
    elif "promise" in sentence.signs and "if" not in sentence.signs:
        if not asked:
            yield statement("open_items", "promise", "Assistant: ", sentence, order)
    else:
        # That something could not be done is worth more than prose, and less than what could.
        found = statement("key_points", "prose", "Assistant: ", sentence, order)
        yield replace(found, worth=found.worth + (0.4 if "unsure" in sentence.signs else 0.0))
