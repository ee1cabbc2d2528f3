<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/**
 * A call that failed. `code` is the gateway's four digits, or '' without an answer of it; the message is fit for the
 * shop's people and holds no secret.
 */
final class ApiError extends \RuntimeException
{
    /** The HTTP status; 0 if nothing was answered. */
    public int $status;
    public string $errorCode;

    public function __construct(string $message, int $status, string $errorCode)
    {
        parent::__construct($message);
        $this->status = $status;
        $this->errorCode = $errorCode;
    }

    /** Whether the call may have taken effect all the same, or was not judged: it has to be repeated as it was. */
    public function isUnclear(): bool
    {
        return $this->status === 0 || $this->status >= 500 || $this->status === 429 || $this->errorCode === '2003';
    }

    /** Whether the gateway has judged the call itself, and not who makes it or from where (codes that begin with 1). */
    public function isJudged(): bool
    {
        return !$this->isUnclear() && $this->errorCode !== '' && $this->errorCode[0] !== '1';
    }
}
