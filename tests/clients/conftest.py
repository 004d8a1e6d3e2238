"""Clients meet a service that runs in this process, on the test's store."""

from tests.service.conftest import anna, serve, service

__all__ = ["anna", "serve", "service"]
