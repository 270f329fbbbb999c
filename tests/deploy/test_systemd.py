"""The units start what is installed, and it can do little else."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import pytest

from tests.deploy.tools import DEPLOY, run

UNITS = DEPLOY / "systemd"
SERVICES = ["handrail.service", "handrail-backup.service"]
HARDENED = {
    "NoNewPrivileges": "yes", "CapabilityBoundingSet": "", "ProtectSystem": "strict", "ProtectHome": "yes",
    "PrivateTmp": "yes", "PrivateDevices": "yes", "ProtectKernelTunables": "yes", "ProtectKernelModules": "yes",
    "ProtectControlGroups": "yes", "RestrictNamespaces": "yes", "RestrictSUIDSGID": "yes", "LockPersonality": "yes",
    "SystemCallArchitectures": "native", "UMask": "0077", "User": "handrail", "StateDirectoryMode": "0700",
}  # fmt: skip


def unit(name: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None, comment_prefixes="#")
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(UNITS / name)
    return parser


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_no_rights_and_one_place_to_write(name: str) -> None:
    held = dict(unit(name)["Service"])

    assert {key: held.get(key) for key in HARDENED} == HARDENED
    assert "handrail" in held["StateDirectory"]
    assert "ReadWritePaths" not in held


def test_the_server_comes_back_and_stops_in_time() -> None:
    held = unit("handrail.service")["Service"]

    assert held["Restart"] == "on-failure"
    assert int(held["TimeoutStopSec"]) > 3
    assert int(held["LimitNOFILE"]) > 1024
    assert unit("handrail-backup.timer")["Timer"]["Persistent"] == "yes"


def test_both_use_the_same_data() -> None:
    data = [
        re.findall(r"^Environment=HANDRAIL__STORAGE__DATA_DIR=(.+)$", (UNITS / name).read_text(), re.M)
        for name in SERVICES
    ]

    assert data[0] == data[1] == ["/var/lib/handrail/var"]


@pytest.fixture
def runnable(tmp_path: Path) -> list[str]:
    """The units with a program that this machine has."""
    for path in UNITS.iterdir():
        (tmp_path / path.name).write_text(path.read_text().replace("/opt/handrail/bin/handrail", "/bin/true"))
    return [str(tmp_path / path.name) for path in UNITS.iterdir()]


def test_systemd_reads_them_without_a_word(runnable: list[str]) -> None:
    assert run("systemd-analyze", "verify", "--man=no", *runnable).strip() == ""


@pytest.mark.parametrize("name", SERVICES)
def test_systemd_finds_them_hardly_exposed(name: str) -> None:
    run("systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", str(UNITS / name))
