"""The same folders and documents in both stores: the same files, chunks and answers."""

import random
from pathlib import Path
from typing import Any

import pytest

from recollect import UserMemory
from tests.conformance.notes import Notes, pieces
from tests.congruence.twins import CLOSE, Twins
from tests.reliability.edits import Editor
from tests.sizes import sized

_TREES = sized(2, 20)
_STEPS = sized(12, 40)
_QUESTIONS = (
    "garden by the coast",
    "coffee",
    "plan.md",
    "violin -train",
    '"piano violin"',
    "grüße naïve",
    "a.md ladder",
)


def _files(user: UserMemory) -> list[tuple[Any, ...]]:
    """Give what is known about each file, but for ids and moments that are made at random."""
    items = user.files.list(limit=1_000).items
    return sorted(file[1:-2] for file in items)


def _answers(user: UserMemory, question: str, **more: Any) -> list[tuple[Any, ...]]:
    """Give the hits of a question in an order that does not depend on ties, with scores that may be rounded."""
    found = user.search_context(question, limit=50, **more)
    assert found.degraded == ()
    return sorted(
        (hit.content, hit.type, hit.trust, str(hit.occurred_at), getattr(hit.record, "place", ""), hit.score)
        for hit in found.hits
    )


def _insist_alike(users: tuple[UserMemory, UserMemory]) -> None:
    one, other = users
    assert pieces(one) == pieces(other)
    assert _files(one) == _files(other)
    assert one.files.folders() == other.files.folders()
    assert (one.stats().files, one.stats().chunks) == (other.stats().files, other.stats().chunks)
    for question in _QUESTIONS:
        ours, theirs = _answers(one, question), _answers(other, question)
        assert [hit[:-1] for hit in ours] == [hit[:-1] for hit in theirs]
        assert [hit[-1] for hit in ours] == pytest.approx([hit[-1] for hit in theirs], abs=CLOSE)


@pytest.mark.parametrize("tree", range(_TREES))
def test_both_stores_keep_a_folder_alike(twins: Twins, tmp_path: Path, tree: int) -> None:
    users = twins.user().users
    notes = Notes(tmp_path / "notes")
    editor = Editor(notes, 7_000 + tree)
    for _ in range(5):
        editor.new()
    found = 0
    for step in range(_STEPS):
        editor.step()
        reports = [user.files.sync(notes.root, even_if_empty=True) for user in users]
        assert reports[0] == reports[1]
        if step % 3 == 0 or step == _STEPS - 1:
            _insist_alike(users)
            found += len(_answers(users[0], _QUESTIONS[0]))
    assert found > 0
    chosen = random.Random(tree).choice(notes.paths())
    for user in users:
        kept = [file for file in user.files.list(limit=1_000).items if file.path == chosen]
        assert [user.forget(file.id).files for file in kept] == [1] * len(kept)
    _insist_alike(users)
    for user in users:
        assert user.files.sync(notes.root)[0].added == 0
    _insist_alike(users)
