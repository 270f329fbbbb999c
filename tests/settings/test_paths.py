"""Where the site's files are found."""

from pathlib import Path

from handrail.settings.paths import site_dir


def test_clone_serves_its_own_folders(tmp_path: Path) -> None:
    package = tmp_path / "src" / "handrail"
    for folder in (package, tmp_path / "frontend" / "demo", package / "_site" / "demo"):
        folder.mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()

    assert site_dir("demo", package) == tmp_path / "frontend" / "demo"


def test_installed_package_serves_what_it_carries(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "handrail"
    (package / "_site" / "widget").mkdir(parents=True)

    assert site_dir("widget", package) == package / "_site" / "widget"


def test_what_is_not_built_is_not_there(tmp_path: Path) -> None:
    assert site_dir("widget", tmp_path / "site-packages" / "handrail") is None
