"""Prompt versions kept in Langfuse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
from langfuse.api import AccessDeniedError, LangfuseAPI, NotFoundError, UnauthorizedError
from langfuse.api.core import ApiError
from langfuse.api.core.request_options import RequestOptions
from langfuse.api.prompts import CreateTextPromptRequest, CreateTextPromptType, Prompt, Prompt_Text
from pydantic import ValidationError

from handrail.errors import PermanentError, RetryableError
from handrail.settings import Observe

LATEST = "latest"
"""The label Langfuse itself keeps on the newest version."""
ONE_TRY = RequestOptions(timeout_in_seconds=5, max_retries=0)


@dataclass(frozen=True, slots=True)
class RegisteredPrompt:
    """One version of one prompt in the registry."""

    name: str
    text: str
    version: int
    labels: tuple[str, ...]


class PromptRegistry:
    """Blocking calls of up to five seconds.

    They raise RetryableError when Langfuse is away, and PermanentError when it refuses the keys or the request.
    """

    def __init__(self, settings: Observe) -> None:
        secret = settings.langfuse_secret_key
        self.host = settings.langfuse_host.rstrip("/")
        self._http = httpx.Client()
        api = LangfuseAPI(
            base_url=self.host,
            username=settings.langfuse_public_key or "",
            password=secret.get_secret_value() if secret else "",
            httpx_client=self._http,
        )
        self._prompts, self._versions = api.prompts, api.prompt_version

    def labelled(self, name: str, label: str) -> RegisteredPrompt | None:
        """The version that carries `label`; None when there is none."""
        with explained(self.host):
            try:
                return _registered(self._prompts.get(name, label=label, request_options=ONE_TRY))
            except NotFoundError:
                return None

    def numbered(self, name: str, version: int) -> RegisteredPrompt | None:
        """Version number `version`; None when it was deleted."""
        with explained(self.host):
            try:
                return _registered(self._prompts.get(name, version=version, request_options=ONE_TRY))
            except NotFoundError:
                return None

    def versions(self, name: str) -> list[int]:
        """Version numbers, newest first; empty when there is no such prompt."""
        with explained(self.host):
            found = self._prompts.list(name=name, limit=100, request_options=ONE_TRY).data
        return sorted((number for meta in found if meta.name == name for number in meta.versions), reverse=True)

    def create(self, name: str, text: str, label: str | None, message: str) -> RegisteredPrompt:
        """A new version, which takes `label` over from the one that has it; None gives it no label."""
        request = CreateTextPromptRequest(
            name=name,
            prompt=text,
            type=CreateTextPromptType("text"),
            labels=[label] if label is not None else [],
            tags=["handrail"],
            commit_message=message,
        )
        with explained(self.host):
            return _registered(self._prompts.create(request=request, request_options=ONE_TRY))

    def give(self, prompt: RegisteredPrompt, label: str) -> None:
        """`label` moves to this version from the one that has it."""
        labels = [*(held for held in prompt.labels if held not in (label, LATEST)), label]
        with explained(self.host):
            self._versions.update(prompt.name, prompt.version, new_labels=labels, request_options=ONE_TRY)

    def close(self) -> None:
        self._http.close()


@contextmanager
def explained(host: str) -> Iterator[None]:
    """What Langfuse's API raises, as an error that says what to do."""
    try:
        yield
    except (UnauthorizedError, AccessDeniedError):
        raise PermanentError(
            f"Langfuse at {host} refused the keys: check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY"
        ) from None
    except ApiError as error:
        status = error.status_code or 0
        if status in (408, 429) or status >= 500:
            raise RetryableError(f"Langfuse at {host} failed (HTTP {status}); try again later") from None
        raise PermanentError(
            f"{host} did not respond like Langfuse (HTTP {status or 'unknown'}): check LANGFUSE_HOST"
        ) from None
    except httpx.HTTPError as error:
        raise RetryableError(
            f"Langfuse at {host} cannot be reached ({type(error).__name__}): check LANGFUSE_HOST"
        ) from error
    except ValidationError:
        # A server of another version than the SDK's replies with other fields.
        raise PermanentError(f"{host} did not respond like Langfuse: check LANGFUSE_HOST and its version") from None


def _registered(prompt: Prompt) -> RegisteredPrompt:
    if not isinstance(prompt, Prompt_Text):
        raise PermanentError(
            f"prompt {prompt.name!r} is a chat prompt in Langfuse; Handrail's are text prompts with two blocks, "
            "so delete it there and run `handrail prompts push`"
        )
    text = prompt.prompt.replace("\r\n", "\n")
    return RegisteredPrompt(prompt.name, text, prompt.version, tuple(prompt.labels))
