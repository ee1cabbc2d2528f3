<?php

declare(strict_types=1);

namespace Turnpike\Error;

/** Everything that the SDK throws by itself, but for an InvalidArgumentException at wrong input. */
abstract class TurnpikeError extends \RuntimeException
{
}
