"""One request to the gateway: sent, timed, repeated where that is right, and read."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse, IncompleteRead
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .errors import (
    ErrorDetail,
    TurnpikeConnectionError,
    TurnpikeError,
    TurnpikeTimeoutError,
    class_of,
)
from .options import Settings
from .retry import delay_after, may_repeat, read_retry_after
from .version import VERSION

_CHUNK = 65_536


class _NoRedirects(HTTPRedirectHandler):
    """A redirection would carry a secret to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = build_opener(_NoRedirects)


@dataclass(frozen=True)
class Outgoing:
    """What is sent."""

    method: str
    #: From the gateway's root.
    path: str
    headers: Mapping[str, str]
    #: Serialised once, so that every repetition has the same bytes.
    body: bytes | None
    #: Whether it may be repeated although the gateway may have acted on it.
    is_safe: bool
    timeout: float


def send(settings: Settings, outgoing: Outgoing) -> str:
    """Send until it is answered, or until repeating is no use."""
    nth = 0
    while True:
        try:
            return _send_once(settings.base_url, outgoing)
        except TurnpikeError as error:
            if nth >= settings.max_retries or not may_repeat(error, outgoing.is_safe):
                raise
            delay = delay_after(error, nth)
            # A spread of its own may come on top of what is accepted.
            if delay > settings.max_retry_after + 1:
                raise
            time.sleep(delay)
            nth += 1


def _send_once(base_url: str, outgoing: Outgoing) -> str:
    headers = {"User-Agent": f"turnpike-sdk-python/{VERSION}", **outgoing.headers}
    if outgoing.body is not None:
        headers["Content-Type"] = "application/json"
    request = Request(
        base_url + outgoing.path,
        data=outgoing.body,
        headers=headers,
        method=outgoing.method,
    )
    end = time.monotonic() + outgoing.timeout
    try:
        with _opener.open(request, timeout=outgoing.timeout) as response:
            return _read(response, end)
    except HTTPError as error:
        raise _refusal(error, end) from None
    except (URLError, HTTPException, OSError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, TimeoutError):
            raise TurnpikeTimeoutError("The gateway did not answer in time") from error
        raise TurnpikeConnectionError("The connection to the gateway failed") from error


def _read(response: HTTPResponse | HTTPError, end: float) -> str:
    """Read to the end, but not past the time: a socket's time-out is for each part.

    A read that waits for a whole chunk would begin that time anew with each byte.
    """
    parts = []
    while part := response.read1(_CHUNK):
        parts.append(part)
        if time.monotonic() > end:
            raise TimeoutError
    # Reading in parts, Python does not say that the connection was cut in between.
    if response.length:
        raise IncompleteRead(b"", response.length)
    return b"".join(parts).decode("utf-8", "replace")


def _refusal(answer: HTTPError, end: float) -> TurnpikeError:
    try:
        told = json.loads(_read(answer, end))["error"]
        code = str(told["code"])
        message = str(told["message"])
        details = [
            ErrorDetail(one["path"], one["message"]) for one in told.get("details", [])
        ]
    except (ValueError, KeyError, TypeError, HTTPException, OSError):
        code, details = None, []
        message = f"The answer has the status {answer.code}, and is not the gateway's"
    return class_of(answer.code)(
        code=code,
        status=answer.code,
        message=message,
        request_id=answer.headers.get("X-Request-Id"),
        retry_after=read_retry_after(answer.headers.get("Retry-After")),
        details=details,
    )
