"""The commands that show how a memory is used, and tidy it up."""

from tests.cli.conftest import Cli


def test_insights_say_what_was_asked_and_by_whom(cli: Cli) -> None:
    cli.ok("store", "Anna drinks green tea every morning")
    assert "Searches are not recorded" in cli.ok("insights")
    cli.environment["RECOLLECT_SERVE_SEARCH_LOG"] = "queries"
    cli.ok("recall", "green tea")
    found = cli.json("insights", "--days", "7")
    assert [(one["query"], one["searches"]) for one in found["popular"]] == [("green tea", 1)]
    assert [one["agent"] for one in found["agents"]] == ["recollect"]
    shown = cli.ok("insights")
    assert "1 search since" in shown
    assert "green tea" in shown


def test_tidying_up_shows_first_and_changes_nothing_without_a_yes(cli: Cli) -> None:
    made = cli.json("store", "ok")["id"]
    assert "1 memory could go. Nothing was changed" in cli.ok("tidy")
    assert cli.json("tidy", "--rule", "system")["suggestions"] == []
    refused = cli("tidy", "--apply")
    assert (refused.exit_code, "needs --yes" in refused.stderr) == (2, True)
    assert cli.json("get", made)["content"] == "ok"
    assert cli.json("tidy", "--apply", "--yes")["forgotten"] == [made]
    assert cli.ok("tidy", "--apply", "--yes") == "Nothing to tidy up.\n"
    assert cli("tidy", "--rule", "old").exit_code == 2
