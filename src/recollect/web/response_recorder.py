"""Records what is sent. It imports no framework but the types of ASGI, so that traces work without one."""

from starlette.types import Message, Send


class ResponseRecorder:
    """Records the status and the length of a response that is sent."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.bytes = 0

    async def __call__(self, message: Message) -> None:
        self.status = message.get("status", self.status)
        self.bytes += len(message.get("body", b""))
        await self._send(message)
