"""A Git repository, as its newest commit has it, and plain folders."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Unpublished
from handrail.knowledge.folder import Folder
from handrail.knowledge.sources import Surroundings
from handrail.knowledge.sources.web import addresses, refuse_private
from handrail.settings.sources import Source

LONGEST_S = 600
PROTOCOLS = "file:git:http:https:ssh"


def folder(source: Source, around: Surroundings) -> Folder:
    return Folder(Path(source.where), source.url_base or around.url_base, around.max_bytes)


class Git:
    """`where`: an address that `git clone` takes. `auth`: a token for https."""

    def __init__(self, source: Source, around: Surroundings) -> None:
        if shutil.which("git") is None:
            raise KnowledgeError("git is not installed; install it to read Git repositories")
        self._source = source
        self._around = around
        self._token = around.secret(source)
        self._pinned = ""
        self._copy = around.folder / f"git-{sha256(source.where.encode()).hexdigest()[:16]}"

    def articles(self) -> Iterator[Article | Rejected | Unpublished]:
        """Raises KnowledgeError."""
        self._pinned = self._looked_up()
        self._copy.mkdir(parents=True, exist_ok=True)
        self._git("init")
        self._git("fetch", "--depth", "1", "--no-tags", "--", self._source.where, self._source.branch or "HEAD")
        self._git("checkout", "--force", "--detach", "FETCH_HEAD")
        self._git("clean", "-ffdx")
        inside = (self._copy / self._source.folder).resolve()
        if not inside.is_relative_to(self._copy.resolve()) or not inside.is_dir():
            raise KnowledgeError(f"{self._source.where}: holds no folder {self._source.folder!r}")
        url_base = self._source.url_base or self._around.url_base
        yield from Folder(inside, url_base, self._around.max_bytes).articles()

    def _looked_up(self) -> str:
        """Where Git is to connect to, so that the name can't lead elsewhere by then; empty where it may look itself.

        Raises KnowledgeError for a private address.
        """
        try:
            parts = urlsplit(self._source.where)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise KnowledgeError(f"{self._source.where}: not a valid address") from None
        if not host or self._source.private_network:
            return ""
        found = addresses(host)
        for address in found:
            refuse_private(host, address)
        default = {"http": 80, "https": 443}.get(parts.scheme)
        return f"{host}:{port or default}:{','.join(found)}" if default else ""

    def _git(self, command: str, *arguments: str) -> None:
        run = ("git", command, "--quiet", *arguments)
        started = subprocess.Popen(  # noqa: S603 - the address comes from the operator's settings, behind `--`
            run,
            cwd=self._copy,
            env=self._environ(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            _, said = started.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)  # what git has started holds the pipe, too
            started.communicate()
            raise KnowledgeError(f"{self._source.where}: git took longer than {LONGEST_S} s") from None
        if started.returncode:
            last = (said.strip().splitlines() or ["no message"])[-1]
            raise KnowledgeError(f"{self._source.where}: git {command} failed: {last}")

    def _environ(self) -> dict[str, str]:
        """With the token, since everyone on a machine sees the arguments of a process."""
        settings = {"http.followRedirects": "false"}
        if self._pinned:
            settings["http.curloptResolve"] = self._pinned
        if self._token:
            pair = b64encode(f"x-access-token:{self._token}".encode()).decode()
            settings["http.extraHeader"] = f"Authorization: Basic {pair}"
        scheme = urlsplit(self._source.where).scheme
        protocols = scheme if scheme in ("http", "https") else PROTOCOLS
        given = {"GIT_CONFIG_COUNT": str(len(settings)), "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": protocols}
        given["GIT_LFS_SKIP_SMUDGE"] = "1"  # a repository may name another server for its large files
        given |= {"GIT_SSH_COMMAND": "ssh -o BatchMode=yes", "LC_ALL": "C"}
        given |= {"GIT_DIR": str(self._copy / ".git"), "GIT_WORK_TREE": str(self._copy)}
        for number, (key, value) in enumerate(settings.items()):
            given |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return os.environ | given
