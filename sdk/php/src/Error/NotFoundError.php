<?php

declare(strict_types=1);

namespace Turnpike\Error;

/** 404: there is no such thing, or it is another merchant's. */
final class NotFoundError extends ApiError
{
}
