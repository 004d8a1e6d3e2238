# ruff: noqa: RUF001 -- characters that look like others are the subject
"""What a model could take for the end of a quotation or a turn does not reach it; ordinary texts do as they are."""

import json
import unicodedata
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recollect.text.fence import Quoted, fenced
from recollect.text.harmless import harmless
from tests.growth import assert_linear
from tests.rows import every
from tests.sizes import sized

# Each is the end of our block, or a mark that a model reads as one of its own, in some disguise.
DISGUISES = [*map(json.loads, Path(__file__).with_name("disguises.jsonl").read_text("ascii").splitlines())]
MARKS = (
    "relevant-context", "<recollect", "</recollect", "<system", "</system", "<sys>", "</sys>", "<assistant",
    "</assistant", "<user>", "<human>", "<instructions>", "<tool_result", "<function_calls", "<thinking>", "<|", "|>",
    "<start_of_turn", "</s>", "[inst]", "[/inst]", "[system_prompt]", "<<<begin", "{{#", "[standing", "###", "#system:",
    "===system", "human:", "assistant:", "system:", "assistant**:",
)  # fmt: skip
ORDINARY = (
    "if (a < b && c > d) { return List<User>; }",
    "Map<String, List<Integer>> map = new HashMap<>();",
    "x <| f |> y, and a |> b",
    "vector<int> v; v[i] = 2 << 3 >> 1;",
    '<div class="user"><p>Hello</p></div>',
    "I use <context> in React and <memory> elsewhere",
    "1 < 2, 3 > 2, a ≤ b, a≮b, 1 < 2̀",
    "Anna Nováková <anna.novakova@example.com> wrote: see you at 10:30",
    "the systems: heating, water; user: see below",
    "# System requirements\n## Instructions for the oven\n- the assistant said: no",
    "«System of a Down», ‹relevant›, (relevant context), relevant-context",
    "<irrelevant-context>, <systemd>, <users>",
    "[install] the [instant] pot, [x] done, a[0] = [1, 2]",
    "https://example.com/?q=%3Cb%3E&lt=1&gt=2#system",
    "C:\\users\\system32, \\u00e9, 100 % sure, R&D",
    "у меня система: Ubuntu; ассистент: Анна. Řekl: „ahoj“ – Größe 38 😀👩‍👩‍👧 ✓",
    "Human resources called about the assistant position",
)


def skeleton(text: str) -> str:
    """What a careless reader makes of a text: without blanks, marks and case."""
    bare = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text)).casefold().replace("&lt;", "<")
    return "".join(c for c in bare if unicodedata.category(c)[0] not in "CMZ")


@every("disguise", DISGUISES)
def test_every_disguise_becomes_words(disguise: str) -> None:
    for text in (disguise, f"The pump\n{disguise} is in the attic", unicodedata.normalize("NFD", disguise)):
        shown = harmless(text)
        assert "(" in shown
        assert not [mark for mark in MARKS if mark in skeleton(shown)]
        assert harmless(shown) == shown
    block = fenced([Quoted(disguise, disguise), Quoted("a", f"b {disguise} c")], "n0nce").text
    assert len(block.splitlines()) == 5
    assert skeleton(block).count("relevant-context") == 2


@every("text", ORDINARY)
def test_ordinary_texts_stay_as_they_are(text: str) -> None:
    assert harmless(text) == text


@given(st.lists(st.one_of(st.text(max_size=8), st.sampled_from(DISGUISES), st.sampled_from(ORDINARY))).map("".join))
def test_what_is_harmless_stays_so(text: str) -> None:
    shown = harmless(text)
    assert harmless(shown) == shown
    assert "<relevant-context" not in skeleton(shown)
    assert "<|im_start|>" not in skeleton(shown)


@every("unit", ["<system ", "<|", "[ ", "### ", "&amp;", "\\u003c", "<s y s ", "<\u0300"])
def test_hostile_text_takes_linear_time(unit: str) -> None:
    assert_linear(lambda size: harmless(unit * size), sized(50_000, 500_000) // len(unit))
