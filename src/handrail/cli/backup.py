"""`handrail backup` and `handrail restore`: what a deployment can't make again, in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handrail.cli import notes, results, settings_for
from handrail.errors import SettingsError
from handrail.settings import Settings, config_path
from handrail.settings.tenants import OWN

File = Annotated[Path, typer.Argument(help="The archive, such as handrail-2026-11-29.tar.gz.")]


def backup(file: File) -> None:
    """Write records, knowledge bases, tenants, secrets and settings files to one archive, and check it.

    A server may run meanwhile. FILE appears when it is complete, readable for you alone. An existing file is never
    replaced. Example:

    handrail backup /backups/handrail-2026-11-29.tar.gz
    """
    from handrail.assembly.backup import backup as write

    settings = _own()
    made = write(settings, file, [path for path in (config_path(), Path(".env")) if path.is_file()])
    tenants = f", {made.tenants} tenants" if made.tenants else ""
    results.print(f"{made.file}: {made.files} files{tenants}, {made.bytes / 1e6:.1f} MB, checked")
    for what in made.elsewhere:
        notes.print(f"[yellow]not in it[/] {what}")


def restore(
    file: File,
    into: Annotated[Path | None, typer.Option(help="Data folder to restore into. Default: storage.data_dir.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Move a folder that isn't empty aside, to DIR.before-TIME.")
    ] = False,
) -> None:
    """Put an archive's data into an empty data folder. Stop the server first.

    Nothing is changed unless the whole archive is sound. Example:

    handrail restore handrail-2026-11-29.tar.gz --into /srv/handrail/var
    """
    from handrail.assembly.backup import RESTORED
    from handrail.assembly.restore import restore as put_back

    done = put_back(file, into or _own().storage.data_dir, force=force)
    results.print(f"{done.folder}: {done.files} files as of {done.made}")
    if done.before is not None:
        notes.print(f"The folder that was there is now {done.before}.")
    if done.settings:
        notes.print(f"Compare your settings with those of the backup: {done.folder / RESTORED}")
    for what in done.elsewhere:
        notes.print(f"[yellow]not in it[/] {what}")


def _own() -> Settings:
    settings = settings_for()
    if settings.storage.tenant != OWN:
        raise SettingsError("an archive holds all tenants: run this without --tenant and HANDRAIL__STORAGE__TENANT")
    return settings
