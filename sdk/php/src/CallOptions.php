<?php

declare(strict_types=1);

namespace Turnpike;

/** What one call may say besides its input. */
final class CallOptions
{
    /**
     * @param ?float $timeout in seconds, for one attempt; in place of the client's own
     * @param ?string $idempotencyKey 1 to 255 printable ASCII characters. One is made for each creating call and kept
     *     over its repetitions; give one of your own, such as the order's number, if the call is to happen once over
     *     restarts of your program as well
     * @param ?string $requestId a trace id of your own, which the gateway's logs and errors repeat
     */
    public function __construct(
        public readonly ?float $timeout = null,
        public readonly ?string $idempotencyKey = null,
        public readonly ?string $requestId = null,
    ) {
    }
}
