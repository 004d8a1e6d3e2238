"""Tables of examples: one test tries every row, and names all that fail.

An item of pytest costs more than most examples do: each process collects, hands out and reports all of them.
"""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any, TypeAlias

import pytest

_Test: TypeAlias = Callable[..., None]


def every(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[_Test], _Test]:
    """Call a test for every row, as `pytest.mark.parametrize` would, but as one item: all rows share its fixtures."""
    wanted = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    several = len(wanted) > 1 or not isinstance(names, str)
    table = [tuple(row) if several else (row,) for row in rows]
    assert table, "a test without rows cannot fail"
    assert {len(row) for row in table} == {len(wanted)}

    def decorate(test: _Test) -> _Test:
        @wraps(test)
        def try_all(**fixtures: object) -> None:
            offenders: list[BaseException] = []
            for number, row in enumerate(table):
                try:
                    test(**fixtures, **dict(zip(wanted, row, strict=True)))
                except (Exception, BaseExceptionGroup, pytest.fail.Exception) as failure:  # noqa: BLE001 - each has its row
                    failure.add_note(f"row {number}: " + ", ".join(map(_short, zip(wanted, row, strict=True))))
                    offenders.append(failure)
            if offenders:
                raise BaseExceptionGroup(f"{len(offenders)} of {len(table)} rows", offenders)

        signature = inspect.signature(test)
        left = [one for name, one in signature.parameters.items() if name not in wanted]
        assert len(left) == len(signature.parameters) - len(wanted), f"{test.__name__} does not take all of {wanted}"
        try_all.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return try_all

    return decorate


def slow_but(cases: Iterable[Any], *fast: Any) -> list[Any]:
    """Give the cases of a test, all but these for the slow tests."""
    rows = [one if isinstance(one, tuple) else (one,) for one in cases]
    wanted = [one if isinstance(one, tuple) else (one,) for one in fast]
    assert all(one in rows for one in wanted)
    return [pytest.param(*row, marks=() if row in wanted else pytest.mark.slow) for row in rows]


def read_rows(file: Path) -> list[tuple[str, ...]]:
    """Read a table, a row a line with tabs between its cells, under a line of their names."""
    heading, *lines = file.read_text("utf-8").splitlines()
    rows = [tuple(line.split("\t")) for line in lines if line]
    assert all(len(row) == len(heading.split("\t")) for row in rows), file
    return rows


def _short(cell: tuple[str, object]) -> str:
    shown = repr(cell[1])
    return f"{cell[0]}={shown if len(shown) <= 200 else shown[:200] + '…'}"
