<?php

declare(strict_types=1);

namespace Turnpike\Error;

/** The gateway did not answer, or not whole. */
class ConnectionError extends TurnpikeError
{
}
