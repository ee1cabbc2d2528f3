"""What a call can raise: each class says what a program can do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class TurnpikeError(Exception):
    """Everything that the SDK raises by itself, but for a ValueError at wrong input."""


class TurnpikeConnectionError(TurnpikeError):
    """The gateway did not answer, or not whole."""


class TurnpikeTimeoutError(TurnpikeConnectionError):
    """The gateway did not answer in time."""


@dataclass(frozen=True)
class ErrorDetail:
    """One fault of a request: the field, dotted as in your body, and what is wrong."""

    path: str
    message: str


class ApiError(TurnpikeError):
    """The gateway refused a call. The subclasses follow its status."""

    def __init__(
        self,
        *,
        code: str | None,
        status: int,
        message: str,
        request_id: str | None = None,
        retry_after: int | None = None,
        details: Sequence[ErrorDetail] = (),
    ) -> None:
        super().__init__(message if code is None else f"{message} ({code})")
        #: The gateway's code; None if something else answered, such as a proxy.
        self.code = code
        #: The HTTP status.
        self.status = status
        #: Quote it when you ask the operator for help.
        self.request_id = request_id
        #: How long to wait, in seconds, if the gateway said so.
        self.retry_after = retry_after
        #: Every fault of the request, with 2001 and 5001.
        self.details = tuple(details)


class AuthenticationError(ApiError):
    """401: the key is wrong, revoked, or of the other environment."""


class PermissionError(ApiError):  # noqa: A001
    """403: the key lacks a permission, or may not be used from this address."""


class ValidationError(ApiError):
    """400, 413, 415, 422: the input is at fault; ``details`` says where."""


class NotFoundError(ApiError):
    """404: there is no such thing, or it is another merchant's."""


class ConflictError(ApiError):
    """409: the state of things does not allow it."""


class RateLimitError(ApiError):
    """429: too many calls; ``retry_after`` says how long to wait."""


class UnavailableError(ApiError):
    """5xx: the gateway, or a network of it, is not available."""


_BY_STATUS: dict[int, type[ApiError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionError,
    404: NotFoundError,
    409: ConflictError,
    413: ValidationError,
    415: ValidationError,
    422: ValidationError,
    429: RateLimitError,
}


def class_of(status: int) -> type[ApiError]:
    """Return the class of a status."""
    return UnavailableError if status >= 500 else _BY_STATUS.get(status, ApiError)
