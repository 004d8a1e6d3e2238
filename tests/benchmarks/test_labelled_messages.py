"""The score of capture counts what it says it counts."""

import json
from pathlib import Path

from benchmarks.labelled_messages import LINES, LabelledFact, LabelledMessage, load_lines, load_messages, says, score

from recollect.model.readings import Reading, Statement, TextSpan
from recollect.text.capture import CaptureRules

HOBBY = LabelledFact("fact", "hobby", "I collect old stamps", "stamps", "me")
MOVE = LabelledFact("decision", "-", "we chose the green house", "", "me")


def message(text: str, *facts: LabelledFact, handed_over: bool = False) -> LabelledMessage:
    return LabelledMessage(text, facts, "no", handed_over=handed_over, language="en")


def reading(text: str, *said: str) -> Reading:
    spans = [TextSpan(text.index(one), text.index(one) + len(one)) for one in said]
    last = [TextSpan(span.end - len(one.split()[-1]), span.end) for span, one in zip(spans, said, strict=True)]
    return Reading(tuple(Statement("fact", span, 0.99, "", value) for span, value in zip(spans, last, strict=True)))


def test_a_memory_says_a_fact_by_its_value_or_half_of_its_words() -> None:
    assert says("I have  Stamps from Peru", HOBBY)
    assert not says("I collect old coins", HOBBY)
    assert says("the green house it is", MOVE)
    assert not says("the house", MOVE)


def test_everything_is_counted_once() -> None:
    found, missed = "I collect old stamps", "we chose the green house"
    texts = [f"{found}, {missed}", "they sold the red boat", "she sang a loud song", "nothing to see here"]
    messages = [
        message(texts[0], HOBBY, MOVE),
        message(texts[1]),
        message(texts[2], handed_over=True),
        message(texts[3]),
    ]
    readings = [reading(texts[0], found), *(reading(text, text) for text in texts[1:3]), Reading()]
    counted = score(messages, readings, CaptureRules())
    assert (counted.messages, counted.facts, counted.found) == (4, 2, 1)
    assert (counted.kept, counted.right) == (3, 1)
    assert (counted.valued, counted.exact) == (1, 1)
    assert (counted.silent, counted.silent_taught, counted.handed, counted.handed_taught) == (3, 2, 1, 1)
    assert "recall 0.500  precision 0.333  value exact 1.000  taught without a fact 2 of 3" in counted.line


def test_a_value_counts_as_exact_without_regard_to_case_only() -> None:
    text = "I collect old stamps"
    assert score([message(text, HOBBY._replace(value="STAMPS"))], [reading(text, text)], CaptureRules()).exact == 1
    assert score([message(text, HOBBY._replace(value="old stamps"))], [reading(text, text)], CaptureRules()).exact == 0


def test_marks_are_taken_out_of_messages(tmp_path: Path) -> None:
    fact = {"type": "fact", "key": "hobby", "span": "I collect", "value": "", "who": "me"}
    rows = [{"message": "look: ⟪my name is Jean⟫", "facts": [], "need": "no"},
            {"message": "I collect", "facts": [fact], "need": "yes"}]  # fmt: skip
    (tmp_path / "fr.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    handed, own = load_messages(tmp_path)
    assert (handed.text, handed.handed_over, handed.facts, handed.language) == ("look: my name is Jean", True, (), "fr")
    assert (own.handed_over, own.need, own.facts) == (
        False,
        "yes",
        (LabelledFact("fact", "hobby", "I collect", "", "me"),),
    )


def test_lines_are_read_by_part() -> None:
    tuned, untouched = (load_lines(LINES, part) for part in ("tuned", "untouched"))
    assert {line.language for line in tuned} == {line.language for line in untouched} == {"en", "ru", "cs", "de"}
    assert not {line.text for line in tuned} & {line.text for line in untouched}
