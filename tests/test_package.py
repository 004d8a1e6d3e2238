"""What is declared about the package: tested versions of all it needs, and what CI and hooks run."""

import re

import yaml
from packaging.utils import canonicalize_name

from recollect.storage.postgres.connection import MINIMUM_SERVER
from tests.constraints import CONSTRAINTS, direct_requirements, installed_versions, pinned_versions
from tests.sources import ROOT


def test_every_direct_dependency_has_a_tested_version_that_pyproject_allows() -> None:
    pins = pinned_versions()
    refused = [
        str(requirement)
        for requirement in direct_requirements()
        if not requirement.specifier.contains(pins.get(canonicalize_name(requirement.name), "0"), prereleases=True)
    ]
    assert not refused, f"constraints.txt has no fitting version of {refused}: run `make constraints`"


def test_every_package_that_a_dependency_brings_has_a_tested_version() -> None:
    missing = installed_versions().keys() - pinned_versions().keys()
    assert not missing, f"constraints.txt lacks {sorted(missing)}: run `make constraints`"


def test_constraints_are_sorted_versions_without_addresses() -> None:
    lines = [line for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert lines == sorted(lines)
    assert all(re.fullmatch(r"[a-z0-9.-]+==[0-9][a-z0-9.+!]*", line) for line in lines)


def test_the_ci_matrix_covers_every_version_that_the_compatibility_policy_names() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"]
    policy = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    pythons = jobs["python"]["strategy"]["matrix"]["python"]
    servers = jobs["postgresql"]["strategy"]["matrix"]["postgresql"]
    assert f"| Python | {pythons[0]} to {pythons[-1]} |" in policy
    assert f"| PostgreSQL | {servers[0]} to {servers[-1]} |" in policy
    assert int(servers[0]) == MINIMUM_SERVER


def test_ci_and_hooks_run_targets_and_tools_that_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    called = re.findall(r"run: make (.+)$", (ROOT / ".github" / "workflows" / "ci.yml").read_text(), re.MULTILINE)
    assert {target for line in called for target in line.split()} <= targets
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    programs = {hook["entry"].split()[0] for repository in hooks for hook in repository["hooks"]}
    assert programs == {f".venv/bin/{tool}" for tool in ("ruff", "mypy", "lint-imports", "pytest")}
