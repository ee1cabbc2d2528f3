"""Verifies a webhook of Turnpike. Standard library only, Python 3.8 or newer; copy this file."""

import hashlib
import hmac
import json
import re
import time

TOLERANCE_SECONDS = 300


class WebhookVerificationError(Exception):
    """The delivery is not to be believed; answer 400. The text says why, and holds no secret."""


def verify_webhook(raw_body, signature, secrets, now=None, tolerance_seconds=TOLERANCE_SECONDS):
    """Verifies a delivery and returns its event as a dict.

    raw_body   the bytes of the body as they came, before any JSON parser saw them
    signature  the header X-PGW-Signature, or None when there is none
    secrets    the whsec_... secrets to accept, whole; two while you change from one to the other
    now        Unix time in seconds; the clock's, unless given

    Raises WebhookVerificationError. Remember the event's id and act on it once: deliveries repeat.
    """
    if not secrets or not all(secrets):
        raise ValueError("verify_webhook needs the secret")
    if not signature:
        raise WebhookVerificationError("there is no X-PGW-Signature header")
    entries = [entry.strip(" \t") for entry in signature.split(",")]
    times = [entry[2:] for entry in entries if entry.startswith("t=")]
    candidates = [entry[3:] for entry in entries if re.fullmatch(r"v1=[0-9a-f]{64}", entry)]
    if len(times) != 1 or not re.fullmatch(r"[0-9]{1,12}", times[0]) or not candidates:
        raise WebhookVerificationError("X-PGW-Signature is not like t=<unix>, v1=<64 hex digits>")
    age = (time.time() if now is None else now) - int(times[0])
    if abs(age) > tolerance_seconds:
        raise WebhookVerificationError("signed %d s off; at most %d s are accepted" % (age, tolerance_seconds))
    signed = times[0].encode() + b"." + raw_body
    expected = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets]
    if not any(hmac.compare_digest(digest, candidate) for digest in expected for candidate in candidates):
        raise WebhookVerificationError("no v1 signature matches: another secret, or the body was changed")
    return _read_event(raw_body)


def _read_event(raw_body):
    try:
        event = json.loads(raw_body.decode("utf-8"))
    except ValueError:
        event = None
    if not (isinstance(event, dict) and isinstance(event.get("id"), str) and isinstance(event.get("type"), str)):
        raise WebhookVerificationError("the body is signed, but is no event in JSON")
    return event
