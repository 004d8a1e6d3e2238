"""Encrypts files in the age format, in constant memory: to public keys, or with a passphrase.

A file for public keys is a plain age file. For a passphrase a key is made, the content is encrypted to it, and the key
stands before the content as an armored age file of its own that the passphrase opens: the library streams only what is
encrypted to keys.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from io import BufferedReader
from pathlib import Path
from threading import Thread
from typing import IO, Any, BinaryIO, Final, cast

from recollect.errors import InvalidInput

SUFFIX: Final = ".age"
_PLAIN = b"age-encryption.org/v1\n"
_ARMOR = b"-----BEGIN AGE ENCRYPTED FILE-----"
_END_OF_ARMOR = b"-----END AGE ENCRYPTED FILE-----"
_MOST_KEY_BYTES = 4_096  # of a key that stands before the content
_MOST_FILE_BYTES = 65_536  # of a file with keys or a passphrase
_SECRET = "AGE-SECRET-KEY-"  # noqa: S105 - how such a line begins
_DAMAGED = "The encrypted file is damaged or cut off: what it holds cannot be trusted. Use another copy of it."


@dataclass(frozen=True, slots=True)
class FileLock:
    """What files are encrypted with: public keys, and for a passphrase the locked key that stands before each file.

    `public_keys` are the same keys as texts: files with equal ones can be decrypted with the same key.
    """

    recipients: tuple[Any, ...] = field(repr=False)
    public_keys: tuple[str, ...]
    locked_key: bytes = field(default=b"", repr=False)


class FileKey:
    """What files are decrypted with. Opening a key with a passphrase takes a second, so opened keys are remembered."""

    def __init__(self, identities: Sequence[object] = (), passphrase: str = "") -> None:
        self._identities = list(identities)
        self._passphrase = passphrase
        self._opened: dict[bytes, object] = {}

    def identities(self, locked_key: bytes) -> list[object]:
        """Give the keys to try for a file that begins with this locked key, or with none."""
        if not locked_key:
            return self._need(self._identities, "a key: name the file that holds it (`--identity`)")
        if locked_key not in self._opened:
            (passphrase,) = self._need([self._passphrase] if self._passphrase else [], "its passphrase")
            age = _age()
            try:
                secret = age.passphrase.decrypt(locked_key, passphrase)
            except age.DecryptError as error:
                raise InvalidInput("The passphrase does not open this file.") from error
            self._opened[locked_key] = age.x25519.Identity.from_str(secret.decode())
        return [self._opened[locked_key]]

    def _need(self, found: list[Any], what: str) -> list[Any]:
        if not found:
            raise InvalidInput(f"The file is encrypted and can only be read with {what}.")
        return found


def _age() -> Any:  # noqa: ANN401 - the library has no types
    try:
        import pyrage  # noqa: PLC0415 - an extra, and slow to load for those who encrypt nothing
    except ImportError as error:
        raise InvalidInput(
            "Encryption needs a package that is not there: pip install 'recollect[encryption]'."
        ) from error
    return pyrage


def lock_to(recipients: Sequence[str]) -> FileLock:
    """Encrypt to public keys, such as `age1...` or `ssh-ed25519 ...`. Only their owners can decrypt."""
    age, found = _age(), []
    for text in (recipient.strip() for recipient in recipients):
        reader = age.ssh.Recipient if text.startswith("ssh-") else age.x25519.Recipient
        try:
            found.append(reader.from_str(text))
        except age.RecipientError as error:
            raise InvalidInput(
                f"{text[:80]!r} is no public key to encrypt to ({error}). One begins with age1."
            ) from error
    if not found:
        raise InvalidInput("Name at least one public key to encrypt to, such as age1...")
    return FileLock(tuple(found), tuple(sorted(recipient.strip() for recipient in recipients)))


def lock_for(recipients: Sequence[str], passphrase: str, *, like: Path | None = None) -> FileLock | None:
    """Encrypt as callers ask: to public keys, with a passphrase, which may open a file that is there, or not at all."""
    if recipients and passphrase:
        raise InvalidInput("Encrypt to public keys or with a passphrase, not both.")
    if recipients:
        return lock_to(recipients)
    return lock_with(passphrase, like=like) if passphrase else None


def lock_with(passphrase: str, *, like: Path | None = None) -> FileLock:
    """Encrypt with a passphrase; takes about a second. With the key of a file that the passphrase opens, if it does."""
    if like is not None:
        with like.open("rb") as file, suppress(InvalidInput):
            locked_key = _read_locked_key(file)
            (known,) = FileKey(passphrase=passphrase).identities(locked_key)
            return _locked_by(known, locked_key)
    age = _age()
    identity = age.x25519.Identity.generate()
    return _locked_by(identity, age.passphrase.encrypt(str(identity).encode(), passphrase, armored=True))


def _locked_by(identity: Any, locked_key: bytes) -> FileLock:  # noqa: ANN401 - the library has no types
    public = identity.to_public()
    return FileLock((public,), (str(public),), locked_key)


def key_for(identity: str | os.PathLike[str] | None, passphrase: str) -> FileKey:
    """Decrypt as callers ask: with the keys in a file, or with a passphrase.

    Keys are lines that begin with AGE-SECRET-KEY-, or a private key of OpenSSH.
    """
    if identity is not None and passphrase:
        raise InvalidInput("Give the file of a key or a passphrase, not both.")
    return FileKey(_identities_in(identity) if identity is not None else (), passphrase)


def _identities_in(path: str | os.PathLike[str]) -> list[Any]:
    age, data = _age(), _read_small(path)
    try:
        if data.startswith(b"-----BEGIN"):
            return [age.ssh.Identity.from_buffer(data)]
        lines = (line.strip() for line in data.decode("utf-8", "replace").splitlines())
        found = [age.x25519.Identity.from_str(line) for line in lines if line.startswith(_SECRET)]
    except age.IdentityError as error:
        raise InvalidInput(f"{os.fspath(path)} holds no key that can be used ({error}).") from error
    if not found:
        raise InvalidInput(f"{os.fspath(path)} holds no key. One is a line that begins with {_SECRET}.")
    return found


class TextKey:
    """Encrypts texts with the first key of a file, and decrypts with any of them."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._identities = _identities_in(path)
        self._first = self._identities[0]
        if not str(self._first).startswith(_SECRET):
            raise InvalidInput(f"{os.fspath(path)} begins with no key of age. `recollect new-key` makes one.")

    def encrypt(self, data: bytes) -> bytes:
        """Encrypt some bytes."""
        return bytes(_age().encrypt(data, [self._first.to_public()]))

    def decrypt(self, data: bytes) -> bytes:
        """Decrypt some bytes. Raises InvalidInput."""
        try:
            return bytes(_age().decrypt(data, self._identities))
        except _age().DecryptError as error:
            raise InvalidInput(f"The key does not open this ({error}).") from error

    def mark(self, data: bytes) -> str:
        """Give the same hash of the same bytes, from which no one without the key can guess them."""
        return blake2b(data, key=blake2b(str(self._first).encode()).digest(), digest_size=16).hexdigest()


def make_key(path: str | os.PathLike[str]) -> str:
    """Write a new key to a new file that only its owner may read; gives its public key."""
    identity = _age().x25519.Identity.generate()
    public = str(identity.to_public())
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise InvalidInput(f"{os.fspath(path)} cannot be made ({error.strerror}); a key goes to a new file.") from error
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(f"# public key: {public}\n{identity}\n")
        file.flush()
        os.fsync(file.fileno())
    return public


def read_passphrase(path: str | os.PathLike[str]) -> str:
    """Read a passphrase: the first line of a file."""
    first = (_read_small(path).decode("utf-8", "surrogateescape").splitlines() or [""])[0]
    if not first.strip():
        raise InvalidInput(f"The first line of {os.fspath(path)} is empty; it should be the passphrase.")
    return first


def _read_small(path: str | os.PathLike[str]) -> bytes:
    try:
        with Path(path).expanduser().open("rb") as file:
            return file.read(_MOST_FILE_BYTES)
    except OSError as error:
        raise InvalidInput(f"{os.fspath(path)} cannot be read ({error.strerror}).") from error


def encrypt(source: IO[bytes], target: IO[bytes], lock: FileLock) -> None:
    """Encrypt one file into another."""
    target.write(lock.locked_key)
    _age().encrypt_io(source, target, list(lock.recipients))


@contextmanager
def encrypting(target: BinaryIO, lock: FileLock | None) -> Iterator[BinaryIO]:
    """Give a file to write to, whose content reaches the target encrypted; without a lock the target itself."""
    if lock is None:
        yield target
        return
    reading, writing = os.pipe()
    failed: list[BaseException] = []

    def work() -> None:
        with os.fdopen(reading, "rb") as source:
            try:
                encrypt(source, target, lock)
            except BaseException as error:  # noqa: BLE001 - raised where the caller waits
                failed.append(error)

    thread = Thread(target=work, name="recollect-encrypt")
    thread.start()
    try:
        with os.fdopen(writing, "wb") as file:
            yield cast("BinaryIO", file)
    except BrokenPipeError:
        if not failed:
            raise
    finally:
        thread.join()
        if failed:
            raise failed[0]


def is_encrypted(source: BufferedReader) -> bool:
    """Whether a file that is open at its beginning is encrypted; it stays there."""
    return source.peek(len(_ARMOR)).startswith((_PLAIN, _ARMOR))


def decrypt(source: BufferedReader, target: IO[bytes], key: FileKey) -> None:
    """Decrypt one file into another. What was written before an error must not be used. Raises InvalidInput."""
    age = _age()
    identities = key.identities(_read_locked_key(source))
    try:
        age.decrypt_io(source, target, identities)
    except age.DecryptError as error:
        raise InvalidInput(f"The key does not open this file ({error}).") from error
    except OSError as error:
        if error.errno is not None:  # the disk, not the library
            raise
        raise InvalidInput(_DAMAGED) from error


def _read_locked_key(source: BufferedReader) -> bytes:
    """Read the key that stands before the content, if one does."""
    if not source.peek(len(_ARMOR)).startswith(_ARMOR):
        return b""
    lines, size = [], 0
    while size < _MOST_KEY_BYTES:
        line = source.readline(_MOST_KEY_BYTES)
        lines.append(line)
        size += len(line)
        if line.strip() == _END_OF_ARMOR:
            return b"".join(lines)
        if not line:
            break
    raise InvalidInput(_DAMAGED)
