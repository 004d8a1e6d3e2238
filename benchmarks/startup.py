"""What a person waits for: the help, and a recall in a process that has just started. And what an install occupies."""

import os
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.figures import Figure, seconds
from benchmarks.lifelike import sentences, vectors
from benchmarks.stores import open_memory
from recollect import NewMemory

_FLOOR = """
import apsw, numpy, onnxruntime, tokenizers
from importlib.resources import files
folder = files("recollect") / "models" / "files"
options = onnxruntime.SessionOptions()
options.log_severity_level = 4
onnxruntime.InferenceSession(str(folder / "encoder.onnx"), options, providers=["CPUExecutionProvider"])
tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
"""
_PROGRAM = str(Path(sys.executable).with_name("recollect"))


def help_text(rounds: int = 15) -> Iterator[Figure]:
    """`recollect --help` against importing the library that it is made with."""
    mine, peer = _in_turn([_PROGRAM, "--help"], [sys.executable, "-c", "import typer"], rounds)
    detail = f"{mine * 1e3:.0f} ms against {peer * 1e3:.0f} ms"
    yield Figure("recollect --help against import typer", mine / peer, 1.5, "at most", detail)


def recall_against_the_floor(folder: Path, rounds: int = 7) -> Iterator[Figure]:
    """CPU seconds of a cold `recollect recall` against its floor: importing the libraries and loading the model."""
    database = folder / "one.db"
    with open_memory(str(database)) as memory:
        memory.user("default").remember("The red bicycle of Anna is in the cellar")
    recall = [_PROGRAM, "--database", str(database), "recall", "where is the red bicycle of Anna?"]
    floor = [sys.executable, "-c", _FLOOR]
    cpu_seconds(recall), cpu_seconds(floor)
    times = [(cpu_seconds(recall), cpu_seconds(floor)) for _ in range(rounds)]
    mine, least = min(mine for mine, _ in times), min(least for _, least in times)
    detail = f"{mine:.2f} s of CPU against {least:.2f} s"
    yield Figure("cold recollect recall against its floor", mine / least, 2.0, "at most", detail)


def cold_recall(folder: Path, amount: int, rounds: int = 7) -> Iterator[Figure]:
    """`recollect recall` on a large store against the same on an empty one."""
    large, empty = folder / "large.db", folder / "empty.db"
    with open_memory(str(large)) as memory:
        memory.user("default").remember_many(
            NewMemory(text, vector=vector) for text, vector in zip(sentences(amount), vectors(amount), strict=True)
        )
    with open_memory(str(empty)):
        pass
    asked = ["recall", "where is the red bicycle of Anna?"]
    mine, peer = _in_turn(
        [_PROGRAM, "--database", str(large), *asked], [_PROGRAM, "--database", str(empty), *asked], rounds
    )
    detail = f"{mine * 1e3:.0f} ms against {peer * 1e3:.0f} ms"
    yield Figure(f"cold recollect recall on {amount:,}", mine / peer, 1.5, "at most", detail)


def cpu_seconds(command: Sequence[str], environment: Mapping[str, str] | None = None) -> float:
    """Run a command, and give what it took of the processor, in its own mode and the kernel's."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment or _environment(), check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("RECOLLECT_", "PYTHON"))}


def _in_turn(ours: Sequence[str], peer: Sequence[str], rounds: int) -> tuple[float, float]:
    environment = _environment()

    def run(command: Sequence[str]) -> float:
        return seconds(lambda: subprocess.run(command, env=environment, check=True, capture_output=True))

    run(ours), run(peer)
    times = [(run(ours), run(peer)) for _ in range(rounds)]
    return statistics.median(mine for mine, _ in times), statistics.median(other for _, other in times)


def footprint(folder: Path) -> Iterator[Figure]:
    """The size of a virtual environment that holds the package and what it needs, and nothing else."""
    root = Path(__file__).resolve().parent.parent
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    install = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    beside = [str(root / "packages" / name) for name in ("recollect-connect", "recollect-files")]
    subprocess.run([*install, str(root), *beside], check=True, capture_output=True)
    size = sum(path.stat().st_size for path in environment.rglob("*") if path.is_file() and not path.is_symlink())
    torch = any(environment.rglob("site-packages/torch"))
    shutil.rmtree(environment)
    detail = f"{size / 1e6:.0f} MB, {'with' if torch else 'without'} torch"
    yield Figure("virtual environment of a user, in 350 MB", size / 350e6, 1.0, "at most", detail)
