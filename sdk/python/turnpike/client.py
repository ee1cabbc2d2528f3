"""The client: one object for a gateway and a key."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from .errors import ApiError
from .operations import OPERATIONS, Operations
from .options import CallOptions, Settings, check_base_url
from .token import TokenSource
from .transport import Outgoing, send


class Turnpike(Operations):
    """A gateway, as one merchant's key. Make one and keep it: it holds the token.

    Threads may share it. Without a key only what is public can be called. Times are in
    seconds; ``max_retry_after`` is the longest ``Retry-After`` that is waited for.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        api_secret: str | None = None,
        *,
        timeout: float = 30.0,
        max_retries: int = 3,
        max_retry_after: float = 60.0,
        allow_insecure_http: bool = False,
    ) -> None:
        if bool(api_key) != bool(api_secret):
            raise ValueError("api_key and api_secret go together")
        url = check_base_url(base_url, allow_insecure_http)
        self._settings = Settings(url, timeout, max_retries, max_retry_after)
        self._credentials = {"keyId": api_key, "secret": api_secret}
        self._tokens = TokenSource(self._exchange)

    def call(
        self,
        name: str,
        *,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        options: CallOptions | None = None,
    ) -> Any:
        """Make any call by the name of its operation; return its data."""
        text = self.text(name, path=path, query=query, body=body, options=options)
        return json.loads(text)["data"]

    def text(
        self,
        name: str,
        *,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        options: CallOptions | None = None,
    ) -> str:
        """Make a call and return the text of its answer: a report in CSV, say."""
        operation, options = OPERATIONS[name], options or CallOptions()
        headers = {}
        # Made here, before the first attempt, so that all attempts have the same.
        if operation.keyed:
            headers["Idempotency-Key"] = options.idempotency_key or str(uuid.uuid4())
        if options.request_id is not None:
            headers["X-Request-Id"] = options.request_id
        repeatable = operation.keyed or operation.method in ("GET", "PUT")

        def send_with(token: str | None) -> str:
            bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
            outgoing = Outgoing(
                method=operation.method,
                path=_with_ids(operation.path, path or {}) + _query_text(query or {}),
                headers={**headers, **bearer},
                body=None if body is None else json.dumps(body).encode(),
                is_safe=repeatable or name == "createAccessToken",
                timeout=options.timeout or self._settings.timeout,
            )
            return send(self._settings, outgoing)

        return send_with(None) if operation.open else self._with_token(send_with)

    def pages(
        self,
        name: str,
        query: Mapping[str, Any],
        options: CallOptions | None,
        path: Mapping[str, str] | None = None,
    ) -> Iterator[Any]:
        """Read a list as it is looped over, page by page."""
        position: dict[str, Any] = {}
        while True:
            page = self.call(
                name, path=path, query={**query, **position}, options=options
            )
            yield from page["items"]
            pagination = page.get("pagination", page)
            if not pagination["hasMore"] or not page["items"]:
                return
            if "nextCursor" in pagination:
                if pagination["nextCursor"] is None:
                    return
                position = {"cursor": pagination["nextCursor"]}
            else:
                position = {"after": page["items"][-1]["sequence"]}

    def _exchange(self) -> tuple[str, float]:
        if not self._credentials["keyId"]:
            raise ValueError("This call needs a key: give api_key and api_secret")
        data = self.call("createAccessToken", body=self._credentials)
        return data["accessToken"], data["expiresIn"]

    def _with_token(self, send_with: Callable[[str | None], str]) -> str:
        """Once more with a new token, if the old one was refused: it may have ended."""
        token = self._tokens.get()
        try:
            return send_with(token)
        except ApiError as error:
            if error.code != "1002":
                raise
        self._tokens.drop(token)
        return send_with(self._tokens.get())


def _with_ids(path: str, ids: Mapping[str, str]) -> str:
    """Fill in the ids; one that is missing or empty would make another call of it."""

    def encoded(match: re.Match[str]) -> str:
        value = ids.get(match[1])
        if not value or value in (".", ".."):
            raise ValueError(f"{match[1]} is not an id")
        return quote(value, safe="")

    return re.sub(r"\{(\w+)\}", encoded, path)


def _query_text(query: Mapping[str, Any]) -> str:
    """Lists are repeated parameters; None is left out."""
    pairs = []
    for name, value in query.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                pairs.append((name, str(one).lower() if isinstance(one, bool) else one))
    return f"?{urlencode(pairs)}" if pairs else ""
