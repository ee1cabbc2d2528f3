<?php

declare(strict_types=1);

namespace Turnpike\Error;

/** 401: the key is wrong, revoked, or of the other environment. */
final class AuthenticationError extends ApiError
{
}
