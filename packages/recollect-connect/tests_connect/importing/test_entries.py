"""JSON that is read piece by piece says the same as JSON that is read at once, wherever the pieces end."""

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sizes import sized

from recollect.errors import InvalidDocument
from recollect_connect.importing.export_entries import ExportEntry, documents, entries

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)
ROOTS = st.lists(VALUES, max_size=6) | st.dictionaries(st.text(), VALUES, max_size=6)
USUAL = settings(
    max_examples=sized(50, 20_000),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def expected(root: Any) -> Iterator[ExportEntry]:
    """Give the parts of a document that was read at once."""
    if isinstance(root, list):
        yield from (ExportEntry("", value, listed=True) for value in root)
        return
    for key, value in root.items():
        if isinstance(value, list):
            yield from (ExportEntry(key, one, listed=True) for one in value)
        else:
            yield ExportEntry(key, value, listed=False)


@USUAL
@given(root=ROOTS, chunk=st.integers(1, 40), indent=st.sampled_from([None, 0, 3]), ascii_only=st.booleans())
def test_the_parts_are_those_of_the_whole(
    monkeypatch: pytest.MonkeyPatch, root: Any, chunk: int, indent: int | None, *, ascii_only: bool
) -> None:
    monkeypatch.setattr("recollect.importing.export_entries._CHUNK", chunk)
    written = json.dumps(root, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "replace")
    assert list(entries(io.BytesIO(written), "x")) == list(expected(json.loads(written)))


@USUAL
@given(roots=st.lists(VALUES, max_size=5), chunk=st.integers(1, 40))
def test_documents_one_after_the_other_are_those_of_each_line(
    monkeypatch: pytest.MonkeyPatch, roots: list[Any], chunk: int
) -> None:
    monkeypatch.setattr("recollect.importing.export_entries._CHUNK", chunk)
    written = "\n".join(json.dumps(root) for root in roots).encode()
    assert [entry.value for entry in documents(io.BytesIO(written), "x")] == roots


@USUAL
@given(root=ROOTS, cut=st.integers(1, 30), noise=st.binary(max_size=3))
def test_whatever_is_broken_is_refused_or_read_as_it_is(root: Any, cut: int, noise: bytes) -> None:
    written = json.dumps(root).encode()[:-cut] + noise
    try:
        found = list(entries(io.BytesIO(written), "x"))
    except InvalidDocument:
        return
    assert found == list(expected(json.loads(written)))
