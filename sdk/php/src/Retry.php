<?php

declare(strict_types=1);

namespace Turnpike;

use Turnpike\Error\ApiError;
use Turnpike\Error\ConnectionError;
use Turnpike\Error\TurnpikeError;

/** When a call is repeated, and after how long. */
final class Retry
{
    private const FIRST_DELAY = 0.5;
    private const LONGEST_DELAY = 8.0;
    /** Beside Retry-After, so that all who were told the same second do not come in it. */
    private const SPREAD = 0.25;
    private const MOST_RETRY_AFTER = 2_147_483_647;
    /** The gateway's codes that say "try again": too many calls, a fault, overload, the first call still running. */
    private const PASSING = ['9001', '9500', '9503', '2003'];
    /** What proxies in front of a gateway say when they cannot reach it. */
    private const PASSING_STATUSES = [429, 500, 502, 503, 504];

    /**
     * Whether it is right to repeat after this error. A call that must not happen twice is repeated only after 429,
     * which the gateway answers before it does anything.
     */
    public static function mayRepeat(TurnpikeError $error, bool $isSafe): bool
    {
        if ($error instanceof ConnectionError) {
            return $isSafe;
        }
        if (!$error instanceof ApiError) {
            return false;
        }
        $passes = $error->errorCode === null
            ? in_array($error->status, self::PASSING_STATUSES, true)
            : in_array($error->errorCode, self::PASSING, true);
        return $error->status === 429 || ($isSafe && $passes);
    }

    /** How long to wait before repetition $nth, from 0, in seconds. */
    public static function delayAfter(TurnpikeError $error, int $nth): float
    {
        $random = random_int(0, 1_000_000) / 1_000_000;
        $told = $error instanceof ApiError ? $error->retryAfter : null;
        return $told !== null
            ? $told + $random * self::SPREAD
            : $random * min(self::LONGEST_DELAY, self::FIRST_DELAY * 2 ** $nth);
    }

    /** Retry-After in seconds, from a number or a date. A number too large to be meant is the largest one. */
    public static function readRetryAfter(?string $header): ?int
    {
        if ($header === null) {
            return null;
        }
        if (preg_match('/^\d+$/D', $header) === 1) {
            return min((int) $header, self::MOST_RETRY_AFTER);
        }
        $at = strtotime($header);
        return $at === false ? null : min(max(0, $at - time()), self::MOST_RETRY_AFTER);
    }
}
