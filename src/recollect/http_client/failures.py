"""What goes wrong between us and a server. Adapters turn these into the errors of their own trade."""


class Transient(Exception):
    """Something went wrong that may go right next time. `pause_s` is what the server asked for, if it did."""

    def __init__(self, reason: str, pause_s: float | None = None, status: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.pause_s = pause_s
        self.status = status


class RemoteError(Exception):
    """A server could not be asked, or its answer cannot be used.

    `reason` says what was found and what to do. `transient` failures were tried again, `attempts` times in all; a call
    that was not made, because too many before it had failed, has none. `status` is what the server answered, if it did.
    """

    def __init__(
        self,
        reason: str,
        *,
        status: int | None = None,
        transient: bool = False,
        attempts: int = 1,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.transient = transient
        self.attempts = attempts
        self.retry_after_s = retry_after_s
