"""Secrets that a person asked to keep: encrypted in the metadata of their memory, shown only where one is asked for.

The invariant: no text in the clear leaves this module but for `revealed`. What is stored, and so whatever is listed,
found, exported or backed up, has a mark in place of the secret, and its ciphertext.
"""

import base64
import binascii
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from recollect import private_folders
from recollect.encryption import TextKey, make_key
from recollect.engine.base.context import Engine
from recollect.engine.drafts import redaction
from recollect.errors import InvalidInput
from recollect.model.literals import KEPT_MARK, SEALED
from recollect.model.memories import MemoryRecord, NewMemory, Scope
from recollect.settings import secret_key_file
from recollect.text.clean import fingerprint_text
from recollect.text.secrets import redact

_TEXTS = ("content", "value")
_LONGEST = 20_000  # characters that may be kept encrypted: they lie in the metadata, which have a limit


def sealed(
    engine: Engine, scope: Scope, memory: NewMemory, kept: Mapping[str, str] | None = None, seal: str = ""
) -> NewMemory:
    """Put the secrets that are to be kept out of sight; usually gives the very same memory.

    `kept` are texts with secrets that were kept before and stay as they are, `seal` are all of them as they were.
    """
    given = memory.metadata
    if not isinstance(given, Mapping) or not (memory.keep_secret or kept or seal or SEALED in given):
        return memory
    shown, texts = {name: getattr(memory, name) for name in _TEXTS}, dict(kept or {})
    value = texts.get("value", memory.value)
    for name in _TEXTS:
        text = shown[name]
        if name in texts:
            shown[name] = _public(memory, value, name, texts[name])[0]
        elif memory.keep_secret and isinstance(text, str):
            text = redaction.without_private_parts(text).strip()
            shown[name], found = _public(memory, value, name, text)
            texts |= {name: text} if found else {}
    metadata = {name: value for name, value in given.items() if name != SEALED}
    if texts:
        seal = _seal(engine, scope, texts)
    sealed_metadata = metadata | ({SEALED: seal} if seal else {})
    return replace(memory, content=shown["content"], value=shown["value"], metadata=sealed_metadata, keep_secret=False)


def _public(memory: NewMemory, value: object, name: str, text: str) -> tuple[str, bool]:
    """Give a text with marks, and whether it has a secret; a value may be one because of what it is the value of."""
    kind = redaction.secret_kind(memory.subject, memory.key, value)
    if kind and name == "value":
        return f"{KEPT_MARK}{kind}]", True
    shown = redact(text, KEPT_MARK).text
    if kind and isinstance(value, str):
        shown = redaction.without_value(shown, value, f"{KEPT_MARK}{kind}]")
    return shown, shown != text


def revised(
    engine: Engine, scope: Scope, old: MemoryRecord, changes: Mapping[str, Any], offered: NewMemory
) -> NewMemory:
    """Keep the secrets of texts that stay as they are; those of changed ones only when that is asked for."""
    seal = str(old.metadata.get(SEALED, ""))
    if not seal or not changes.keys() & {*_TEXTS}:
        return sealed(engine, scope, offered, seal=seal)
    kept = {name: text for name, text in _opened(engine, scope, old).items() if name not in changes}
    return sealed(engine, scope, offered, kept)


def revealed(engine: Engine, scope: Scope, record: MemoryRecord) -> MemoryRecord:
    """Give a memory with the secrets that it keeps. Raises InvalidInput where they cannot be decrypted."""
    if SEALED not in record.metadata:
        return record
    metadata = {name: value for name, value in record.metadata.items() if name != SEALED}
    texts = _opened(engine, scope, record)
    content, value = (texts.get(name, getattr(record, name)) for name in _TEXTS)
    return record._replace(metadata=metadata, content=content, value=value)


def _seal(engine: Engine, scope: Scope, texts: Mapping[str, str]) -> str:
    said = json.dumps([scope.user_id, dict(sorted(texts.items()))]).encode()
    if len(said) > _LONGEST:
        raise InvalidInput(
            f"A text of {len(said):,} bytes holds the secret; at most {_LONGEST:,} are kept. Store it by itself."
        )
    key = _key(engine, make=True)
    same = json.dumps([scope.user_id, {name: fingerprint_text(text) for name, text in sorted(texts.items())}])
    return f"{key.mark(same.encode())}:{base64.b64encode(key.encrypt(said)).decode()}"


def _opened(engine: Engine, scope: Scope, record: MemoryRecord) -> dict[str, str]:
    """Decrypt the texts of a memory. Those of another user are not this one's, however they came here."""
    key = _key(engine, make=False)
    try:
        encrypted = base64.b64decode(str(record.metadata[SEALED]).partition(":")[2], validate=True)
        owner, texts = json.loads(key.decrypt(encrypted))
    except (binascii.Error, ValueError) as error:
        raise InvalidInput(f"What memory {record.id} keeps secret is damaged, and cannot be read.") from error
    if owner != scope.user_id:
        raise InvalidInput(f"What memory {record.id} keeps secret was kept for another user. Only they can read it.")
    return {name: str(texts[name]) for name in _TEXTS if name in texts}


def _key(engine: Engine, *, make: bool) -> TextKey:
    """Read the key; makes it beside an SQLite file when there is none yet."""
    path = secret_key_file(engine.settings)
    if path is None:
        raise InvalidInput(
            "There is no key to encrypt a kept secret with. Make one with `recollect new-key FILE`, name the file in "
            "the setting secret_key_file on every machine that opens this store, and keep a copy of it."
        )
    if make and not engine.settings.secret_key_file and not path.exists():
        _make(path)
    if not path.exists():
        raise InvalidInput(
            f"The key of kept secrets is not there: {path}. Put its copy back, or name it in the setting "
            "secret_key_file; `recollect new-key FILE` makes a new one, which opens nothing that was kept before."
        )
    return TextKey(path)


def _make(path: Path) -> None:
    """Write the key whole or not at all; of two processes that do so, the first wins."""
    private_folders.make_private(path.parent)
    fresh = path.with_name(f"{path.name}.{uuid4().hex}")
    make_key(fresh)
    try:
        with suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink()
    private_folders.settle(path.parent)
