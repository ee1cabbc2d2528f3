<?php

declare(strict_types=1);

namespace Turnpike\Error;

/** 400, 413, 415, 422: the input is at fault; $details says where. */
final class ValidationError extends ApiError
{
}
