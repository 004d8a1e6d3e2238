"""Questions are answered and judged once each, however often a run is killed, and sets are read as they are meant."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from benchmarks.answers.__main__ import main
from benchmarks.answers.models import Price
from benchmarks.answers.run import Row, table, wilson
from benchmarks.answers.sets import load
from benchmarks.quality.sets import DATA, BadSet

from recollect.model.messages import Usage
from tests.llm.server import ChatServer, Reply, completion, failure
from tests.waiting import until

SETS = DATA / "answers"
TALKS = SETS / "talks.json"
ASKED = 9  # questions of the talks that are not adversarial


class Models:
    """A model that answers with its evidence, and one that finds the last word of the right answer in it."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.prompts: list[str] = []
        self.going = Event()
        self.going.set()
        self.failing, self.status = 0, 429

    def reply_to(self, body: Any) -> Reply:
        instructions, text = (message["content"] for message in body["messages"])
        if self.failing:
            self.failing -= 1
            return failure(self.status, Retry_After="0")
        if body["model"] == "judge":
            return completion(self._verdict(instructions, text))
        question = text.rpartition("Question: ")[2]
        self.asked[question] += 1
        self.prompts.append(instructions)
        if len(self.asked) > 3:
            self.going.wait(60)
        return completion(text)

    @staticmethod
    def _verdict(instructions: str, text: str) -> str:
        right, _, answer = text.partition("The answer to judge: ")
        word = right.split("The right answer: ")[1].strip().strip(".").split()[-1]
        told = word in answer.partition("Question: ")[0]
        full, none = ("FULL", "NONE") if "FULL" in instructions else ("RIGHT", "WRONG")
        return f"It says neither RIGHT nor more.\n{full if told else none}"


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[Models]:
    models = Models()
    with ChatServer(models.reply_to).running() as server:
        monkeypatch.setenv("ANSWERER_URL", server.url)
        monkeypatch.setenv("ANSWERER_MODEL", "answerer")
        monkeypatch.setenv("JUDGE_MODEL", "judge")
        yield models
        models.going.set()


def rows(path: Path) -> list[dict[str, Any]]:
    """Read what a run has written, without its head."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()[1:]]


def test_a_killed_run_goes_on(models: Models, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run.jsonl"
    models.going.clear()
    command = (sys.executable, "-m", "benchmarks.answers", str(TALKS), "--out", str(out), "--workers", "1")
    with subprocess.Popen(command, env=dict(os.environ), stderr=subprocess.DEVNULL) as process:
        until(lambda: len(models.asked) > 3)  # the fourth is not answered
        process.send_signal(signal.SIGKILL)
    models.going.set()
    written = rows(out)
    assert len(written) == 3
    with out.open("ab") as file:
        file.write(b'{"id": "en/4", "kind": "sin')
    assert main([str(TALKS), "--out", str(out), "--price", "1000,0", "--judge-price", "0,1000"]) == 0
    done = rows(out)
    assert done[:3] == written
    assert len({row["id"] for row in done}) == len(done) == ASKED
    assert all(models.asked[row["question"]] == 1 for row in written)
    assert {row["question"]: row["score"] for row in done}["Kam se Hana přestěhovala?"] == 1
    shown = capsys.readouterr().out
    assert "| multi | 2 |" in shown
    assert f"| all | {ASKED} |" in shown
    assert f"${(ASKED * 120 * 1000 + ASKED * 30 * 1000) / 1e6:.2f}" in shown


def test_the_days_of_a_set_are_those_of_the_store(models: Models, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    assert main([str(SETS / "sessions.json"), "--out", str(out), "--hits", "5"]) == 0
    lamp = next(row for row in rows(out) if row["id"] == "lamp")
    assert "[Thu 20 Jun 2024 · " in lamp["answer"]
    assert any("Today is Monday 01 July 2024" in prompt for prompt in models.prompts)


def test_no_question_is_found_for_the_next(models: Models, tmp_path: Path) -> None:
    asked = [str(TALKS), "--store", str(tmp_path / "store.db"), "--out"]
    assert main([*asked, str(tmp_path / "blocks.jsonl"), "--budget", "500"]) == 0
    assert main([*asked, str(tmp_path / "hits.jsonl"), "--hits", "50"]) == 0
    evidence = [row["answer"].partition("Question: ")[0] for row in rows(tmp_path / "hits.jsonl")]
    assert all("green folding" in text or "Mourek" in text for text in evidence)
    assert not any(question in text for text in evidence for question in models.asked)


def test_all_that_was_said_may_be_given(models: Models, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    assert main([str(SETS / "plans"), "--out", str(out), "--full"]) == 0
    assert all("12 concrete blocks" in row["answer"] and "->->" not in row["answer"] for row in rows(out))
    scores = {row["kind"]: row["score"] for row in rows(out)}
    assert scores == {"knowledge_update": 0.5, "abstention": 0.0}  # two points of the rubric, of which one is found


def test_the_answers_of_another_program_are_judged(models: Models, tmp_path: Path) -> None:
    given = tmp_path / "peer.json"
    given.write_text(json.dumps({
        "0": [{"question": "What did Dan buy?", "answer": "a green folding bicycle", "response": "a red bicycle"}],
        "1": [{"question": "Who sings alto?", "answer": "Ellen, Ruth's sister", "response": "Ruth"}],
    }))  # fmt: skip
    out = tmp_path / "run.jsonl"
    assert main([str(TALKS), "--out", str(out), "--answers", str(given), "--kinds", "single"]) == 0
    assert {row["question"]: row["answer"] for row in rows(out) if row["answer"]} == {
        "What did Dan buy?": "a red bicycle",
        "Who sings alto?": "Ruth",
    }
    assert not models.asked
    assert sum(row["score"] for row in rows(out)) == 1


def test_a_busy_endpoint_is_asked_again_and_one_that_refuses_later(
    models: Models, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.jsonl"
    asked = [str(TALKS), "--out", str(out), "--workers", "1"]
    models.failing, models.status = 3, 429
    assert main([*asked, "--limit-questions", "1"]) == 0
    models.failing, models.status = 1_000, 401
    assert main(asked) == 1
    told = capsys.readouterr().err
    assert f"{ASKED - 1} of {ASKED} questions have no answer" in told
    assert "Check the API key" in told
    assert models.failing > 1_000 - ASKED  # the rest was not even tried
    models.failing = 0
    assert main(asked) == 0
    assert len(rows(out)) == ASKED
    assert main([str(SETS / "sessions.json"), "--out", str(out)]) == 2
    assert "holds another run" in capsys.readouterr().err


def test_sets_are_read_with_their_times_and_kinds() -> None:
    english, czech = load(TALKS)
    assert english.turns[3].text.endswith("[image: a photo of three blue beehives under an apple tree]")
    assert english.turns[0].said_at == datetime(2024, 3, 3, 18, 40, tzinfo=UTC)
    assert [question.kind for question in english.questions] == [
        "single", "temporal", "multi", "open", "single", "adversarial"
    ]  # fmt: skip
    assert czech.questions[-1].rule == "unknown"
    lamp, boat = load(SETS / "sessions.json")
    assert [turn.text[:10] for turn in lamp.turns if turn.role == "user"] == ["I want the", "Please set"]
    assert (lamp.questions[0].rule, boat.questions[0].rule) == ("update", "unknown")
    [plan] = load(SETS / "plans")
    assert [turn.said_at.day for turn in plan.turns] == [15, 15, 15, 15, 2, 2]
    assert len(plan.questions[0].rubric) == 2


@pytest.mark.parametrize("content", ["[]", "{}", '[{"sample_id": "x"}]', "no json", "[1]"])
def test_what_is_no_set_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "set.json"
    path.write_text(content)
    with pytest.raises(BadSet, match=r"set\.json"):
        load(path)


def test_shares_have_intervals() -> None:
    low, high = wilson(1.0, 10)
    assert (round(low, 3), round(high, 3)) == (0.722, 1.0)
    assert wilson(0.5, 0) == (0.0, 1.0)
    row = Row("1", "single", "?", "yes", "yes", 1.0, (), 300, Usage(1_000_000, 0), Usage(0, 500_000))
    shown = table([row], (Price(0.15, 0.60), Price(0.15, 0.60)))
    assert "| single | 1 | 100.0 (20.7 to 100.0) | 300 |" in shown
    assert "$0.45" in shown
