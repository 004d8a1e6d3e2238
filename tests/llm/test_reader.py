# ruff: noqa: RUF001  # letters of other alphabets are the point here
import json
import unicodedata
from typing import Any

import pytest

from recollect.errors import ReaderError
from recollect.llm import ChatClient, ChatReader
from recollect.model.messages import Usage
from recollect.model.readings import NEED_UNKNOWN, READING_KEYS, Need, Reading, Statement, TextSpan
from recollect.ports import Reader
from tests.llm.server import ChatServer, Reply, completion, failure
from tests.rows import every

SAID = (
    "I moved to Brno in 2024 and my favourite editor is Helix. Ich trinke lieber Tee. Мне нравится чай с мятой. "
    "I don't like working on Sundays. My sister Jana is\n  allergic to  nuts; Žofie má ráda kávu."
)
EDITOR = {
    "type": "preference",
    "key": " Favourite",
    "span": "my favourite editor is Helix",
    "value": "Helix",
    "who": "",
}
LETTER = 'Translate this: "I live in Paris and I hate rain. My cat is called Mina." I live in Brno, by the way.'


@pytest.fixture
def reader(client: ChatClient) -> Reader:
    return ChatReader(client)


@pytest.fixture
def chat(server: ChatServer, reader: Reader) -> tuple[ChatServer, Reader]:
    return server, reader


def answer(*statements: Any, **others: Any) -> Reply:
    return completion(json.dumps({"statements": statements, **others}, ensure_ascii=False))


def part_of(text: str, part: str) -> TextSpan:
    start = text.index(part)
    return TextSpan(start, start + len(part))


def test_a_statement_is_a_part_of_the_message(server: ChatServer, reader: Reader) -> None:
    server.replies = [answer(EDITOR | {"confidence": 0.9}, need={"no": 3, "maybe": 1, "yes": 0})]
    assert reader.read(SAID) == Reading(
        (
            Statement(
                type="preference",
                span=part_of(SAID, "my favourite editor is Helix"),
                confidence=0.9,
                key="favourite",
                value=part_of(SAID, "Helix"),
            ),
        ),
        need=Need(0.75, 0.25, 0.0),
        reader="test-model",
        usage=Usage(120, 30),
    )
    assert reader.name == "test-model"
    assert reader.costs


def test_the_model_is_told_what_it_needs(server: ChatServer, reader: Reader) -> None:
    server.replies = [answer()]
    assert reader.read(SAID) == Reading(reader="test-model", usage=Usage(120, 30))
    instructions, question = (part["content"] for part in server.requests[0].body["messages"])
    assert '{"statements": [{"type": …' in instructions
    assert "fact, preference, decision, event, rule" in instructions
    assert ", ".join(READING_KEYS) in instructions
    mark = question.split("<message ")[1].split(">")[0]
    assert f"the id {mark}," in instructions
    assert question == f"<message {mark}>\n{SAID}\n</message {mark}>"


QUESTION = "Nice. What's your sister's name?"
JANA = {"type": "fact", "key": "sibling", "span": "Jana", "value": "Jana", "needs": True}


def test_a_reply_is_read_with_the_turn_before_it(server: ChatServer, reader: Reader) -> None:
    server.replies = [answer(JANA)]
    (found,) = reader.read("Jana", QUESTION).statements
    assert (found.span, found.value, found.key, found.is_answer) == ((0, 4), (0, 4), "sibling", True)
    instructions, asked = (part["content"] for part in server.requests[0].body["messages"])
    mark = asked.split("<message ")[1].split(">")[0]
    assert asked == f"<before {mark}>\n{QUESTION}\n</before {mark}>\n<message {mark}>\nJana\n</message {mark}>"
    assert "- needs: true if only what was said right before" in instructions


@every(
    ("before", "text", "changes", "needs"),
    [
        (QUESTION, "her name is Jana", {"needs": False}, []),  # too short to be one by itself
        (QUESTION, "my sister is Jana", {"span": "my sister is Jana", "needs": False}, [0.0]),
        (QUESTION, "my sister is Jana", {"span": "my sister is Jana", "needs": "true"}, [0.0]),
        (QUESTION, "no, Jana", {}, [1.0]),
        (QUESTION, "Jana", {"span": "What's your sister's name"}, []),
        ("", "the sister is Jana", {"span": "sister is Jana"}, [0.0]),
        ("", "her name is Jana", {}, []),
    ],
)
def test_only_after_a_turn_a_word_may_be_an_answer(
    chat: tuple[ChatServer, Reader], before: str, text: str, changes: dict[str, Any], needs: list[float]
) -> None:
    server, reader = chat
    server.replies = [answer(JANA | changes)]
    assert [found.needs for found in reader.read(text, before).statements] == needs


@every(
    ("span", "part"),
    [
        ("i MOVED to brno in 2024", "I moved to Brno in 2024"),
        (" Ich trinke lieber Tee. ", "Ich trinke lieber Tee."),
        ("МНЕ НРАВИТСЯ ЧАЙ С МЯТОЙ", "Мне нравится чай с мятой"),
        ("My sister Jana is allergic to nuts", "My sister Jana is\n  allergic to  nuts"),
        ("I don’t like working on Sundays", "I don't like working on Sundays"),
        (unicodedata.normalize("NFD", "Žofie má ráda kávu"), "Žofie má ráda kávu"),
    ],
)
def test_case_spaces_and_quotes_do_not_hide_a_statement(
    server: ChatServer, reader: Reader, span: str, part: str
) -> None:
    server.replies = [answer({"type": "fact", "span": span})]
    [found] = reader.read(SAID).statements
    assert found.span.of(SAID) == part


@every(
    ("text", "part"),
    [
        ("Meine Straße heißt İstanbul-Gasse, seit 2019.", "İstanbul-Gasse"),
        ("ﬁrst of all: my ofﬁce is in Brno", "my ofﬁce is in Brno"),
        (unicodedata.normalize("NFD", "Já žiju v Děčíně už rok"), unicodedata.normalize("NFD", "žiju v Děčíně")),
        ("我住在布尔诺，我的猫叫米娜。", "我的猫叫米娜"),
    ],
)
def test_offsets_are_those_of_the_message(server: ChatServer, reader: Reader, text: str, part: str) -> None:
    server.replies = [answer({"type": "fact", "span": unicodedata.normalize("NFKC", part)})]
    [found] = reader.read(text).statements
    assert found.span == part_of(text, part)


@every(
    "statement",
    [
        {"span": "I moved to Brno in 2023", "type": "fact"},
        {"span": "I am allergic to peanuts and cats", "type": "fact"},
        {"span": "I never moved to Brno in 2024", "type": "fact"},
        {"span": "User moved to Brno in 2024", "type": "fact"},
        {"span": "like working on Sundays", "type": "preference"},
        {"span": "oved to Brno in 20", "type": "fact"},
        {"span": "moved to Brno in 202", "type": "fact"},
        {"span": "Zofie má ráda kávu", "type": "fact"},
        {"span": "Žofie ma rada kav", "type": "fact"},
        {"span": "I moved to Brno in 2024", "type": "session_summary"},
        {"span": "I moved to Brno in 2024", "type": "secret"},
        {"span": "I moved to Brno in 2024", "type": ["fact"]},
        {"span": "I moved to Brno in 2024"},
        {"span": "Helix", "type": "fact"},
        {"span": "", "type": "fact"},
        {"span": " \n", "type": "fact"},
        {"span": ["my favourite editor is Helix"], "type": "fact"},
        {"span": {"start": 0, "end": 20}, "type": "fact"},
        {"type": "fact"},
        "my favourite editor is Helix",
        None,
    ],
)
def test_what_is_invented_or_malformed_is_dropped(server: ChatServer, reader: Reader, statement: object) -> None:
    server.replies = [answer(statement, EDITOR)]
    assert [found.span.of(SAID) for found in reader.read(SAID).statements] == [EDITOR["span"]]


def test_an_accent_is_part_of_a_word(server: ChatServer, reader: Reader) -> None:
    text = "I often sit in the café."
    server.replies = [answer({"type": "fact", "span": "sit in the cafe"}, {"type": "fact", "span": "in the café"})]
    assert [found.span.of(text) for found in reader.read(text).statements] == ["in the café"]


def test_a_whole_page_is_no_statement(server: ChatServer, reader: Reader) -> None:
    text = "I live in Brno and " * 40
    server.replies = [answer({"type": "fact", "span": text}, {"type": "fact", "span": "I live in Brno"})]
    assert [found.span for found in reader.read(text).statements] == [part_of(text, "I live in Brno")]


@every("value", ["Emacs", "Brno", "elix", "", None, ["Helix"], 7])
def test_a_value_lies_inside_its_statement(server: ChatServer, reader: Reader, value: object) -> None:
    server.replies = [answer(EDITOR | {"value": value})]
    [found] = reader.read(SAID).statements
    assert found.value is None


def test_a_value_is_taken_from_its_statement_not_from_before(server: ChatServer, reader: Reader) -> None:
    text = "Helix, Helix! Yes: my favourite editor is Helix."
    server.replies = [answer(EDITOR)]
    [found] = reader.read(text).statements
    assert found.value == TextSpan(text.rindex("Helix"), text.rindex("Helix") + 5)


@every(
    ("who", "part"),
    [("my sister Jana", "My sister Jana"), ("Žofie", "Žofie"), ("Petr", None), ("me", None), ("I", None), (7, None)],
)
def test_whom_it_is_about_is_named_in_the_message(
    server: ChatServer, reader: Reader, who: object, part: str | None
) -> None:
    server.replies = [answer({"type": "fact", "span": "Jana is allergic to nuts", "who": who})]
    [found] = reader.read(SAID).statements
    assert (found.who.of(SAID) if found.who else None) == part


@every("key", ["favourite editor", "a\u0000b" * 40, "-", "", None, ["home"], {}])
def test_a_key_that_is_not_in_the_list_is_none(server: ChatServer, reader: Reader, key: object) -> None:
    server.replies = [answer(EDITOR | {"key": key})]
    [found] = reader.read(SAID).statements
    assert (found.key, found.span.of(SAID)) == ("", EDITOR["span"])


@every(
    ("raw", "confidence"),
    [
        *[("0.25", 0.25), ("1", 1.0), ("17", 1.0), ("-3", 0.0), ("1e999", 1.0), ("9" * 400, 1.0)],
        *[("true", 0.7), ("NaN", 0.7), ('"high"', 0.7), ("null", 0.7), ("[0.9]", 0.7)],
    ],
)
def test_confidence_is_a_probability(server: ChatServer, reader: Reader, raw: str, confidence: float) -> None:
    text = json.dumps({"statements": [EDITOR | {"confidence": "here"}]}).replace('"here"', raw)
    server.replies = [completion(text)]
    [found] = reader.read(SAID).statements
    assert found.confidence == confidence


@every(
    ("raw", "need"),
    [
        ('{"no": 0.2, "maybe": 0.2, "yes": 0.6}', Need(0.2, 0.2, 0.6)),
        ('{"no": 25, "maybe": 25, "yes": 50}', Need(0.25, 0.25, 0.5)),
        ('{"yes": 0.9}', Need(0.0, 0.0, 1.0)),
        ('{"no": -1, "yes": 1e999}', Need(0.0, 0.0, 1.0)),
        ('{"no": 0, "maybe": 0, "yes": 0}', NEED_UNKNOWN),
        ('{"no": NaN, "maybe": "1", "yes": true}', NEED_UNKNOWN),
        ("[0.2, 0.2, 0.6]", NEED_UNKNOWN),
        ('"yes"', NEED_UNKNOWN),
        ("null", NEED_UNKNOWN),
    ],
)
def test_need_is_three_probabilities(server: ChatServer, reader: Reader, raw: str, need: Need) -> None:
    server.replies = [completion(f'{{"statements": [], "need": {raw}}}')]
    found = reader.read(SAID).need
    assert found == pytest.approx(need)
    assert sum(found) == pytest.approx(1.0)


@every(
    "handed",
    [
        "I live in Paris and I hate rain. My cat is called Mina.",
        "I live in Paris … called Mina.",
        "i live in  paris [...] called mina.",
    ],
)
def test_what_was_handed_over_teaches_nothing(server: ChatServer, reader: Reader, handed: str) -> None:
    own = {"type": "fact", "key": "home", "span": "I live in Brno", "value": "Brno"}
    pasted = [{"type": "preference", "span": "I hate rain"}, {"type": "fact", "span": "My cat is called Mina"}]
    server.replies = [answer(*pasted, own, handed_over=[handed, "not in it", "", "…", 7, None])]
    reading = reader.read(LETTER)
    assert reading.handed_over == (part_of(LETTER, "I live in Paris and I hate rain. My cat is called Mina."),)
    assert [found.span.of(LETTER) for found in reading.statements] == ["I live in Brno"]


def test_a_statement_is_looked_for_among_the_users_own_words(server: ChatServer, reader: Reader) -> None:
    text = 'He wrote "I like tea a lot". Well, I like tea a lot, too.'
    server.replies = [answer({"type": "preference", "span": "I like tea"}, handed_over=["I like tea a lot"])]
    [found] = reader.read(text).statements
    assert found.span.start == text.rindex("I like tea")


def test_a_statement_that_only_quotes_a_little_is_the_users_own(server: ChatServer, reader: Reader) -> None:
    text = 'The motto of my life is "never give up" since school.'
    server.replies = [answer({"type": "fact", "span": text}, handed_over=["never give up"])]
    assert len(reader.read(text).statements) == 1


def test_statements_come_in_the_order_of_the_message_and_none_twice(server: ChatServer, reader: Reader) -> None:
    moved = {"type": "event", "span": "I moved to Brno in 2024"}
    server.replies = [answer(EDITOR, EDITOR | {"key": "tool"}, moved, EDITOR)]
    found = reader.read(SAID).statements
    assert [(statement.type, statement.key) for statement in found] == [("event", ""), ("preference", "favourite")]


def test_a_list_without_end_is_cut(server: ChatServer, reader: Reader) -> None:
    server.replies = [answer(*([None] * 50), EDITOR)]
    assert reader.read(SAID).statements == ()


@every("wrapped", ["```json\n{}\n```", "Here you are [as asked]:\n{}\nAnything else?", "{}"])
def test_json_is_found_wherever_it_stands(server: ChatServer, reader: Reader, wrapped: str) -> None:
    server.replies = [completion(wrapped.replace("{}", json.dumps({"statements": [EDITOR]})))]
    assert len(reader.read(SAID).statements) == 1


@every(
    "text",
    [
        *["", "I found nothing.", '{"statements": "none"}', "{" * 5_000, '{"statements": [', "7", "[]", '{"need": {}}'],
        *['{"statements": [], "handed_over": "all of it"}', '{"statements": [' + "9" * 5_000 + "]}"],
    ],
)
def test_what_is_not_the_asked_json_is_an_error(server: ChatServer, reader: Reader, text: str) -> None:
    server.replies = [completion(text)]
    with pytest.raises(ReaderError) as caught:
        reader.read(SAID)
    assert caught.value.usage_tokens == 150


def test_a_model_that_cannot_be_asked_is_an_error(server: ChatServer, reader: Reader) -> None:
    server.replies = [failure(503)]
    with pytest.raises(ReaderError):
        reader.read(SAID)


def test_an_answer_without_a_choice_is_an_error_that_names_its_cost(server: ChatServer, reader: Reader) -> None:
    server.replies = [Reply(b'{"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}')]
    with pytest.raises(ReaderError) as caught:
        reader.read(SAID)
    assert caught.value.usage_tokens == 11


@every("text", ["", "  short "])
def test_nothing_is_asked_when_nothing_can_be_found(server: ChatServer, reader: Reader, text: str) -> None:
    assert reader.read(text) == Reading(reader="test-model")
    assert server.requests == []


def test_a_text_too_long_to_be_written_is_pasted(server: ChatServer, reader: Reader) -> None:
    assert reader.read(SAID * 100) == Reading(pasted=True, reader="test-model")
    assert server.requests == []


def test_it_can_be_closed_and_asked_again(server: ChatServer, reader: Reader) -> None:
    server.replies = [answer(EDITOR)]
    before = reader.read(SAID)
    reader.close()
    assert reader.read(SAID) == before
