"""The compose file for a Nominatim of one's own is what the documentation says it is."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "nominatim"


def test_it_listens_to_this_machine_only_and_has_no_default_country_or_password() -> None:
    service = yaml.safe_load((FOLDER / "compose.yml").read_text(encoding="utf-8"))["services"]["nominatim"]
    assert service["ports"] == ["${NOMINATIM_BIND:-127.0.0.1}:${NOMINATIM_PORT:-8080}:8080"]
    environment = service["environment"]
    assert environment["PBF_URL"].startswith("${PBF_URL:?")
    assert environment["NOMINATIM_PASSWORD"].startswith("${NOMINATIM_PASSWORD:?")
    assert environment["REPLICATION_URL"] == "${REPLICATION_URL:-}"
    assert service["healthcheck"]["test"][-1].endswith("/status")
    assert service["volumes"] == ["data:/var/lib/postgresql/16/main"]
    assert re.fullmatch(r"mediagis/nominatim:\d+\.\d+", service["image"])


def test_every_variable_is_documented() -> None:
    composed = (FOLDER / "compose.yml").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "nominatim.md").read_text(encoding="utf-8").replace("POSTGRES_*", "POSTGRES_")
    for name in set(re.findall(r"\$\{(\w+)", composed)):
        known = "POSTGRES_" if name.startswith("POSTGRES_") else name
        assert f"`{known}`" in page, name
    assert (FOLDER / "README.md").exists()
