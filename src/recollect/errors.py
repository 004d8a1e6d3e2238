"""The error tree: every exception this package raises on purpose.

    RecollectError
    ├── SettingsError            a setting is unknown, malformed or refers to nothing
    │   └── PackageMissing       what was asked for comes with a package that is not installed
    ├── InvalidInput             what the caller passed cannot be stored or searched
    │   ├── InvalidMemory        a memory's content or one of its fields
    │   ├── InvalidMessage       a message's role, content or one of its fields
    │   ├── InvalidDocument      a file that cannot be read, or is not what it seems
    │   ├── ReceiptRefused       a receipt of forgetting that this store did not sign
    │   └── InvalidVector        NaN, infinite, zero or of the wrong length
    ├── NotFound                 nothing with that id for this user
    ├── AccessDenied             the caller may not do this
    │   ├── UnknownKey           no key, or one that is wrong, expired or revoked
    │   └── NotPermitted         the key is known, but not for this
    ├── QuotaExceeded            the user has as much as the settings allow
    ├── StaleVersion             another client changed it since the caller looked
    ├── AlreadyProcessed         a request that was carried out before; it carries the answer
    ├── EmbeddingError           no vector could be made; text search still works
    │   ├── ModelDamaged         a bundled model is not the one that was released
    │   ├── ProviderUnavailable  the embedding provider cannot be reached now; the text waits
    │   └── TextRefused          the provider will not embed this very text
    ├── GeocoderUnavailable      the geocoder cannot be reached now; what is stored keeps its coordinates
    ├── LlmError                 a language model did not answer, or not usefully; nothing was changed
    │   └── SummaryError         no usable summary came back
    ├── ReaderError              a message could not be read; rules that need no model remain
    ├── RerankerError            hits could not be scored again; they stay in their order
    └── StoreError               the database said no
        ├── StoreUnavailable     it cannot be reached, or refuses the login
        ├── ServiceUnavailable   the service in front of it does not answer, or is no such service
        ├── RateLimited          the service asks a client to wait
        ├── VersionMismatch      client and service are of versions that do not understand each other
        ├── StoreReadOnly        it lies where nothing can be written
        ├── StoreFull            its disk is full
        ├── StoreTooNew          written by a newer version of this package
        ├── StoreTooOld          the database software lacks what is needed
        ├── StoreDamaged         its content contradicts itself
        │   └── FileDamaged      pages of its file are not what was written
        └── BackupDamaged        a backup is not what was written; nothing was restored

Messages say what was found, what was expected and what to do.
"""

from typing import Literal, Self

_MAKE_ROOM = "Nothing was stored. Forget something, or ask the operator to raise the limit."


class RecollectError(Exception):
    """The root: catch this to catch everything that is raised on purpose."""


class SettingsError(RecollectError):
    """A setting is unknown, malformed or refers to something that does not exist."""


class PackageMissing(SettingsError, ImportError):
    """What was asked for comes with another package of Recollect, which is not installed. The message names it."""


class InvalidInput(RecollectError, ValueError):
    """What the caller passed cannot be stored or searched."""


class InvalidMemory(InvalidInput):
    """A memory's content or one of its fields cannot be stored."""


class InvalidMessage(InvalidInput):
    """A message's role, content or one of its fields cannot be stored."""


class InvalidDocument(InvalidInput):
    """A file cannot be read: it is damaged, encrypted, too large, or of an unknown format."""


class ReceiptRefused(InvalidInput):
    """A receipt of forgetting was changed, or is of another store or of a newer version."""


class InvalidVector(InvalidInput):
    """A vector holds NaN or infinity, is all zeros, or has the wrong length."""


class NotFound(RecollectError, LookupError):
    """This user has no memory with that id."""


class AccessDenied(RecollectError):
    """The caller may not do this."""


class UnknownKey(AccessDenied):
    """The key is missing, wrong, expired or revoked. The message does not tell which."""


class NotPermitted(AccessDenied):
    """The key is known, but it is not for this, or not for this user."""


class QuotaExceeded(RecollectError):
    """The user has as much as the quota allows. `quota` is `memories` or `storage`; nothing was written."""

    def __init__(self, quota: Literal["memories", "storage"], message: str) -> None:
        super().__init__(message)
        self.quota = quota

    @classmethod
    def of_memories(cls, most: int) -> Self:
        """A user may not have more memories."""
        full = f"This user's memory is full: it holds {most:,} memories (limits.memories)"
        return cls("memories", f"{full}. {_MAKE_ROOM}")

    @classmethod
    def of_storage(cls, most_mb: int) -> Self:
        """A user's texts and documents may not be larger."""
        full = f"This user's memory is full: its texts and documents have {most_mb:,} MB (limits.storage_mb)"
        return cls("storage", f"{full}. {_MAKE_ROOM}")


class StaleVersion(RecollectError):
    """Optimistic locking: it was changed since the caller read it. Read it again, then decide."""


class AlreadyProcessed(RecollectError):
    """An idempotent request was processed before; nothing was done now.

    `answer` is the reply of that time; None when it held something that was forgotten since.
    """

    def __init__(self, answer: str | None) -> None:
        super().__init__("This request was carried out before; nothing was done again.")
        self.answer = answer


class EmbeddingError(RecollectError):
    """No vector could be made. Storing and text search go on without one."""


class ModelDamaged(EmbeddingError):
    """A bundled model's files are missing or are not the ones that were released."""


class ProviderUnavailable(EmbeddingError):
    """The embedding provider is down, too slow, too busy, or refuses the key. The text is not the cause.

    `retry_after_s` is the pause it asked for, if it did.
    """

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class TextRefused(EmbeddingError):
    """The provider refuses to embed a text; sent one by one, it shows which."""


class GeocoderUnavailable(RecollectError):
    """The geocoder is down, too slow, too busy, or its answer is unusable.

    `retry_after_s` is the pause it asked for, if it did.
    """

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class LlmError(RecollectError):
    """A language model did not answer, or its answer is unusable.

    `usage_tokens` is what the attempt cost nevertheless.
    """

    def __init__(self, message: str, usage_tokens: int = 0) -> None:
        super().__init__(message)
        self.usage_tokens = usage_tokens


class SummaryError(LlmError):
    """No usable summary came back; the conversation stays as it was."""


class ReaderError(RecollectError):
    """A message could not be read: the model cannot be loaded, or its answer is unusable.

    `usage_tokens` is what the attempt cost nevertheless.
    """

    def __init__(self, message: str, usage_tokens: int = 0) -> None:
        super().__init__(message)
        self.usage_tokens = usage_tokens


class RerankerError(RecollectError):
    """Hits could not be scored again: the model cannot be loaded or reached, or its answer is unusable."""


class StoreError(RecollectError):
    """The database refused or failed."""


class ServiceUnavailable(StoreError):
    """The service in front of the store does not answer, or what answers is no Recollect service."""


class RateLimited(StoreError):
    """The service asks a client to wait; `retry_after_s` says how long."""

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class VersionMismatch(StoreError):
    """The service is of a version that this client does not understand."""


class StoreUnavailable(StoreError):
    """The database cannot be reached, opened or logged into."""


class StoreReadOnly(StoreError):
    """The store lies where nothing can be written: it can be searched, but not changed."""


class StoreFull(StoreError):
    """The disk of the store, or of the original documents, is full: nothing of the write was kept."""


class StoreTooNew(StoreError):
    """The store was written by a newer version of this package."""


class StoreTooOld(StoreError):
    """The database software is too old or lacks an extension, or the store predates the first release."""


class StoreDamaged(StoreError):
    """The store's content contradicts itself."""


class FileDamaged(StoreDamaged):
    """Pages of the store's file are not what was written. `recollect repair` saves the others."""


class BackupDamaged(StoreError):
    """A backup is not what was written, or cannot be read. Nothing was restored from it."""
