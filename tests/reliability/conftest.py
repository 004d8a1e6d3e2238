"""Processes for the tests of this folder."""

import shutil
import subprocess
from collections.abc import Iterator

import pytest

from recollect.models.local import LocalReader
from tests.reliability.tracing import traced
from tests.reliability.zygote import Zygote


@pytest.fixture(scope="session")
def warm_zygote(reader: LocalReader) -> Iterator[Zygote]:
    """One for the run: children start from it within milliseconds. Tests that use it share the loaded reader, too."""
    del reader
    running = Zygote()
    yield running
    running.stop()


@pytest.fixture
def zygote(warm_zygote: Zygote) -> Iterator[Zygote]:
    """The same, without children of other tests."""
    yield warm_zygote
    warm_zygote.clear()


@pytest.fixture(scope="session")
def strace(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where processes cannot be traced."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    victim = subprocess.Popen(["sleep", "60"])
    try:
        with traced(victim.pid, tmp_path_factory.mktemp("strace") / "log"):
            pass
    except PermissionError as error:
        pytest.skip(f"strace may not attach to a process here: {error}")
    finally:
        victim.wait()
