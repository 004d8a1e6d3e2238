"""Files in the age format: what goes in comes out, in constant memory, and only for the owner of the key."""

import io
import os
import stat
from functools import partial
from pathlib import Path

import psutil
import pyrage
import pytest

from recollect import encryption
from recollect.encryption import FileKey, FileLock
from recollect.errors import InvalidInput

WORDS = "correct horse battery staple"
MEBIBYTE = 2**20

# Made as age makes it, but to be opened in a millisecond: the work factor is 1 in place of about 18.
QUICK_KEY = b"""-----BEGIN AGE ENCRYPTED FILE-----
YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBYSjVTZkF6QnNMNWhJNXhP
aXlwRGdRIDEKTVFsZ3IxS0gvcHhneWRxUm5vRDBNbmlBcGNSaVpCOUd0TTZvUFZ2
dnFmYwotLS0geXA1WVRnbkhDTjFveVI2UkVNMmh6eW9rK29sRnpiVkpUV0hzazN6
TjNWMAqMV5/rQW/1BhGUS+CF4rB0gVTS0gXXc3mR2Fy00JGFCANMa36+fKM3sR/t
EWB/ZIX5W6Xw5sjvuXaeihfhc0ds1p/Oaty1j36KKqfAYPO8rXfc6g/UTvlTUbXi
GneR56dA6w04wvcP8usC
-----END AGE ENCRYPTED FILE-----
"""


@pytest.fixture
def quick_file(tmp_path: Path) -> Path:
    (tmp_path / "quick.age").write_bytes(QUICK_KEY)
    return tmp_path / "quick.age"


@pytest.fixture
def with_passphrase(quick_file: Path) -> tuple[FileLock, FileKey]:
    lock = encryption.lock_for((), WORDS, like=quick_file)
    assert lock is not None
    return lock, encryption.FileKey(passphrase=WORDS)


@pytest.fixture
def with_key(tmp_path: Path) -> tuple[FileLock, FileKey]:
    public = encryption.make_key(tmp_path / "key.txt")
    return encryption.lock_to([public]), encryption.key_for(tmp_path / "key.txt", "")


def encrypted(data: bytes, lock: FileLock) -> bytes:
    target = io.BytesIO()
    encryption.encrypt(io.BytesIO(data), target, lock)
    return target.getvalue()


def decrypted(data: bytes, key: FileKey) -> bytes:
    target = io.BytesIO()
    encryption.decrypt(io.BufferedReader(io.BytesIO(data)), target, key)
    return target.getvalue()


@pytest.mark.parametrize("kind", ["with_passphrase", "with_key"])
def test_what_is_encrypted_comes_back_and_every_change_is_noticed(kind: str, request: pytest.FixtureRequest) -> None:
    lock, key = request.getfixturevalue(kind)
    for data in (b"", b"short", os.urandom(3 * 65_536 + 17)):
        sealed = encrypted(data, lock)
        assert data not in sealed or not data
        assert decrypted(sealed, key) == data
        assert encryption.is_encrypted(io.BufferedReader(io.BytesIO(sealed)))
        for damaged in (sealed[:-1], sealed[:-1] + bytes([sealed[-1] ^ 1]), sealed + b"x", sealed[:60]):
            with pytest.raises(InvalidInput):
                decrypted(damaged, key)
    assert not encryption.is_encrypted(io.BufferedReader(io.BytesIO(b"PK\x03\x04")))


def test_a_file_for_a_key_is_a_plain_age_file(with_key: tuple[FileLock, FileKey], tmp_path: Path) -> None:
    lines = (tmp_path / "key.txt").read_text().splitlines()
    assert pyrage.decrypt(encrypted(b"text", with_key[0]), [pyrage.x25519.Identity.from_str(lines[1])]) == b"text"
    assert stat.S_IMODE((tmp_path / "key.txt").stat().st_mode) == 0o600
    with pytest.raises(InvalidInput, match="new file"):
        encryption.make_key(tmp_path / "key.txt")


def test_a_file_for_a_passphrase_is_a_locked_key_and_a_plain_age_file() -> None:
    end = b"-----END AGE ENCRYPTED FILE-----\n"
    lock = encryption.lock_with(WORDS)
    assert lock.locked_key != QUICK_KEY
    locked, _, rest = encrypted(b"text", lock).partition(end)
    identity = pyrage.passphrase.decrypt(locked + end, WORDS).decode()
    assert pyrage.decrypt(rest, [pyrage.x25519.Identity.from_str(identity)]) == b"text"


def test_the_wrong_key_and_a_missing_one_are_told(
    with_passphrase: tuple[FileLock, FileKey], with_key: tuple[FileLock, FileKey], tmp_path: Path
) -> None:
    other = encryption.make_key(tmp_path / "other.txt")
    cases = (
        (with_passphrase[0], encryption.FileKey((), "wrong"), "passphrase does not open"),
        (with_passphrase[0], with_key[1], "with its passphrase"),
        (with_key[0], with_passphrase[1], "--identity"),
        (encryption.lock_to([other]), with_key[1], "key does not open"),
    )
    for lock, key, words in cases:
        with pytest.raises(InvalidInput, match=words):
            decrypted(encrypted(b"text", lock), key)


def test_keys_and_passphrases_that_are_none_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with pytest.raises(InvalidInput, match="age1"):
        encryption.lock_to(["age1nonsense"])
    with pytest.raises(InvalidInput, match="at least one"):
        encryption.lock_to([])
    with pytest.raises(InvalidInput, match="cannot be read"):
        encryption.read_passphrase(file)
    for content, read, words in (
        ("\nsecond", encryption.read_passphrase, "first line"),
        ("# only a comment\n", partial(encryption.key_for, passphrase=""), "holds no key"),
        ("AGE-SECRET-KEY-1NONSENSE\n", partial(encryption.key_for, passphrase=""), "holds no key"),
    ):
        file.write_text(content)
        with pytest.raises(InvalidInput, match=words):
            read(file)
    file.write_text(f"{WORDS}\r\nignored\n")
    assert encryption.read_passphrase(file) == WORDS


def test_a_stream_is_encrypted_while_it_is_written_in_constant_memory(
    with_key: tuple[FileLock, FileKey], tmp_path: Path
) -> None:
    lock, key = with_key
    before = psutil.Process().memory_info().rss
    with (tmp_path / "large").open("wb") as target, encryption.encrypting(target, lock) as file:
        for _ in range(96):
            file.write(bytes(MEBIBYTE))
    with (tmp_path / "large").open("rb") as source, (tmp_path / "plain").open("wb") as target:
        encryption.decrypt(source, target, key)
    assert psutil.Process().memory_info().rss - before < 48 * MEBIBYTE
    assert (tmp_path / "plain").stat().st_size == 96 * MEBIBYTE
    with encryption.encrypting(io.BytesIO(), None) as file:
        assert file.write(b"as it is") == 8


def test_what_goes_wrong_on_either_side_of_a_stream_is_raised(with_key: tuple[FileLock, FileKey]) -> None:
    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(28, "No space left on device")

    def write(target: io.BytesIO) -> None:
        with encryption.encrypting(target, with_key[0]) as file:
            file.write(bytes(8 * MEBIBYTE))
            raise KeyError

    with pytest.raises(OSError, match="No space"):
        write(Full())
    with pytest.raises(KeyError):
        write(io.BytesIO())
