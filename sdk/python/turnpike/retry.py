"""When a call is repeated, and after how long."""

from __future__ import annotations

import random
import time
from email.utils import parsedate_to_datetime

from .errors import ApiError, TurnpikeConnectionError, TurnpikeError

_FIRST_DELAY = 0.5
_LONGEST_DELAY = 8.0
#: Beside Retry-After, so that all who were told the same second do not come in it.
_SPREAD = 0.25
_MOST_RETRY_AFTER = 2**31 - 1
#: The gateway's codes that say "try again": too many calls, a fault, overload, and the
#: first call still running.
_PASSING = {"9001", "9500", "9503", "2003"}
#: What proxies in front of a gateway say when they cannot reach it.
_PASSING_STATUSES = {429, 500, 502, 503, 504}


def may_repeat(error: TurnpikeError, is_safe: bool) -> bool:
    """Tell whether it is right to repeat after this error.

    A call that must not happen twice is repeated only after 429, which the gateway
    answers before it does anything.
    """
    if isinstance(error, TurnpikeConnectionError):
        return is_safe
    if not isinstance(error, ApiError):
        return False
    if error.status == 429:
        return True
    if error.code is None:
        return is_safe and error.status in _PASSING_STATUSES
    return is_safe and error.code in _PASSING


def delay_after(error: TurnpikeError, nth: int) -> float:
    """Return how long to wait before repetition ``nth``, from 0, in seconds."""
    told = error.retry_after if isinstance(error, ApiError) else None
    if told is not None:
        return told + random.uniform(0, _SPREAD)
    return random.uniform(0, min(_LONGEST_DELAY, _FIRST_DELAY * 2**nth))


def read_retry_after(header: str | None) -> int | None:
    """Return ``Retry-After`` in seconds, from a number or a date.

    A number too large to be meant is the largest one.
    """
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        # Python refuses to read thousands of digits.
        return min(int(header[:20]), _MOST_RETRY_AFTER)
    try:
        seconds = round(parsedate_to_datetime(header).timestamp() - time.time())
        return min(max(0, seconds), _MOST_RETRY_AFTER)
    except (ValueError, OverflowError):
        return None
