"""Edits of JSON leave the rest of a text as it is, and removing an entry restores the text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import every

from recollect_connect.hosts import json_text

TEXTS = [
    "{}",
    "{}\n",
    '{"a":1,"b":[2]}\n',
    '{\n  "a": {"b": 1}\n}\n',
    '{\r\n\t"a": 1,\r\n\t"ž": "\\u017e"\r\n}\r\n',
    '{\n  // ours\n  "a": 1, // one\n  /* two */ "b": [1, 2] // last\n}\n',
]


@every("text", TEXTS)
def test_a_member_that_is_put_and_removed_leaves_the_text_as_it_was(text: str) -> None:
    edited = json_text.put(text, ["servers", "recollect"], {"command": "recollect", "args": ["mcp"]})
    assert json_text.parse(edited) == {
        **dict(json_text.parse(text)),  # type: ignore[call-overload]
        "servers": {"recollect": {"command": "recollect", "args": ["mcp"]}},
    }
    assert json_text.remove(edited, ["servers"]) == text


def test_an_item_goes_behind_the_others_and_comments_stay_with_their_lines() -> None:
    text = '{\n  "hooks": {\n    "Stop": [\n      {"mine": 1} // important\n    ]\n  }\n}\n'
    edited = json_text.append(text, ["hooks", "Stop"], {"ours": 2})
    assert '{"mine": 1}, // important\n      {\n        "ours": 2\n      }\n' in edited
    assert json_text.remove(edited, ["hooks", "Stop", 1]) == text
    assert json_text.parse(json_text.remove(edited, ["hooks", "Stop", 0])) == {"hooks": {"Stop": [{"ours": 2}]}}


def test_a_trailing_comma_is_understood() -> None:
    text = '{\n  "a": [1, 2,],\n}\n'
    edited = json_text.put(text, ["b"], 3)
    assert json_text.parse(edited) == {"a": [1, 2], "b": 3}


def test_putting_what_is_there_changes_nothing() -> None:
    text = '{"a": {"b":   [1 ,2]}}'
    assert json_text.put(text, ["a", "b"], [1, 2]) == text
    assert json_text.put(text, ["a", "b"], 3) == '{"a": {"b":   3}}'
    assert json_text.remove(text, ["a", "c"]) == json_text.remove(text, ["x", "c"]) == text


@every("text", ["", "{", '{"a" 1}', '{"a": 1} x', "{'a': 1}", '{"a": nul}', "[" * 1_000])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(json_text.InvalidJson):
        json_text.parse(text)


def test_a_member_of_something_that_is_no_object_is_refused_with_its_line() -> None:
    with pytest.raises(json_text.InvalidJson, match="line 2"):
        json_text.put('{\n"a": 1}', ["a", "b"], 2)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), JSON, max_size=5), JSON, st.sampled_from([None, 0, 2, "\t"]))
def test_edits_agree_with_the_json_module(document: dict[str, object], value: object, indent: int | str | None) -> None:
    text = json.dumps(document, indent=indent)
    edited = json_text.put(text, ["recollect key"], value)
    assert json.loads(edited) == {**document, "recollect key": value}
    if "recollect key" not in document and document:
        assert json_text.remove(edited, ["recollect key"]) == text
    for key in document:
        without = {name: member for name, member in document.items() if name != key}
        assert json.loads(json_text.remove(text, [key])) == without
