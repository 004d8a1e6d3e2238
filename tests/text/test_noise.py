"""Which texts say nothing, by their form alone."""

from recollect.text.repetition import noise_rule
from tests.rows import every


@every(
    ("text", "rule"),
    [
        ("", "noise"),
        ("—— … !!", "noise"),
        ("хахаха", "noise"),  # noqa: RUF001
        ("aaaaaaaaaaaaaaaa", "noise"),
        ("ok", "short"),
        ("0000", "short"),
        ("謝謝", "short"),
        ("[System message] Connected", "system"),
        ("<system-reminder>Be brief</system-reminder>", "system"),
        ("The system is called Ada", None),
        ("Likes tea!", None),
        ("我住在布拉格", None),
        ("0000 0000 0000", None),
    ],
)
def test_a_text_is_judged_by_its_form(text: str, rule: str | None) -> None:
    assert noise_rule(text) == rule
