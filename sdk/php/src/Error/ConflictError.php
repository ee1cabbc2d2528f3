<?php

declare(strict_types=1);

namespace Turnpike\Error;

/** 409: the state of things does not allow it. */
final class ConflictError extends ApiError
{
}
