<?php

declare(strict_types=1);

namespace Turnpike\Error;

/** 429: too many calls; $retryAfter says how long to wait. */
final class RateLimitError extends ApiError
{
}
