"""Turnpike, the crypto payment gateway: a typed client. See also turnpike.webhooks."""

from .client import Turnpike
from .errors import (
    ApiError,
    AuthenticationError,
    ConflictError,
    ErrorDetail,
    NotFoundError,
    PermissionError,
    RateLimitError,
    TurnpikeConnectionError,
    TurnpikeError,
    TurnpikeTimeoutError,
    UnavailableError,
    ValidationError,
)
from .options import CallOptions
from .version import VERSION as __version__

__all__ = [
    "ApiError",
    "AuthenticationError",
    "CallOptions",
    "ConflictError",
    "ErrorDetail",
    "NotFoundError",
    "PermissionError",
    "RateLimitError",
    "Turnpike",
    "TurnpikeConnectionError",
    "TurnpikeError",
    "TurnpikeTimeoutError",
    "UnavailableError",
    "ValidationError",
    "__version__",
]
