"""What users said teaches what they meant, on both stores."""

import pytest

from recollect import UserMemory
from tests.learning import LESSONS, Lesson, told, turn


@pytest.mark.parametrize("lesson", [pytest.param(lesson, id=name) for name, lesson in LESSONS.items()])
def test_a_user_teaches_what_they_meant(me: UserMemory, lesson: Lesson) -> None:
    for number, message in enumerate(lesson.messages):
        me.after_turn(turn(message), session=f"s{number}")
    rows = me.list(limit=100).items
    assert {told(row.content, row.subject, row.key, row.value, dict(row.metadata)) for row in rows} == lesson.kept
    assert all(row.metadata.get("standing") is True for row in rows if row.subject == "assistant")
