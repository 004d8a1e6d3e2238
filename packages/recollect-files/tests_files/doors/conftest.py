"""The fixtures of the core's service."""

# ruff: noqa: PLC0414 - fixtures of these tests, too
from tests.service.conftest import serve as serve
from tests.service.conftest import service as service
