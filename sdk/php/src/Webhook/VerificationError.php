<?php

declare(strict_types=1);

namespace Turnpike\Webhook;

/** A delivery that must not be trusted: answer 400. It contains no secret. */
final class VerificationError extends \RuntimeException
{
    /** @param string $fault missing-signature, malformed-signature, outside-tolerance, no-match or malformed-body */
    public function __construct(public readonly string $fault, string $message)
    {
        parent::__construct($message);
    }
}
