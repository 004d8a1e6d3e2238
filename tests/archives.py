"""Archives that were changed by hand: taken apart into their lines, and put together with a manifest that fits."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from recollect.engine.carry.archive import FILE, ORIGINALS

Lines: TypeAlias = dict[str, list[dict[str, Any]]]  # the rows of each table
Files: TypeAlias = dict[str, bytes]

SEARCH_LOG: Final = "search_log.jsonl"


def files_of(archive: bytes) -> Files:
    """Take an archive apart."""
    with zipfile.ZipFile(io.BytesIO(archive)) as bundle:
        return {name: bundle.read(name) for name in bundle.namelist()}


def zipped(files: Files) -> bytes:
    """Put files together."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data in files.items():
            bundle.writestr(name, data)
    return made.getvalue()


def lines_of(archive: bytes) -> Lines:
    """Give the rows of all tables."""
    tables = {name: data for name, data in files_of(archive).items() if name.endswith(".jsonl")}
    return {name[:-6]: [json.loads(line) for line in data.splitlines()] for name, data in tables.items()}


def member(name: str, data: bytes) -> dict[str, Any]:
    """Describe a file as a manifest does."""
    lines = data.count(b"\n") if name.endswith(".jsonl") else 0
    return {"name": name, "bytes": len(data), "lines": lines, "sha256": hashlib.sha256(data).hexdigest()}


def signed(manifest: dict[str, Any]) -> bytes:
    """Write a manifest whose checksum fits."""
    content = {name: value for name, value in manifest.items() if name != "checksum"}
    plain = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    return json.dumps({**content, "checksum": hashlib.sha256(plain).hexdigest()}).encode()


def with_members(archive: bytes, changed: Files) -> bytes:
    """Give an archive in which some files are others, and the manifest says so."""
    files = files_of(archive)
    files |= {name: data for name, data in changed.items() if name in files}
    manifest = json.loads(files.pop(FILE))
    manifest["members"] = [member(name, data) for name, data in files.items()]
    return zipped({**files, FILE: signed(manifest)})


def with_said(archive: bytes, **said: Any) -> bytes:
    """Give an archive whose manifest says something else, and fits its own checksum."""
    files = files_of(archive)
    return zipped({**files, FILE: signed({**json.loads(files[FILE]), **said})})


def with_rows(archive: bytes, change: Callable[[Lines], object]) -> bytes:
    """Give an archive whose rows were changed."""
    lines = lines_of(archive)
    change(lines)
    return with_members(archive, {f"{table}.jsonl": encoded(rows) for table, rows in lines.items()})


def encoded(rows: list[dict[str, Any]]) -> bytes:
    """Write rows as an archive has them; half of a pair of surrogates as the bytes it would have."""
    return b"".join(f"{json.dumps(row, ensure_ascii=False)}\n".encode("utf-8", "surrogatepass") for row in rows)


def older_export(archive: bytes, version: int) -> bytes:
    """Give an archive as an older version had it: the first had no passages, those before the third no search log."""
    files = files_of(archive)
    said = json.loads(files.pop(FILE))
    if "vectors.jsonl" in files:
        space = said["space"]
        vectors = [json.loads(line) for line in files.pop("vectors.jsonl").splitlines()]
        if version == 1:
            vectors = [{key: one[key] for key in one if key != "part"} for one in vectors if not one["part"]]
        files |= {"spaces.jsonl": encoded([space] if space else []), "vectors.jsonl": encoded(vectors)}
    if version < 3:
        del files[SEARCH_LOG]
    manifest = {"format": "recollect-export", "version": version, "users": said["users"], "missing_originals": []}
    manifest |= {"vectors": "vectors.jsonl" in files, "members": [member(*file) for file in files.items()]}
    manifest |= {"passages": said["passages"]} if version > 1 else {}
    return zipped({**files, FILE: json.dumps(manifest).encode()})


def older_backup(manifest: bytes) -> bytes:
    """Give the manifest of a backup as the first version of the format had it."""
    said = json.loads(manifest)
    database, members = said["database"], said["members"]
    originals = sum(one["name"].startswith(ORIGINALS) for one in members)
    older = {name: database[name] for name in ("created_at", "backend", "schema_version", "store", "tables")}
    older |= {"format": 1, "version": database["made_by"], "database": database["file"]}
    older |= {"users": database["tables"]["users"], "encrypted_to": said["encrypted_to"]}
    older |= {"originals": said["originals"], "missing": said["originals"] - originals}
    older["files"] = [{"path": one["name"], "size": one["bytes"], "sha256": one["sha256"]} for one in members]
    return signed(older)
