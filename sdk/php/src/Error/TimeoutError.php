<?php

declare(strict_types=1);

namespace Turnpike\Error;

/** The gateway did not answer in time. */
final class TimeoutError extends ConnectionError
{
}
