"""For receivers of webhooks: verify a delivery, and act on an event once."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
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
#: What is known of an event: nothing, that somebody acts on it now, or that it was acted on.
Claim = Literal["new", "busy", "done"]
#: What became of a delivery. Answer 2xx to ``handled`` and ``repeated``, and 503 to
#: ``busy``: the same event is being acted on, and if that fails, only the gateway's next
#: attempt brings it again.
Outcome = Literal["handled", "repeated", "busy"]

_TOLERANCE_SECONDS = 300
#: The gateway signs with two secrets at most; work for a stranger's header is bounded.
_MOST_CANDIDATES = 8
#: Longer than a receiver takes that answers in time (5 s), and as long as the gateway
#: waits before its second attempt.
_LEASE_SECONDS = 60


class WebhookVerificationError(Exception):
    """A delivery that must not be trusted: answer 400. It contains no secret."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


class SeenEvents(Protocol):
    """Remembers events by ids. In a shop it is a table with a unique column."""

    def claim(self, event_id: str, lease_seconds: float) -> Claim:
        """Return what is known of an event; if that is ``new``, claim it for a time.

        Meanwhile others are told ``busy``. Of several at once, one is told ``new``. A
        claim that has lapsed is ``new`` again: its holder was killed.
        """

    def finish(self, event_id: str) -> None:
        """Note that the event was acted on: it is ``done`` from now on."""

    def release(self, event_id: str) -> None:
        """Give up the claim of an event that could not be acted on."""


class SeenInMemory:
    """Ids in the memory of one process: the newest ones, as many as ``capacity``."""

    def __init__(self, capacity: int = 10_000) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()
        #: When each claim lapses; infinity for what was acted on.
        self._lapses: dict[str, float] = {}

    def claim(self, event_id: str, lease_seconds: float) -> Claim:
        with self._lock:
            lapses = self._lapses.get(event_id, 0.0)
            now = time.time()
            if lapses == math.inf:
                return "done"
            if lapses > now:
                return "busy"
            self._lapses[event_id] = now + lease_seconds
            while len(self._lapses) > self._capacity:
                del self._lapses[next(iter(self._lapses))]
            return "new"

    def finish(self, event_id: str) -> None:
        with self._lock:
            self._lapses[event_id] = math.inf

    def release(self, event_id: str) -> None:
        with self._lock:
            self._lapses.pop(event_id, None)


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
    delivers it anew. A process that is killed between acting and noting it acts again a
    minute later, so let ``act`` change only what is not changed yet.
    """
    event = verify_webhook(
        raw_body, signature, secrets, now=now, tolerance_seconds=tolerance_seconds
    )
    claim = seen.claim(event["id"], _LEASE_SECONDS)
    if claim != "new":
        return "repeated" if claim == "done" else "busy"
    try:
        act(event)
    except BaseException:
        seen.release(event["id"])
        raise
    seen.finish(event["id"])
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
