"""The chart for many machines: what its templates use exists, and what they make is safe."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from handrail import __version__
from handrail.settings import Settings, public
from tests.deploy.tools import DEPLOY

CHART = DEPLOY / "helm" / "handrail"
TEMPLATES = sorted((CHART / "templates").iterdir())
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
SCHEMA = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
DEFINED = {name for path in TEMPLATES for name in re.findall(r'define "([^"]+)"', path.read_text(encoding="utf-8"))}


def problems(**changed: Any) -> list[str]:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    return [error.message for error in validator.iter_errors({**VALUES, **changed})]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_each_value_and_part_that_a_template_uses_exists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    for dotted in re.findall(r"\.Values((?:\.\w+)+)", text):
        held: Any = VALUES
        for key in dotted.strip(".").split("."):
            assert key in held, f"{path.name}: .Values{dotted}"
            held = held[key]
    assert set(re.findall(r'include "([^"]+)"', text)) <= DEFINED
    assert len(re.findall(r"{{-? (?:if|with|range|define)", text)) == len(re.findall(r"{{-? end", text))


def test_each_value_is_used() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES)

    assert all(f".Values.{key}" in text for key in VALUES)


def test_the_schema_takes_the_defaults_and_knows_all_of_them() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    assert problems() == []
    assert VALUES.keys() <= SCHEMA["properties"].keys()
    for key, held in VALUES.items():
        known = SCHEMA["properties"][key]
        if isinstance(held, dict) and known.get("additionalProperties") is False:
            assert held.keys() == known["properties"].keys()


@pytest.mark.parametrize(
    "wrong",
    [
        {"existingSecret": ""},
        {"image": {"repository": "r", "tag": "latest"}},
        {"replicas": 0},
        {"password": "x"},
        {"persistence": {"size": "big"}},
        {"backup": {"enabled": True, "schedule": "nightly"}},
    ],
)
def test_the_schema_refuses_what_would_not_do(wrong: dict[str, Any]) -> None:
    assert problems(**wrong)


def test_its_version_and_its_settings_are_those_of_the_product() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))

    assert chart["appVersion"] == __version__
    settings = Settings.model_validate(tomllib.loads(VALUES["config"]))
    assert settings.server.public and list(public.problems(settings)) == []


def rendered(values: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """By kind and name, as Helm itself makes them."""
    if shutil.which("helm"):
        command = ["helm", "template", "r", str(CHART), "--values", "-"]
        done = subprocess.run(command, input=json.dumps(values), capture_output=True, text=True, check=True)
        texts = [done.stdout]
    else:
        helm = pytest.importorskip("helm_python", reason="neither helm nor helm-python-sdk is installed")
        texts = list(helm.Chart.load(str(CHART)).render(values, name="r").values())
    made = [item for text in texts for item in yaml.safe_load_all(text) if item]
    return {(item["kind"], item["metadata"]["name"]): item for item in made}


def pods(made: dict[tuple[str, str], dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for (kind, _), item in made.items():
        if kind in ("Deployment", "Job"):
            yield item["spec"]["template"]["spec"]
        if kind == "CronJob":
            yield item["spec"]["jobTemplate"]["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"ingress": {"enabled": True, "className": "nginx"}, "autoscaling": {"enabled": False}},
        {"persistence": {"enabled": False}, "backup": {"enabled": False}, "networkPolicy": {"enabled": False}},
        {"tolerations": [{"key": "a", "operator": "Exists"}], "podAnnotations": {"a": "b"}},
    ],
)
def test_what_it_makes_is_bounded_and_without_rights(values: dict[str, Any]) -> None:
    made = rendered(values)

    assert len(list(pods(made))) >= 3
    for pod in pods(made):
        volumes = {volume["name"] for volume in pod["volumes"]}
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
            assert "memory" in container["resources"]["limits"]
    hooks = {
        name: item["metadata"]["annotations"]["helm.sh/hook"] for (kind, name), item in made.items() if kind == "Job"
    }
    assert hooks == {"r-upgrade": "pre-install,pre-upgrade", "r-first-sync": "post-install"}
    server = made["Deployment", "r"]["spec"]
    assert ("replicas" in server) == (not values.get("autoscaling", {}).get("enabled", True))
    (container,) = server["template"]["spec"]["containers"]
    assert {"startupProbe", "livenessProbe", "readinessProbe"} <= container.keys()
    assert not any(kind == "Secret" for kind, _ in made)
