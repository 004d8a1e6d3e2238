"""What every namespace of a user shares: the service, and the user it is asked for."""

from collections.abc import Mapping
from typing import Any

from recollect.client.service import ServiceConnection
from recollect.verbs import Verbs


class ServiceScoped(Verbs):
    """One user's part of a service. Without a name, the key's own user is meant."""

    def __init__(self, service: ServiceConnection, user_id: str) -> None:
        self._service = service
        self._user_id = user_id

    def _get(self, path: str, **query: object) -> Any:  # noqa: ANN401 - JSON
        return self._service.get(self._user_id, path, **query)

    def _post(self, path: str, body: Mapping[str, object]) -> Any:  # noqa: ANN401 - JSON
        return self._service.post(self._user_id, path, body)

    def _send(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:  # noqa: ANN401 - JSON
        return self._service.send(self._user_id, method, path, body)
