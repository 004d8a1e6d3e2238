"""What users said teaches what they meant, on both stores."""

from recollect import Memory
from tests.learning import LESSONS, Lesson, told, turn
from tests.rows import every


@every(("name", "lesson"), LESSONS.items())
def test_users_teach_what_they_meant(memory: Memory, name: str, lesson: Lesson) -> None:
    me = memory.user(name)
    for number, message in enumerate(lesson.messages):
        me.after_turn(turn(message), session=f"s{number}")
    rows = me.list(limit=100).items
    assert {told(row.content, row.subject, row.key, row.value, dict(row.metadata)) for row in rows} == lesson.kept
    assert all(row.metadata.get("standing") is True for row in rows if row.subject == "assistant")
