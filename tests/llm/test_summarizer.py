import pytest

from recollect.errors import SummaryError
from recollect.llm import ChatClient, ChatSummarizer
from recollect.model.messages import SummaryPoints, SummaryTask, Usage
from recollect.ports import Summarizer
from recollect.text.summary.format import parse
from tests.llm.server import ChatServer, Reply, completion, failure
from tests.text.summary.talks import conversation, count, message, talk

GOOD = """\
Key points discussed:
- User lives at 14 Alder Street
Actions taken:
- Turned on light.office
Open items:
- Who pays?"""
PREVIOUS = SummaryPoints(("User is called Ada",), (), ("Buy a lamp",))


@pytest.fixture
def summarizer(client: ChatClient) -> Summarizer:
    return ChatSummarizer(client, parse, count)


def task(max_tokens: int = 300) -> SummaryTask:
    return SummaryTask(conversation("home_en"), PREVIOUS, max_tokens)


def test_a_summary_is_read_and_its_cost_told(server: ChatServer, summarizer: Summarizer) -> None:
    server.replies = [completion(GOOD)]
    made = summarizer.summarize(task())
    assert made.points == SummaryPoints(("User lives at 14 Alder Street",), ("Turned on light.office",), ("Who pays?",))
    assert made.usage == Usage(120, 30)
    assert (summarizer.name, summarizer.costs) == ("test-model", True)


def test_the_model_is_told_what_it_needs(server: ChatServer, summarizer: Summarizer) -> None:
    server.replies = [completion(GOOD)]
    summarizer.summarize(task())
    instructions, question = (part["content"] for part in server.requests[0].body["messages"])
    for heading in ("Key points discussed:", "Actions taken:", "Open items:"):
        assert heading in instructions
    assert "at most 180 words" in instructions
    assert "[2026-03-01 09:02] user: I'm setting up the new house." in question
    assert "(called light.turn_on with" in question
    assert "- User is called Ada" in question
    mark = question.split("<conversation ")[1].split(">")[0]
    assert mark in instructions
    assert question.endswith(f"</conversation {mark}>\n\nNow write the summary.")


def test_the_model_is_told_who_said_it(server: ChatServer, summarizer: Summarizer) -> None:
    server.replies = [completion(GOOD)]
    turns = [message(0, "user", "Paint it green.")._replace(speaker="Jana"), message(1, "user", "Or red.")]
    summarizer.summarize(SummaryTask(turns, SummaryPoints(), 300))
    question = server.requests[0].body["messages"][1]["content"]
    assert "] user (Jana): Paint it green." in question
    assert "] user: Or red." in question


def test_what_nobody_said_is_not_sent_and_a_paste_is_cut(server: ChatServer, summarizer: Summarizer) -> None:
    server.replies = [completion(GOOD)]
    turns = [
        message(0, "system", "PROMPT"),
        message(1, "reasoning", "THOUGHT"),
        *talk("user: " + "x" * 50_000 + " end"),
    ]
    summarizer.summarize(SummaryTask(turns, SummaryPoints(), 300))
    question = server.requests[0].body["messages"][1]["content"]
    assert "PROMPT" not in question
    assert "THOUGHT" not in question
    assert "earlier-summary" not in question
    assert "characters left out" in question
    assert " end\n" in question
    assert len(question) < 10_000


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        (completion(""), "is empty"),
        (completion(None), "is empty"),
        (completion("I'm sorry, but I can't help with that."), "lacks the headings"),
        (completion("Key points discussed:\nActions taken:\nOpen items: none"), "no points"),
        (completion("Key points:\n- " + "very long " * 600), "tokens where 300 were asked for"),
        (completion(GOOD, finish="length"), "cut off"),
        (completion(GOOD, finish="content_filter"), "content filter"),
        (completion(GOOD, refusal="no"), "refusal"),
        (completion("<!DOCTYPE html><html>Key points:\n- x</html>"), "web page"),
    ],
)
def test_garbage_is_no_summary(server: ChatServer, summarizer: Summarizer, reply: Reply, found: str) -> None:
    server.replies = [reply]
    with pytest.raises(SummaryError, match="test-model") as caught:
        summarizer.summarize(task())
    assert found in str(caught.value)
    assert caught.value.usage_tokens == 150


@pytest.mark.parametrize(
    "reply", [failure(500), failure(401), Reply(b"<html></html>"), Reply(b"{"), Reply(b'{"choices": []}')]
)
def test_a_model_that_cannot_be_asked_makes_no_summary(
    server: ChatServer, summarizer: Summarizer, reply: Reply
) -> None:
    server.replies = [reply]
    with pytest.raises(SummaryError):
        summarizer.summarize(task())
