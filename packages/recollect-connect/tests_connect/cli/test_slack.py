"""`recollect slack`: what it says when it cannot start."""

import pytest
from tests.cli.conftest import Cli


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_bot_names_the_tokens_that_are_missing(cli: Cli) -> None:
    socket = cli("slack")
    assert (socket.exit_code, "SLACK_BOT_TOKEN and SLACK_APP_TOKEN must be set" in socket.stderr) == (2, True)
    http = cli("slack", "--port", "0", "--bot-token", "xoxb-test")
    assert "SLACK_SIGNING_SECRET must be set" in http.stderr
    shared = cli("slack", "--bot-token", "xoxb-test", "--app-token", "xapp-test", "--shared-channel", "C1")
    assert "C0123=kitchen" in shared.stderr
