"""What a company takes over from the deployment it shares, and what it never does."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.accounts.keyspace import keyspace_of
from handrail.accounts.tenants import Tenants
from handrail.accounts.visitor_token import load_secret
from handrail.errors import SettingsError
from handrail.settings import Settings, load_settings
from handrail.settings.tenants import FILE, folder_of
from tests.clock import EPOCH

DEPLOYMENT = """
[brand]
name = "Operator"
person_expectation = "the operator answers"

[alerts]
smtp_host = "mail.operator.example"
mail_from = "help@operator.example"

[limits]
visitor_per_day = 50
redis_url = "redis://127.0.0.1:6379/0"

[llm]
base_url = "https://models.operator.example/v1"
api_key = "operators-key"
model = "large"

[desk]
secret = "operators-secret"

[server]
cors_origins = ["https://operator.example"]
trusted_proxies = 1
"""


def settings_of(folder: Path, own: str, tenant: str = "acme") -> Settings:
    """Of a tenant with these settings of its own; `default` is the deployment's company."""
    config = folder / "config.toml"
    config.write_text(f'{DEPLOYMENT}\n[storage]\ndata_dir = "{folder}/var"\n')
    if tenant != "default" and not folder_of(folder / "var", tenant).exists():
        Tenants(folder / "var").create(tenant, "Acme", EPOCH)
        if own:
            (folder_of(folder / "var", tenant) / FILE).write_text(own)
    return load_settings(config, {}, tenant=tenant)


def test_a_company_says_itself_who_it_is(tmp_path: Path) -> None:
    acme = settings_of(tmp_path, "")

    assert acme.brand.name == "Acme"
    assert acme.brand.person_expectation != "the operator answers"
    assert acme.alerts.smtp_host is None
    assert acme.server.cors_origins == []
    assert acme.knowledge.kb == "acme"
    assert not acme.server.demo_mode


def test_the_rest_is_the_deployments_until_the_company_sets_it(tmp_path: Path) -> None:
    acme = settings_of(tmp_path, '[limits]\nvisitor_per_minute = 3\n[server]\ncors_origins = ["https://acme.example"]')

    assert (acme.limits.visitor_per_minute, acme.limits.visitor_per_day) == (3, 50)
    assert acme.server.cors_origins == ["https://acme.example"]
    assert acme.server.trusted_proxies == 1
    assert acme.llm.model == "large"


def test_the_deployments_key_goes_to_no_address_of_a_company(tmp_path: Path) -> None:
    acme = settings_of(tmp_path, '[llm]\nbase_url = "https://models.acme.example/v1"\nmodel = "small"')

    assert acme.llm.base_url == "https://models.acme.example/v1"
    assert acme.llm.api_key is None


def test_files_that_a_company_names_are_found_beside_its_settings(tmp_path: Path) -> None:
    acme = settings_of(tmp_path, '[high_stakes]\npolicy_file = "policy.toml"')

    assert acme.high_stakes.policy_file == folder_of(tmp_path / "var", "acme") / "policy.toml"


@pytest.mark.parametrize(
    "own",
    [
        '[storage]\ndata_dir = "/elsewhere"',
        '[storage]\ntenant = "other"',
        "[server]\ntrusted_proxies = 9",
        '[limits]\nredis_url = "redis://elsewhere"',
        '[models]\nembedder = "other"',
        '[observe]\nlangfuse_host = "https://elsewhere"',
    ],
)
def test_what_all_share_is_not_a_companys_to_set(tmp_path: Path, own: str) -> None:
    with pytest.raises(SettingsError, match="only the deployment's own settings"):
        settings_of(tmp_path, own)


def test_a_wrong_value_names_the_companys_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"tenants/acme/tenant\.toml"):
        settings_of(tmp_path, "[limits]\nvisitor_per_day = -1")


def test_data_keys_and_secrets_are_apart(tmp_path: Path) -> None:
    own, acme, other = (settings_of(tmp_path, "", name) for name in ("default", "acme", "other"))
    all_of_them = (own, acme, other)

    assert len({settings.storage.data_dir for settings in all_of_them}) == 3
    assert len({keyspace_of(settings).prefix for settings in all_of_them}) == 3
    given = [s.desk.secret.get_secret_value() for s in all_of_them if s.desk.secret]
    secrets = {load_secret(s.storage.data_dir, one) for s, one in zip(all_of_them, given, strict=True)}
    assert len(secrets) == 3


def test_another_widget_id_makes_another_secret_of_the_deployments(tmp_path: Path) -> None:
    before = settings_of(tmp_path, "").desk.secret
    Tenants(tmp_path / "var").rotate("acme")
    after = settings_of(tmp_path, "").desk.secret

    assert before is not None and after is not None
    assert before.get_secret_value() != after.get_secret_value()


@pytest.mark.parametrize("name", ["", "default", "..", "a/b", "A", "a b", "acme\n", "ä", "x" * 41, "-acme", "."])
def test_a_name_that_could_run_together_with_another_is_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="can't name a tenant"):
        Tenants(tmp_path).create(name, "Acme", EPOCH)


def test_a_company_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("")

    with pytest.raises(SettingsError, match="there is no tenant 'nobody'"):
        load_settings(tmp_path / "config.toml", {"HANDRAIL__STORAGE__TENANT": "nobody"})
