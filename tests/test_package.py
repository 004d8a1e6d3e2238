"""What users install: the wheel holds everything the code reads at run time."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from recollect.embedding.released import SHA256

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outdir = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(outdir), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = outdir.glob("*.whl")
    return built


def test_the_wheel_holds_the_encoder_the_types_the_sql_and_the_tables(wheel: Path) -> None:
    encoder = "recollect/embedding/encoder/"
    source = ROOT / "src"
    read = [*source.rglob("*.sql"), *source.glob("recollect/text/tables/*/*.txt")]
    data = {path.relative_to(source).as_posix() for path in read}
    assert {path.suffix for path in read} == {".sql", ".txt"}
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        sums = {name: hashlib.sha256(archive.read(encoder + name)).hexdigest() for name in SHA256}
    assert sums == SHA256
    assert {encoder + "MODEL_CARD.md", encoder + "NOTICE", "recollect/py.typed"} | data <= names
