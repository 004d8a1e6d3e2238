"""The view of groups: read what is in one, and merge what is said twice, by keyboard."""

import pytest
from playwright.sync_api import expect

from tests.page.conftest import Visit
from tests.service.conftest import Running, Serve

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # the page knows routes, not stores

TEXTS = (
    "Our dog Bruno limps after long walks",
    "The vet gave our dog Bruno tablets for his joints",
    "Bruno the dog must not eat chicken",
    "I practise the guitar for twenty minutes a day",
    "The high string of my guitar broke during the concert",
    "I broke a string of my guitar while I practised <img src=x>",
)


@pytest.fixture
def running(serve: Serve) -> Running:
    return serve()


def test_groups_are_read_and_what_is_said_twice_is_merged(visit: Visit) -> None:
    page, anna = visit.page, visit.memory.user("anna")
    visit.go("Clusters")
    expect(page.get_by_text("No memories are similar yet.")).to_be_visible()
    anna.remember_many([*TEXTS, {"content": TEXTS[0], "context": "winter"}])
    visit.go("Recall")
    visit.go("Clusters")
    groups = page.locator(".groups .list button")
    expect(groups).to_have_count(2)
    expect(page.locator(".drawing g")).to_have_count(2)
    groups.filter(has_text="guitar").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("article").filter(has_text="<img src=x>")).to_be_visible()
    expect(page.get_by_role("button", name="Similar to this")).to_have_count(3)
    page.locator(".drawing text", has_text="Bruno").click()
    expect(page.get_by_role("button", name="Similar to this")).to_have_count(4)
    expect(page.get_by_text("Merging deletes nothing")).to_be_visible()
    page.get_by_role("button", name="Merge").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("No two memories say the same.")).to_be_visible()
    assert sorted(len(anna.history(one.id)) for one in anna.list().items) == [1, 1, 1, 1, 1, 2]
