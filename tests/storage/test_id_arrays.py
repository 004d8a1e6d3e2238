"""Ids on their way to PostgreSQL: many are written at once, and what is no id stays one value."""

from recollect.storage.postgres.session import id_array

FIRST, SECOND = "01a0b7c4-5d31-7a02-8f6e-2b9c4d1e0a00", "01a0b7c4-5d31-7a02-8f6e-2b9c4d1e0a01"


def test_ids_are_one_array() -> None:
    assert id_array([FIRST, SECOND]) == f"{{{FIRST},{SECOND}}}"
    assert id_array([FIRST]) == f"{{{FIRST}}}"


def test_what_holds_a_comma_is_not_taken_for_two_ids() -> None:
    joined = [f"{FIRST},{SECOND}"]

    assert id_array(joined) is joined
    assert id_array([]) == []
