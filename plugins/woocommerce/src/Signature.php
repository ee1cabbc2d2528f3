<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/** Says whether a delivery comes from the gateway, by the header X-PGW-Signature: "t=<unix>, v1=<64 hex digits>", … */
final class Signature
{
    /** One of the secrets has signed it. */
    public const GENUINE = 'genuine';
    /** Well formed and of now, and signed with something else: a forgery, or the secret was rotated. */
    public const OTHER_SECRET = 'other secret';
    /** Without a time and a signature, or not of now. */
    public const MALFORMED = 'malformed';
    private const TOLERANCE_SECONDS = 300;

    /**
     * @param string $body as it came, before any parser
     * @param string[] $secrets each may have signed; without one nothing is genuine
     */
    public static function verdict(string $body, string $header, array $secrets, int $now): string
    {
        $times = [];
        $signatures = [];
        foreach (explode(',', $header) as $entry) {
            $entry = trim($entry, " \t");
            if (strncmp($entry, 't=', 2) === 0) {
                $times[] = substr($entry, 2);
            } elseif (preg_match('/\Av1=[0-9a-f]{64}\z/', $entry) === 1) {
                $signatures[] = substr($entry, 3);
            }
        }
        if (count($times) !== 1 || preg_match('/\A[0-9]{1,12}\z/', $times[0]) !== 1 || $signatures === []) {
            return self::MALFORMED;
        }
        if (abs($now - (int) $times[0]) > self::TOLERANCE_SECONDS) {
            return self::MALFORMED;
        }
        foreach (array_filter($secrets) as $secret) {
            $expected = hash_hmac('sha256', "{$times[0]}.$body", $secret);
            foreach ($signatures as $signature) {
                if (hash_equals($expected, $signature)) {
                    return self::GENUINE;
                }
            }
        }
        return self::OTHER_SECRET;
    }
}
