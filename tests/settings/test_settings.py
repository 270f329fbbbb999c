"""Settings from a file and the environment; what is wrong is explained."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from handrail.errors import SettingsError
from handrail.settings import WELL_KNOWN, Brand, HighStakes, Knowledge, Settings, load_settings
from handrail.settings.load import REMOVED
from handrail.settings.serving import Server


def load(folder: Path, toml: str = "", **env: str) -> Settings:
    path = folder / "config.toml"
    path.write_text(toml, encoding="utf-8")
    return load_settings(path, env)


def complaint(folder: Path, toml: str = "", **env: str) -> str:
    with pytest.raises(SettingsError) as caught:
        load(folder, toml, **env)
    return str(caught.value)


def test_without_a_file_everything_has_a_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    settings = load_settings(environ={}, kb="acme")

    assert settings == Settings(knowledge=Knowledge(kb="acme"))


def test_the_sample_brings_its_companys_profile_and_another_base_does_not() -> None:
    sample, acme = load_settings(environ={}), load_settings(environ={}, kb="acme")

    assert sample.brand.name == "Tillwick" and sample.brand.topics
    assert sample.high_stakes.policy_file is not None and sample.high_stakes.policy_file.is_file()
    assert (acme.brand, acme.high_stakes, acme.knowledge.url_base) == (Brand(), HighStakes(), "")


def test_what_is_set_is_stronger_than_the_samples_profile(tmp_path: Path) -> None:
    settings = load(tmp_path, '[brand]\nname = "Acme"', HANDRAIL__BRAND__ASSISTANT="Ada")

    assert (settings.brand.name, settings.brand.assistant) == ("Acme", "Ada")
    assert settings.brand.topics


def test_the_file_is_read(tmp_path: Path) -> None:
    assert load(tmp_path, "[retrieval]\ntop_k = 7").retrieval.top_k == 7


def test_the_environment_is_stronger_than_the_file(tmp_path: Path) -> None:
    assert load(tmp_path, "[retrieval]\ntop_k = 7", HANDRAIL__RETRIEVAL__TOP_K="6").retrieval.top_k == 6


def test_an_own_name_is_stronger_than_a_well_known_one(tmp_path: Path) -> None:
    settings = load(tmp_path, REDIS_URL="redis://one", HANDRAIL__LIMITS__REDIS_URL="redis://two")

    assert settings.limits.redis_url == "redis://two"


@pytest.mark.parametrize("name", WELL_KNOWN)
def test_well_known_names_fill_their_setting(tmp_path: Path, name: str) -> None:
    section, key = WELL_KNOWN[name]

    value = getattr(getattr(load(tmp_path, **{name: "http://value"}), section), key)

    assert (value if isinstance(value, str) else value.get_secret_value()) == "http://value"


def test_empty_variables_count_as_absent(tmp_path: Path) -> None:
    settings = load(tmp_path, OPENAI_API_KEY="", HANDRAIL__RETRIEVAL__TOP_K="", HANDRAIL__KNOWLEDGE__KB="acme")

    assert settings == Settings(knowledge=Knowledge(kb="acme"))
    assert not settings.llm.configured


def test_lists_tables_and_booleans_are_written_as_in_toml(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        HANDRAIL__BRAND__TOPICS='["Plans", "Domains"]',
        HANDRAIL__BRAND__STRINGS='{send = "Go"}',
        HANDRAIL__LIMITS__ENABLED="false",
    )

    assert settings.brand.topics == ["Plans", "Domains"]
    assert settings.brand.strings == {"send": "Go"}
    assert settings.limits.enabled is False


@pytest.mark.parametrize(
    "given", ['[{name = "b", model = "small"}]', '[{"name": "b", "model": "small", "base_url": null}]']
)
def test_tables_in_the_environment_are_written_as_toml_or_json_has_them(tmp_path: Path, given: str) -> None:
    [fallback] = load(tmp_path, HANDRAIL__LLM__FALLBACKS=given).llm.fallbacks

    assert fallback.model == "small"


def test_a_key_that_looks_like_a_list_stays_text(tmp_path: Path) -> None:
    key = load(tmp_path, HANDRAIL__LLM__API_KEY="[not-a-list").llm.api_key

    assert key is not None
    assert key.get_secret_value() == "[not-a-list"


def test_a_dotenv_file_stands_behind_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name in WELL_KNOWN or name.startswith("HANDRAIL"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HANDRAIL__RETRIEVAL__TOP_K", "4")
    (tmp_path / ".env").write_text("HANDRAIL__RETRIEVAL__TOP_K=9\nHANDRAIL__RETRIEVAL__DENSE_K=9\n")

    retrieval = load_settings().retrieval

    assert (retrieval.top_k, retrieval.dense_k) == (4, 9)


def test_another_file_may_be_named_in_the_environment(tmp_path: Path) -> None:
    (tmp_path / "acme.toml").write_text('[brand]\nname = "Acme"')

    assert load_settings(environ={"HANDRAIL_CONFIG": str(tmp_path / "acme.toml")}).brand.name == "Acme"


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"absent\.toml: no such configuration file"):
        load_settings(environ={"HANDRAIL_CONFIG": str(tmp_path / "absent.toml")})


def test_a_wrong_value_is_named_with_its_bounds_and_meaning(tmp_path: Path) -> None:
    text = complaint(tmp_path, "[retrieval]\ntop_k = 500")

    assert "retrieval.top_k: Input should be less than or equal to 50 (given: 500)" in text
    assert "Passages kept after ranking." in text


def test_every_wrong_value_is_named_at_once(tmp_path: Path) -> None:
    text = complaint(tmp_path, "[retrieval]\ntop_k = 0\n[brand]\naccent = 'green'", HANDRAIL__SERVER__PORT="many")

    assert "holds 3 wrong value(s)" in text
    assert all(name in text for name in ("retrieval.top_k", "brand.accent", "server.port"))


@pytest.mark.parametrize("toml", ["[retrieval]\ntopk = 5", "[retrival]\ntop_k = 5", "colour = 1"])
def test_unknown_names_are_refused_as_misspelt(tmp_path: Path, toml: str) -> None:
    assert "no such setting; check the spelling" in complaint(tmp_path, toml)


@pytest.mark.parametrize(("section", "key"), [name for name in REMOVED if len(name) == 2])
def test_a_setting_of_an_earlier_version_is_refused_with_what_to_do_instead(
    tmp_path: Path, section: str, key: str
) -> None:
    text = complaint(tmp_path, f"[{section}]\n{key} = 1")

    assert f"{section}.{key}: no longer a setting: {REMOVED[section, key]}" in text
    assert "no such setting" not in text


def test_a_section_of_an_earlier_version_is_refused_with_what_to_do_instead(tmp_path: Path) -> None:
    assert f"deep: no longer a setting: {REMOVED['deep',]}" in complaint(tmp_path, "[deep]\ncache = true")


def test_what_is_said_to_be_gone_is_gone() -> None:
    for section, *keys in REMOVED:
        held = Settings.model_fields.get(section)
        model = held.annotation if held else None
        assert model is None or not keys or keys[0] not in model.model_fields  # type: ignore[union-attr]


def test_a_section_that_is_no_table_is_named(tmp_path: Path) -> None:
    assert "limits: " in complaint(tmp_path, "limits = 3", REDIS_URL="redis://one", HANDRAIL__LIMITS__ENABLED="true")


@pytest.mark.parametrize("value", ["nan", "inf", "-0.1", "1.5", "much"])
def test_probabilities_stay_between_0_and_1(tmp_path: Path, value: str) -> None:
    text = complaint(tmp_path, HANDRAIL__GATES__ANSWERED=value)

    assert "gates.answered" in text
    assert "no such setting" not in text


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("https://Shop.example/", "https://shop.example"),
        ("https://shop.example:443", "https://shop.example"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("https://müller.example", "https://xn--mller-kva.example"),
        ("http://[::1]:80", "http://[::1]"),
        ("*", "*"),
    ],
)
def test_origins_are_what_browsers_send(given: str, sent: str) -> None:
    assert Server(cors_origins=[given]).cors_origins == [sent]


@pytest.mark.parametrize(
    "given", ["shop.example", "https://shop.example/help", "ftp://shop.example", "https://", "https://a:b", ""]
)
def test_what_no_browser_sends_as_an_origin_is_refused_by_name(tmp_path: Path, given: str) -> None:
    text = complaint(tmp_path, f'[server]\ncors_origins = ["{given}"]')

    assert "server.cors_origins" in text
    assert f"{given!r} isn't an origin; write https://www.example.com" in text


def test_secrets_are_not_repeated(tmp_path: Path) -> None:
    text = complaint(tmp_path, '[llm]\napi_key = ["sk-secret"]')

    assert "llm.api_key" in text
    assert "sk-secret" not in text
    assert "sk-secret" not in repr(load(tmp_path, OPENAI_API_KEY="sk-secret"))


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    assert "config.toml: not valid TOML" in complaint(tmp_path, "[retrieval\n")
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="not valid TOML"):
        load_settings(tmp_path / "config.toml", {})


def test_a_byte_order_mark_does_not_matter(tmp_path: Path) -> None:
    assert load(tmp_path, "\ufeff[retrieval]\ntop_k = 7").retrieval.top_k == 7


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("HANDRAIL__TURN_DEADLINE_S", "such as HANDRAIL__SERVER__TURN_DEADLINE_S"),
        ("HANDRAIL__NO_SUCH_KEY", "must be HANDRAIL__SECTION__KEY"),
        ("HANDRAIL__LLM__ONE__TOO_MANY", "must be HANDRAIL__SECTION__KEY"),
    ],
)
def test_a_variable_without_a_section_is_refused_and_not_ignored(name: str, says: str) -> None:
    with pytest.raises(SettingsError, match=f"{name}.*{says}"):
        load_settings(environ={name: "3"})
