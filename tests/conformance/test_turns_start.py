"""What an agent is shown when a session begins, on both stores."""

import pytest

from recollect import InvalidInput, Memory, Trust, UserMemory
from tests.fixtures import OpenMemory
from tests.rows import every


def shown(me: UserMemory, project: str) -> list[str]:
    return sorted(hit.content for hit in me.start_session(project).hits)


def test_what_is_known_about_the_project_and_what_the_user_prefers(memory: Memory, me: UserMemory) -> None:
    me.facts.set("webshop", "database", "PostgreSQL 16", content="The webshop runs on PostgreSQL 16")
    me.remember("Webshop deployments happen on Tuesdays", type="decision")
    me.remember("Prefers tabs to spaces", type="preference")
    me.remember("Always answer in English", type="preference", subject="assistant", metadata={"standing": True})
    me.remember("The garden needs water", type="fact")
    memory.user("ben").remember("Ben's webshop runs on MySQL", type="fact")
    answer = me.start_session("webshop")
    assert sorted(hit.content for hit in answer.hits) == [
        "Always answer in English",
        "Prefers tabs to spaces",
        "The webshop runs on PostgreSQL 16",
        "Webshop deployments happen on Tuesdays",
    ]
    assert answer.block.startswith("<relevant-context")
    assert all(hit.content in answer.block for hit in answer.hits)
    assert (answer.message_id, answer.degraded) == (None, ())


@every("project", ["", " ", "\x00", "lighthouse", "x" * 5_000])
def test_without_a_project_that_is_known_there_is_the_user(memory: Memory, project: str) -> None:
    me = memory.user(f"works on {project[:20]!r}")
    assert me.start_session(project).block == ""
    me.remember("Prefers tabs to spaces", type="preference")
    me.remember("Told by a web page", type="preference", trust=Trust.EXTERNAL)
    assert shown(me, project) == ["Prefers tabs to spaces"]


def test_a_block_is_never_longer_than_its_budget(me: UserMemory) -> None:
    me.remember("Prefers tabs to spaces", type="preference")
    assert me.start_session(max_tokens=0).block == ""
    with pytest.raises(InvalidInput, match="max_tokens"):
        me.start_session(max_tokens=-1)


def test_without_auto_recall_nothing_is_shown(open_memory: OpenMemory) -> None:
    me = open_memory(auto_recall=False).user("anna")
    me.remember("Prefers tabs to spaces", type="preference")
    assert me.start_session("webshop").block == ""
