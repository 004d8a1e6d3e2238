# ruff: noqa: RUF001  # letters of other alphabets are the point here


from recollect.text.summary.sentences import error_line, passages, split_sentences
from tests.growth import assert_linear
from tests.rows import every
from tests.sizes import sized


@every(
    "sentences",
    [
        ["Dr. Smith arrives at 9.30 a.m. tomorrow.", "He stays for two days!"],
        ["See https://example.com/a.b?c=d. for v. 2.5, e.g. this one.", "Right?", "Yes."],
        ["Das kostet z.B. 1.200 Euro bzw. ca. 50 mehr.", "Am 3. März ist Schluss."],
        ["Jedeme od 12. července, např. do Zadaru.", "Stojí to 2 890 Kč atd. a víc."],
        ["Это стоит 3 тыс. руб. в месяц, т.е. немного.", "Ул. Ленина, д. 5."],
        ["ok, let's use postgres.", "it's fine."],
        ["我喜欢茶。", "你呢？"],
        ["Wait…", "Really?!", "“Yes.”", "Good"],
    ],
)
def test_sentences_end_where_people_would_say(sentences: list[str]) -> None:
    separator = "" if "。" in sentences[0] else " "
    assert list(split_sentences(separator.join(sentences))) == sentences


def texts(message: str) -> list[str]:
    return [passage.text for passage in passages(message)]


def test_code_tables_and_quotations_are_left_out() -> None:
    message = (
        "Look:\n```python\nx = [1, 2]\n```\n> you said so\n| a | b |\n# Title\n"
        "import os\nresult = foo(bar[0], {'a': 1});\nIt works now."
    )
    assert texts(message) == ["Look:", "It works now."]


def test_of_a_paste_the_telling_line_is_left() -> None:
    trace = "\n".join([*(f'  File "a.py", line {n}, in f' for n in range(40)), "ValueError: no such room: attic"])
    assert passages(f"It crashed.\n\n{trace}") == [
        ("It crashed.", False),
        ("ValueError: no such room: attic", True),
    ]
    article = "\n".join(f"Line {n} of a long article about the history of tea." for n in range(40))
    assert passages(article) == [("Line 0 of a long article about the history of tea.", True)]


def test_recalled_memories_are_not_what_the_user_said() -> None:
    message = '<relevant-context id="x">\n[memory] I hate tea\n</relevant-context>\nTurn on the light.'
    assert texts(message) == ["Turn on the light."]


def test_wrapped_lines_are_one_sentence_and_list_items_several() -> None:
    wrapped = "We should move the whole database to the new server before the\nend of the month because the lease ends."
    assert len(texts(wrapped)) == 1
    assert texts("Buy:\n- two sensors\n- a **bridge**\n1. a cable") == ["Buy:", "two sensors", "a bridge", "a cable"]


def test_an_error_is_found_in_json() -> None:
    assert error_line('{"error": "calendar is not connected"}') == "error: calendar is not connected"
    assert error_line('x\nERROR:  role "orders" does not exist') == 'ERROR: role "orders" does not exist'
    assert not error_line('{"state": "on"}')


@every("text", ["a. " * 400_000, "x" * 1_000_000, "```\n" * 250_000, "<relevant-context " * 60_000])
def test_a_huge_message_takes_no_longer_than_a_long_one(text: str) -> None:
    assert len(passages(text)) <= 40
    assert_linear(lambda size: passages(text[:size]), sized(len(text) // 4, len(text)))
