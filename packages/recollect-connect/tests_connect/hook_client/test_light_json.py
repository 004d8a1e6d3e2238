"""JSON of the hooks is that of the package `json`, in what it takes, gives and refuses."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import every

from recollect_connect.hook_client import light_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_values_are_written_and_read_alike(value: object) -> None:
    written = light_json.dumps(value)
    assert written == json.dumps(value, separators=(",", ":"))
    assert light_json.loads(written.encode()) == value
    assert light_json.loads(json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")) == value


@every("content", [b"", b" ", b"{", b"[1,", b"nope", b'{"a" 1}', b"[1] 2", b'"\x00"', b"\xff", b'{"a": 1,}', b"'a'"])
def test_what_is_no_json_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        light_json.loads(content)


@every("content", [b" [1]\n", b"\xef\xbb\xbf[1]", "[1]".encode("utf-16")])
def test_spaces_and_other_encodings_are_read(content: bytes) -> None:
    assert light_json.loads(content) == [1]


def test_what_cannot_be_written_is_refused() -> None:
    with pytest.raises(TypeError):
        light_json.dumps(object())
