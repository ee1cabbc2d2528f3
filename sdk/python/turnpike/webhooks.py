"""For receivers of webhooks: verify a delivery, and act on an event once."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

Fault = Literal[
    "missing-signature",
    "malformed-signature",
    "outside-tolerance",
    "no-match",
    "malformed-body",
]
#: What became of a delivery. Answer 2xx to both.
Outcome = Literal["handled", "repeated"]

_TOLERANCE_SECONDS = 300
#: The gateway signs with two secrets at most; work for a stranger's header is bounded.
_MOST_CANDIDATES = 8


class WebhookVerificationError(Exception):
    """A delivery that must not be trusted: answer 400. It contains no secret."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


class SeenEvents(Protocol):
    """Remembers the ids of events. In a shop it is a table with a unique column."""

    def claim(self, event_id: str) -> bool:
        """Note an id, and tell whether it is new. Of several at once, one is."""

    def release(self, event_id: str) -> None:
        """Forget an id whose event could not be acted on."""


class SeenInMemory:
    """Ids in the memory of one process: the newest ones, as many as ``capacity``."""

    def __init__(self, capacity: int = 10_000) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()
        self._ids: dict[str, None] = {}

    def claim(self, event_id: str) -> bool:
        with self._lock:
            if event_id in self._ids:
                return False
            self._ids[event_id] = None
            while len(self._ids) > self._capacity:
                del self._ids[next(iter(self._ids))]
            return True

    def release(self, event_id: str) -> None:
        with self._lock:
            self._ids.pop(event_id, None)


def verify_webhook(
    raw_body: bytes,
    signature: str | None,
    secrets: Sequence[str],
    *,
    now: float | None = None,
    tolerance_seconds: int = _TOLERANCE_SECONDS,
) -> dict[str, Any]:
    """Verify a delivery and return its event.

    ``raw_body`` is the body as it came, ``signature`` the header X-PGW-Signature, and
    ``secrets`` are the ``whsec_…`` to accept, in full: two while you change from one to
    the other. Raises WebhookVerificationError, or ValueError without a secret.
    """
    # Otherwise an unset variable would be a key that anyone can sign with.
    if not secrets or isinstance(secrets, str) or not all(secrets):
        raise ValueError("verify_webhook needs a list of secrets")
    signed_at, candidates = _read_signature(signature)
    arrived = time.time() if now is None else now
    off = round(arrived - int(signed_at))
    if abs(off) > tolerance_seconds:
        way = "before" if off > 0 else "after"
        raise WebhookVerificationError(
            "outside-tolerance",
            f"signed {abs(off)} s {way} it arrived; "
            f"at most {tolerance_seconds} s are accepted",
        )
    signed = signed_at.encode() + b"." + raw_body
    expected = [hmac.new(s.encode(), signed, hashlib.sha256).hexdigest() for s in secrets]
    if not any(hmac.compare_digest(one, c) for one in expected for c in candidates):
        raise WebhookVerificationError(
            "no-match",
            "no v1 signature matches: another secret, or the body was changed",
        )
    return _read_event(raw_body)


def handle_webhook(
    raw_body: bytes,
    signature: str | None,
    secrets: Sequence[str],
    seen: SeenEvents,
    act: Callable[[dict[str, Any]], object],
    *,
    now: float | None = None,
    tolerance_seconds: int = _TOLERANCE_SECONDS,
) -> Outcome:
    """Verify a delivery and act on its event, unless that was done before.

    If ``act`` raises, the event counts as new again: answer 500, and the gateway
    delivers it anew.
    """
    event = verify_webhook(
        raw_body, signature, secrets, now=now, tolerance_seconds=tolerance_seconds
    )
    if not seen.claim(event["id"]):
        return "repeated"
    try:
        act(event)
    except BaseException:
        seen.release(event["id"])
        raise
    return "handled"


def _read_signature(header: str | None) -> tuple[str, list[str]]:
    """Ignore entries with other names: a later version of the scheme may add some."""
    if not header:
        raise WebhookVerificationError(
            "missing-signature", "there is no X-PGW-Signature header"
        )
    entries = [entry.strip(" \t") for entry in header.split(",")]
    times = [entry[2:] for entry in entries if entry.startswith("t=")]
    candidates = [e[3:] for e in entries if re.fullmatch(r"v1=[0-9a-f]{64}", e)]
    if len(times) != 1 or not re.fullmatch(r"[0-9]{1,12}", times[0]) or not candidates:
        raise WebhookVerificationError(
            "malformed-signature",
            "X-PGW-Signature is not like t=<unix>, v1=<64 hex digits>",
        )
    return times[0], candidates[:_MOST_CANDIDATES]


def _read_event(raw_body: bytes) -> dict[str, Any]:
    """The gateway signed the body, so its fields are trusted as they are."""
    try:
        event = json.loads(raw_body.decode("utf-8"))
        if isinstance(event["id"], str) and isinstance(event["type"], str):
            return event
    except (ValueError, KeyError, TypeError):
        pass
    raise WebhookVerificationError(
        "malformed-body", "the body is signed, but is no event in JSON"
    )
