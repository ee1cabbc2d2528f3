<?php

declare(strict_types=1);

namespace Turnpike\Error;

/** The gateway refused a call. The subclasses follow its status. */
class ApiError extends TurnpikeError
{
    /**
     * @param ?string $errorCode the gateway's code; null if something else answered, such as a proxy
     * @param ?string $requestId quote it when you ask the operator for help
     * @param ?int $retryAfter how long to wait, in seconds, if the gateway said so
     * @param list<array{path: string, message: string}> $details every fault of the request, with 2001 and 5001
     */
    final public function __construct(
        public readonly ?string $errorCode,
        public readonly int $status,
        string $message,
        public readonly ?string $requestId = null,
        public readonly ?int $retryAfter = null,
        public readonly array $details = [],
    ) {
        parent::__construct($errorCode === null ? $message : "$message ($errorCode)");
    }

    /** @return class-string<self> the class of a status */
    public static function classOf(int $status): string
    {
        return match (true) {
            $status === 401 => AuthenticationError::class,
            $status === 403 => PermissionError::class,
            $status === 404 => NotFoundError::class,
            $status === 409 => ConflictError::class,
            $status === 429 => RateLimitError::class,
            $status >= 500 => UnavailableError::class,
            in_array($status, [400, 413, 415, 422], true) => ValidationError::class,
            default => self::class,
        };
    }
}
