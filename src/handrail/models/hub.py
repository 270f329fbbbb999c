"""The Hugging Face Hub as the libraries that read from it see it."""

from __future__ import annotations

import httpx
from huggingface_hub import constants

WAIT_S = 5.0


def unavailable() -> bool:
    """Whether the Hub is wanted but does not answer; False in offline mode (HF_HUB_OFFLINE=1), where nobody asks it.

    Asked before a library is: each of its files would be tried again for half a minute.
    """
    if constants.HF_HUB_OFFLINE:
        return False
    try:
        httpx.head(constants.ENDPOINT, timeout=WAIT_S)
    except (httpx.HTTPError, httpx.InvalidURL):
        return True
    return False
