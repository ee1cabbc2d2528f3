"""What a client is made with, and what one call may say besides its input."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_LOOPBACK = re.compile(r"localhost|127(\.\d{1,3}){3}|::1")


@dataclass(frozen=True)
class CallOptions:
    """What one call may say besides its input."""

    #: In seconds, for one attempt; in place of the client's own.
    timeout: float | None = None
    #: 1 to 255 printable ASCII characters. One is made for each creating call and kept
    #: over its repetitions; give one of your own, such as the order's number, if the
    #: call is to happen once over restarts of your program as well.
    idempotency_key: str | None = None
    #: A trace id of your own, which the gateway's logs and errors repeat.
    request_id: str | None = None


@dataclass(frozen=True)
class Settings:
    """How a client reaches its gateway."""

    base_url: str
    timeout: float
    max_retries: int
    max_retry_after: float


def check_base_url(base_url: str, allow_insecure_http: bool) -> str:
    """Return the URL without a slash at its end; ValueError says what is wrong."""
    url = urlsplit(base_url)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ValueError("base_url is no http(s) URL")
    if url.username is not None or url.password is not None:
        raise ValueError("base_url must not hold a user name or password")
    is_local = _LOOPBACK.fullmatch(url.hostname) is not None
    if url.scheme == "http" and not is_local and not allow_insecure_http:
        raise ValueError(
            "base_url is plain HTTP to another machine: use https, or allow_insecure_http"
        )
    return base_url.rstrip("/")
