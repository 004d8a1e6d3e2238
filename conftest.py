"""Gives the tests of the core and of each package the same fixtures and rules."""

pytest_plugins = ("tests.fixtures",)
