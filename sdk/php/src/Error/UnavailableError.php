<?php

declare(strict_types=1);

namespace Turnpike\Error;

/** 5xx: the gateway, or a network of it, is not available. */
final class UnavailableError extends ApiError
{
}
