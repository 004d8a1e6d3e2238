"""fork(): nothing that was acknowledged is lost, nothing hangs, and what came along is refused with what to do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixtures import OpenMemory
from tests.reliability.figures import figure
from tests.reliability.zygote import Zygote
from tests.sizes import sized
from tests.storage.catalogue import plain
from tests.waiting import PATIENCE_S

_FORKED = sized(3, 30)
_STARTED_ANEW = 3  # each imports everything


@pytest.mark.parametrize(
    ("method", "children"),
    [
        ("fork", _FORKED),
        pytest.param("spawn", _STARTED_ANEW, marks=pytest.mark.slow),
        pytest.param("forkserver", _STARTED_ANEW, marks=pytest.mark.slow),
    ],
)
def test_children_of_a_process_at_work(
    database: str, zygote: Zygote, open_memory: OpenMemory, method: str, children: int
) -> None:
    family = zygote.start("raise_family", database=database, method=method, children=children)
    told = family.hear()
    assert family.end() == 0
    assert told["failures"] == []
    for refused in told["refused"]:
        assert len(refused) == (8 if method == "fork" else 0)
        assert all(text.startswith("This store was opened by process") for text in refused), refused
        assert all("post_fork hook" in text and "multiprocessing" in text for text in refused)

    assert len(told["acknowledged"]) > children * 5
    with plain(database) as store:
        assert set(told["acknowledged"]) - {row[0] for row in store.rows("SELECT content FROM memories")} == set()
    assert open_memory(embedding__provider="none").doctor() == ()
    figure(13, method, children=children, acknowledged=len(told["acknowledged"]), lost=0, hung=0)


def test_a_file_in_use_at_the_fork_is_refused_to_the_child(tmp_path: Path, zygote: Zygote) -> None:
    child = zygote.start("fork_inside", database=str(tmp_path / "memory.db"))
    assert child.hear() == ["opened another", 1]
    assert child.end() == 0


# With two threads the encoder has one of its own, for which a child that freed it would wait for ever.
_PROGRAM = """
import os, sys
from recollect import Memory, StoreError, load_settings

settings = load_settings(overrides={"database": sys.argv[1], "embedding.threads": 2, "places.geocoder": "none"})
with Memory.open(settings=settings) as memory:
    me = memory.user("me")
    me.remember("The pump is in the attic")
    child = os.fork()
    if child == 0:
        grandchild = os.fork()  # as daemons do
        if grandchild == 0:
            os._exit(0)
        os.waitpid(grandchild, 0)
        try:
            me.remember("The pump is in the cellar")
        except StoreError as error:
            sys.exit(str(error))
        sys.exit("not refused")
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    me.remember("The ladder is in the cellar")
    print(code, me.count(), len(memory.doctor()))
"""


def test_a_child_that_ends_as_programs_end(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _PROGRAM, str(tmp_path / "memory.db")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert (ran.returncode, ran.stdout.split()) == (0, ["1", "2", "0"]), ran.stderr
    assert ran.stderr.startswith("This store was opened by process")


_FROZEN = """
import gc, os, time
from functools import cached_property
from threading import Thread

from recollect import forking

begun, ended = [], []


class Slow:
    @cached_property
    def value(self):
        begun.append(1)
        while not ended:
            time.sleep(0.01)
        return True


Thread(target=lambda: Slow().value, daemon=True).start()
while not begun:
    time.sleep(0.01)
gc.freeze()
child = os.fork()
ended.append(1)
if not child:
    os._exit(not Slow().value)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot fork here")
def test_a_child_of_a_frozen_heap_waits_for_no_thread() -> None:
    assert subprocess.run([sys.executable, "-c", _FROZEN], timeout=PATIENCE_S, check=False).returncode == 0
