<?php

declare(strict_types=1);

namespace Turnpike\Error;

/** 403: the key lacks a permission, or may not be used from this address. */
final class PermissionError extends ApiError
{
}
