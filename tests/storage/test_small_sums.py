"""Small functions that much rests on, each held to what it is by definition: sums of pages, marks, texts in data."""

import struct

from hypothesis import given
from hypothesis import strategies as st

from recollect.engine.drafts.redaction import each_text, texts_in
from recollect.engine.forgetting.marks import Marker
from recollect.storage.sqlite.connection import chained_sum

ID = "019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90"
NUMBERS = st.integers(0, 2**32 - 1)


@given(before=st.tuples(NUMBERS, NUMBERS), pairs=st.lists(st.tuples(NUMBERS, NUMBERS), max_size=20))
def test_sums_of_the_log_are_those_of_sqlite(before: tuple[int, int], pairs: list[tuple[int, int]]) -> None:
    for mark, big_endian in ((">", True), ("<", False)):
        first, second = before
        for one, other in pairs:
            first = (first + one + second) % 2**32
            second = (second + other + first) % 2**32
        content = struct.pack(f"{mark}{2 * len(pairs)}I", *(number for pair in pairs for number in pair))
        assert chained_sum(before, content, big_endian=big_endian) == (first, second)


def test_texts_are_changed_wherever_data_have_them() -> None:
    data = {"a": ["x", {"b": ("y", 1, None)}], "c": True}
    assert each_text(data, str.upper) == {"a": ["X", {"b": ["Y", 1, None]}], "c": True}
    assert texts_in(data) == ["x", "y"]


def test_only_the_kinds_of_marks_that_are_asked_for_are_made() -> None:
    marker, value = Marker(b"k" * 32), f'{{"said": "The pump hums loudly. {ID}"}}'
    made = {kind: {mark.kind for mark in marker.in_value(value, {kind})} for kind in ("ids", "names", "texts")}
    assert made == {"ids": {"ids"}, "names": {"names"}, "texts": {"texts"}}
    assert {mark.kind for mark in marker.in_value(value)} == {"ids", "names", "texts"}
    assert not [*marker.in_value(value, {"values"})]
