"""The access token: exchanged once for all threads, and renewed before it ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

#: Renewed this long before its end, or in the last tenth of its time if that is less.
_LEAD = 300.0


class TokenSource:
    """Keeps one token. ``exchange`` returns a token and its life in seconds."""

    def __init__(self, exchange: Callable[[], tuple[str, float]]) -> None:
        self._exchange = exchange
        self._lock = threading.Lock()
        self._token: str | None = None
        self._renew_at = 0.0

    def get(self) -> str:
        """Return the token to send; other threads wait while one exchanges."""
        with self._lock:
            if self._token is None or time.monotonic() >= self._renew_at:
                begun = time.monotonic()
                self._token, life = self._exchange()
                self._renew_at = begun + life - min(_LEAD, life / 10)
            return self._token

    def drop(self, token: str) -> None:
        """Forget a token that was refused, unless a newer one has taken its place."""
        with self._lock:
            if self._token == token:
                self._token = None
