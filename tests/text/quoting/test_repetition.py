from recollect.text.repetition import asks_again, unsaid
from tests.rows import every


@every(
    ("texts", "left"),
    [
        (["I live in Brno.", "i live in brno"], ["I live in Brno.", ""]),
        (
            ["I have a cat", "I live in Brno", "I have a cat and I live in Brno."],
            ["I have a cat", "I live in Brno", ""],
        ),
        (["I live in Brno", "Hi! I live in Brno. Since 2019."], ["I live in Brno", "Hi!  Since 2019."]),
        (["Anna likes tea", "Petr lives in Brno", "Anna lives in Brno"], None),
        (["I eat meat", "I don't eat meat"], None),
        (["Bydlím v Brně.", "Jmenuju se Anna a bydlím v Brně."], None),
        (["Я живу в Брно", "я живу в брно!"], ["Я живу в Брно", ""]),
        (["", "…"], None),
    ],
)
def test_only_what_is_said_already_is_left_out(texts: list[str], left: list[str] | None) -> None:
    assert unsaid(texts) == (texts if left is None else left)


@every(
    ("question", "text", "again"),
    [
        ("where do I live?", "Where do I live now?", True),
        ("kde bydlím?", "A kde bydlím?", True),
        ("do I live in Brno?", "I live in Brno", False),
        ("where do I live?", "Where does Petra work?", False),
        ("is amoxicillin ok?", "I'm allergic to penicillin. Is amoxicillin ok?", False),
    ],
)
def test_knows_a_question_that_is_asked_again(question: str, text: str, again: bool) -> None:  # noqa: FBT001
    assert asks_again(question, text, None) is again
