"""The fixtures of the core's commands."""

# ruff: noqa: PLC0414 - fixtures of these tests, too
from tests.cli.conftest import cli as cli
from tests.cli.conftest import no_settings_of_this_machine as no_settings_of_this_machine
from tests.cli.conftest import steady_clock as steady_clock
