"""One machine: only the proxy can be reached, and nothing runs with more than it needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.tools import DEPLOY, run

TEXT = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def test_only_the_proxy_publishes_ports() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["caddy"]
    assert all(service.get("network_mode") is None for service in SERVICES.values())


def test_databases_are_on_a_network_that_leads_nowhere() -> None:
    assert COMPOSE["networks"]["inner"]["internal"] is True
    assert {name for name, service in SERVICES.items() if service["networks"] == ["inner"]} == {
        "postgres", "redis", "backup", "backup-records",
    }  # fmt: skip


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_can_write_only_where_it_must_and_has_no_rights(name: str) -> None:
    service = SERVICES[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert not service.get("privileged")
    assert not any("docker.sock" in str(volume) for volume in service.get("volumes", ()))
    if name == "caddy":
        assert service["cap_add"] == ["NET_BIND_SERVICE"]
    else:
        assert "cap_add" not in service
        assert service["user"] not in ("root", "0", "0:0")


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_bounded_comes_back_and_says_whether_it_is_well(name: str) -> None:
    service = SERVICES[name]

    assert service["mem_limit"] and service["pids_limit"]
    assert service["restart"] == "unless-stopped"
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}
    assert service["healthcheck"]["test"]


def test_nothing_secret_is_in_the_file_and_images_are_not_the_latest() -> None:
    secrets = [line.strip() for line in TEXT.splitlines() if "PASSWORD" in line and not line.strip().startswith("#")]

    assert secrets and all("${POSTGRES_PASSWORD:?" in line for line in secrets)
    assert all(re.search(r":\d|\$\{HANDRAIL_IMAGE", service["image"]) for service in SERVICES.values())


def test_both_halves_of_a_backup_are_made_every_night() -> None:
    assert "handrail backup" in SERVICES["backup"]["command"][0]
    assert "pg_dump" in SERVICES["backup-records"]["command"][0]
    assert all("backups:/backups" in SERVICES[name]["volumes"] for name in ("backup", "backup-records"))


@pytest.mark.parametrize("name", ["backup", "backup-records"])
def test_the_nightly_loops_make_a_copy_and_drop_old_ones(tmp_path: Path, name: str) -> None:
    """Run by a real shell, with a clock that has come round and then fails, and tools that only write their file."""
    tools = {
        "sleep": f"[ -e {tmp_path}/slept ] && exit 1; test $1 -gt 0 && test $1 -le 172800 && touch {tmp_path}/slept",
        "handrail": 'touch "$2"',
        "pg_dump": 'touch "$4"',
    }
    (tmp_path / "bin").mkdir()
    for tool, does in tools.items():
        (tmp_path / "bin" / tool).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / "bin" / tool).chmod(0o755)
    kind = {"backup": "handrail-{}.tar.gz", "backup-records": "records-{}.dump"}[name]
    for age, day in ((40, "old"), (2, "young")):
        path = tmp_path / kind.format(day)
        path.touch()
        os.utime(path, (path.stat().st_mtime - age * 86400,) * 2)

    script = SERVICES[name]["command"][0].replace("$$", "$").replace("/backups", str(tmp_path))
    search = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    subprocess.run(["/bin/sh", "-euc", script], env={"PATH": search}, timeout=30, check=False)

    left = {path.name for path in tmp_path.glob(kind.format("*"))}
    assert kind.format("young") in left and kind.format("old") not in left
    assert any(re.search(r"\d{8}-\d{6}", name) for name in left)


def test_docker_reads_it_where_it_can() -> None:
    if shutil.which("docker") is None or subprocess.run(["docker", "compose", "version"], check=False).returncode:
        pytest.skip("docker compose is not installed")
    os.environ.setdefault("POSTGRES_PASSWORD", "x")
    os.environ.setdefault("HANDRAIL_DOMAIN", "x.example")
    run("docker", "compose", "-f", str(DEPLOY / "compose.yaml"), "config", "--quiet", "--no-env-resolution")


def test_caddy_reads_its_part(tmp_path: Path) -> None:
    file = tmp_path / "Caddyfile"
    file.write_text(COMPOSE["configs"]["caddyfile"]["content"].replace("{$$HANDRAIL_DOMAIN}", "support.example"))

    run("caddy", "validate", "--adapter", "caddyfile", "--config", str(file))
