"""What servers other than OpenAI's refuse, and how they say so, after their documentation and sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.scripted_openai import Fails


def takes_anything(body: Mapping[str, Any]) -> None:
    """Ollama and llama.cpp pass over parameters that they do not know."""
    return


def vllm(body: Mapping[str, Any]) -> Fails | None:
    """Validation errors name the parameter inside the text, and quote what was sent; models have a small window."""
    asked = body.get("max_completion_tokens") or body.get("max_tokens") or 0
    if asked > 4096:
        text = (
            f"'max_tokens' or 'max_completion_tokens' is too large: {asked}. This model's maximum context length is "
            f"4096 tokens and your request has 300 input tokens ({asked} > 4096 - 300)."
        )
        return _vllm(text)
    return None


def old_vllm(body: Mapping[str, Any]) -> Fails | None:
    """Before `max_completion_tokens` and structured outputs, with extra fields forbidden."""
    for name in ("max_completion_tokens", "stream_options"):
        if name in body:
            return _vllm(str([_forbidden(name, body)]))
    asked = body.get("response_format", {}).get("type")
    if asked == "json_schema":
        said = [
            {
                "type": "literal_error",
                "loc": ("body", "response_format", "type"),
                "msg": "Input should be 'text' or 'json_object'",
                "input": "json_schema",
                "ctx": {"expected": "'text' or 'json_object'"},
            }
        ]
        return _vllm(str(said))
    return None


def _vllm(text: str) -> Fails:
    error = {"object": "error", "message": text, "type": "BadRequestError", "param": None, "code": 400}
    return Fails(400, error=error, bare=True)


def _forbidden(name: str, body: Mapping[str, Any]) -> dict[str, Any]:
    said = "Extra inputs are not permitted"
    return {"type": "extra_forbidden", "loc": ("body", name), "msg": said, "input": dict(body)}


def deepseek(body: Mapping[str, Any]) -> Fails | None:
    """JSON mode only, and in terse words."""
    if body.get("response_format", {}).get("type") == "json_schema":
        said = "This response_format type is unavailable now"
        return Fails(400, error={"message": said, "type": "invalid_request_error"})
    return None


def mistral(body: Mapping[str, Any]) -> Fails | None:
    """FastAPI's own validation errors, with status 422."""
    for name in ("max_completion_tokens", "reasoning_effort"):
        if name in body:
            detail = [_forbidden(name, body)]
            return Fails(422, error={"object": "error", "message": {"detail": detail}, "code": None}, bare=True)
    return None


def text_only(body: Mapping[str, Any]) -> Fails | None:
    """A gateway that only says that it does not like the request."""
    return Fails(400, error={"message": "Bad Request"}) if "response_format" in body else None


def only_whole(body: Mapping[str, Any]) -> Fails | None:
    if body.get("stream"):
        return Fails(400, error={"message": "Streaming is not supported for this deployment."})
    return None


def no_stream_options(body: Mapping[str, Any]) -> Fails | None:
    if "stream_options" in body:
        return Fails(400, error={"message": "Unknown field: stream_options"})
    return None


def strict_temperature(body: Mapping[str, Any]) -> Fails | None:
    """As OpenAI says it of its reasoning models."""
    if "temperature" in body:
        said = "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) is."
        return Fails(400, error={"message": said, "param": "temperature", "code": "unsupported_value"})
    return None


def new_limit_only(body: Mapping[str, Any]) -> Fails | None:
    """As OpenAI says it of models that it has renamed the limit for."""
    if "max_tokens" in body:
        said = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
        return Fails(400, error={"message": said, "param": "max_tokens", "code": "unsupported_parameter"})
    return None
