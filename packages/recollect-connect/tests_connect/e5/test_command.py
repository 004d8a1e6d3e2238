"""The command: what it says, what it refuses, and how it ends."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Cli
from tests.rows import every
from tests.waiting import until

from recollect.ports import Embedder
from recollect.web.server import ServerError, bind, listen
from tests_connect.e5.conftest import Process, client

BUNDLED = ("e5-server", "--model", "bundled", "--port", "0")


@contextmanager
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def test_it_serves_people_who_type_it(encoder: Embedder) -> None:
    with Process("e5-server", "--model", "recollect-encoder-4", "--port", "0") as process:
        assert process.line() == "Loading recollect-encoder-4 ...\n"
        serves, how = process.line(), process.line()
        assert serves.startswith("Serving recollect-encoder-4, 384 dimensions, at http://127.0.0.1:")
        url = serves.partition(" at ")[2].partition(" ")[0]
        assert how == (
            'To use it: embedding.provider = "e5", embedding.model = "recollect-encoder-4", '
            f'embedding.e5_endpoint = "{url}"\n'
        )
        with client(url) as http:
            vector = http.post("/embed", json={"text": "Hello", "type": "query"}).json()["embedding"]
        assert np.array_equal(np.array(vector, np.float32), encoder.embed(["Hello"], "query")[0])
        process.send(signal.SIGINT)
        assert process.end() == (0, "", "")


def test_the_environment_chooses_what_no_option_does_and_sigterm_lets_requests_under_way_finish() -> None:
    with taken_port() as port:
        typed = Cli("--json")
        typed.environment |= {"E5_MODEL": "local", "E5_PORT": str(port)}
        outcome = typed("e5-server")
        assert outcome.exit_code == 1
        assert f"port {port}" in outcome.stdout
    with Process("--json", "e5-server", "--port", "0", E5_MODEL="local", E5_PORT="1", E5_HOST="127.0.0.2") as process:
        ready = process.ready()
        assert (ready["status"], ready["model"], ready["dimension"]) == ("ready", "recollect-encoder-4", 384)
        assert ready["url"].startswith("http://127.0.0.2:")
        assert ready["warnings"] == []
        texts = [f"{number} " + "many words to think about " * 60 for number in range(15)]
        with client(ready["url"]) as http, ThreadPoolExecutor(1) as other:
            http.get("/health")
            worked_s = process.cpu_s()
            under_way = other.submit(http.post, "/batch", json={"texts": texts})
            until(lambda: process.cpu_s() > worked_s + 0.3)  # it is being computed, which takes several seconds
            assert not under_way.done()
            process.send(signal.SIGTERM)
            answer = under_way.result()
        assert answer.status_code == 200
        assert len(answer.json()["embeddings"]) == 15
        assert process.end() == (0, "", "")  # with nothing about the requests, which are logged only when asked for


def test_an_open_address_comes_with_a_warning_and_a_log_that_says_nothing_of_what_is_sent() -> None:
    private = "the safe is behind the painting"
    options = ("--host", "0.0.0.0", "--max-batch", "2", "--verbose")  # noqa: S104 - that is what is warned about
    with Process(*BUNDLED, *options) as process:
        lines = [process.line() for _ in range(3)]
        assert "at http://127.0.0.1:" in lines[1]
        with client(lines[1].partition(" at ")[2].partition(" ")[0].strip()) as http:
            assert http.post("/batch", json={"texts": ["a", private]}).status_code == 200
            assert "at most 2" in http.post("/batch", json={"texts": ["a", "b", private]}).json()["detail"]
            http.get(f"/nothing?{private}")
        process.send(signal.SIGTERM)
        code, said, told = process.end()
    assert (code, said) == (0, "")
    warned, *logged = told.splitlines()
    assert warned == (
        "Warning: 0.0.0.0 can be reached from other machines, and there is no key: any client that reaches the "
        "port can use the model."
    )
    assert "safe" not in told
    assert [line.split()[2:5] for line in logged] == [
        ["POST", "/batch", "200"],
        ["POST", "/batch", "413"],
        ["GET", "/nothing", "404"],
    ]


def test_a_port_in_use_is_one_sentence() -> None:
    with taken_port() as port:
        outcome = Cli()("e5-server", "--model", "bundled", "--port", str(port))
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert outcome.stderr == (
        f"Error: Cannot listen on 127.0.0.1, port {port}: address already in use. Choose another with --port or "
        "--host.\n"
    )


def test_of_two_that_start_at_the_same_time_one_serves() -> None:
    with closing(bind("127.0.0.1", 0)) as first:
        port = first.getsockname()[1]
        with pytest.raises(ServerError, match=f"port {port}: address already in use"):
            _start_beside(first, port)


def _start_beside(first: socket.socket, port: int) -> None:
    with closing(bind("127.0.0.1", port)) as second:
        listen(first)
        listen(second)


@every("host", ["nowhere.invalid", "a" * 300, "192.0.2.1"])
def test_an_address_that_is_not_ours_is_one_sentence(host: str) -> None:
    outcome = Cli()("e5-server", "--model", "bundled", "--port", "0", "--host", host)
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert outcome.stderr.startswith("Error: ")
    assert host in outcome.stderr
    assert outcome.stderr.count("\n") == 1


def test_a_missing_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect_connect.e5.models.find_spec", lambda _: None)
    with taken_port() as port:  # which it does not even try
        outcome = Cli()("e5-server", "--port", str(port))
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert outcome.stderr == (
        "Error: The model intfloat/multilingual-e5-large needs sentence-transformers, which is not installed. Install "
        "it with: pip install 'recollect[e5]'. The bundled encoder needs nothing more: --model bundled.\n"
    )
    for_programs = Cli("--json")("e5-server", "--port", "0")
    assert (for_programs.exit_code, for_programs.stderr) == (1, "")
    assert for_programs.document["error"]["type"] == "EmbeddingError"


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("OSError('no/such is not a local folder.\\nSee the docs.')", "no/such is not a local folder. Check its name"),
        ("KeyError()", "KeyError. Check its name"),
        ("ImportError('No module named torch')", "No module named torch. Check its name"),
    ],
)
def test_a_model_that_cannot_be_loaded_is_one_sentence(
    tmp_path: Path, raised: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = f"class SentenceTransformer:\n    def __init__(self, name):\n        raise {raised}\n"
    (tmp_path / "sentence_transformers.py").write_text(library)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    outcome = Cli()("e5-server", "--port", "0", "--model", "no/such")
    sys.modules.pop("sentence_transformers", None)
    assert outcome.exit_code == 1
    assert outcome.stderr.startswith(f"Error: The model no/such cannot be loaded: {said}")
    assert outcome.stderr.count("\n") == 1


def test_a_signal_while_the_model_is_loaded_ends_it_too(tmp_path: Path) -> None:
    (tmp_path / "sentence_transformers.py").write_text("import time\ntime.sleep(600)\n")
    with Process("e5-server", "--port", "0", "--model", "large", PYTHONPATH=str(tmp_path)) as process:
        assert process.line() == "Loading large ...\n"
        process.send(signal.SIGTERM)
        assert process.end() == (0, "", "")


@every("typed", [("--port", "65536"), ("--port", "x"), ("--max-batch", "0")])
def test_impossible_options_are_bad_usage(typed: tuple[str, str]) -> None:
    outcome = Cli()("e5-server", *typed)
    assert outcome.exit_code == 2
    assert f"Invalid value for '{typed[0]}'" in outcome.stderr


def test_help_needs_no_framework() -> None:
    code = (
        "import sys\n"
        "from recollect.cli import app\n"
        "try:\n    app(['e5-server', '--help'], prog_name='recollect')\n"
        "finally:\n    print(*sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"fastapi", "starlette", "uvicorn", "numpy", "onnxruntime"} & set(ended.stdout.split())
