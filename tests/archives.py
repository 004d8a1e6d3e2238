"""Archives that were changed by hand: taken apart into their lines, and put together with a manifest that fits."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any, TypeAlias

Lines: TypeAlias = dict[str, list[dict[str, Any]]]  # the rows of each table


def lines_of(archive: bytes) -> Lines:
    """Give the rows of all tables."""
    with zipfile.ZipFile(io.BytesIO(archive)) as bundle:
        tables = [name for name in bundle.namelist() if name.endswith(".jsonl")]
        return {name[:-6]: [json.loads(line) for line in bundle.read(name).splitlines()] for name in tables}


def with_members(archive: bytes, changed: dict[str, bytes]) -> bytes:
    """Give an archive in which some members are others, and the manifest says so."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        manifest = json.loads(old.read("manifest.json"))
        for member in manifest["members"]:
            if (data := changed.get(member["name"])) is not None:
                member["sha256"], member["bytes"] = hashlib.sha256(data).hexdigest(), len(data)
                member["lines"] = data.count(b"\n")
        for name in old.namelist():
            if name != "manifest.json":
                new.writestr(name, changed.get(name, old.read(name)))
        new.writestr("manifest.json", json.dumps(manifest))
    return made.getvalue()


def with_rows(archive: bytes, change: Callable[[Lines], object]) -> bytes:
    """Give an archive whose rows were changed."""
    lines = lines_of(archive)
    change(lines)
    return with_members(archive, {f"{table}.jsonl": encoded(rows) for table, rows in lines.items()})


def encoded(rows: list[dict[str, Any]]) -> bytes:
    """Write rows as an archive has them; half of a pair of surrogates as the bytes it would have."""
    return b"".join(f"{json.dumps(row, ensure_ascii=False)}\n".encode("utf-8", "surrogatepass") for row in rows)
