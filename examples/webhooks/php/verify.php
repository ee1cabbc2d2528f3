<?php
// Verifies a webhook of Turnpike. No extension beyond PHP's own, PHP 8.0 or newer; copy this file.

declare(strict_types=1);

namespace Turnpike;

/** The delivery is not to be believed; answer 400. The message says why, and holds no secret. */
final class WebhookVerificationError extends \RuntimeException
{
}

const TOLERANCE_SECONDS = 300;

/**
 * Verifies a delivery and returns its event. Remember the event's id and act on it once: deliveries repeat.
 *
 * @param string $rawBody the body as it came: file_get_contents('php://input')
 * @param ?string $signature the header X-PGW-Signature: $_SERVER['HTTP_X_PGW_SIGNATURE'] ?? null
 * @param string[] $secrets the whsec_... secrets to accept, whole; two while you change from one to the other
 * @param ?int $now Unix time in seconds; the clock's, unless given
 * @throws WebhookVerificationError
 */
function verify_webhook(string $rawBody, ?string $signature, array $secrets, ?int $now = null): array
{
    if ($secrets === [] || in_array('', $secrets, true)) {
        throw new \InvalidArgumentException('verify_webhook needs the secret');
    }
    [$time, $candidates] = read_signature($signature);
    $age = ($now ?? time()) - (int) $time;
    if (abs($age) > TOLERANCE_SECONDS) {
        throw new WebhookVerificationError("signed $age s off; at most " . TOLERANCE_SECONDS . ' s are accepted');
    }
    foreach ($secrets as $secret) {
        $expected = hash_hmac('sha256', "$time.$rawBody", $secret);
        foreach ($candidates as $candidate) {
            if (hash_equals($expected, $candidate)) {
                return read_event($rawBody);
            }
        }
    }
    throw new WebhookVerificationError('no v1 signature matches: another secret, or the body was changed');
}

/** The time as it was written, and the signatures. Entries of other names are left alone: a later version may add some. */
function read_signature(?string $header): array
{
    if ($header === null || $header === '') {
        throw new WebhookVerificationError('there is no X-PGW-Signature header');
    }
    $times = $candidates = [];
    foreach (explode(',', $header) as $entry) {
        $entry = trim($entry, " \t");
        if (str_starts_with($entry, 't=')) {
            $times[] = substr($entry, 2);
        } elseif (preg_match('/\Av1=[0-9a-f]{64}\z/', $entry) === 1) {
            $candidates[] = substr($entry, 3);
        }
    }
    if (count($times) !== 1 || preg_match('/\A[0-9]{1,12}\z/', $times[0]) !== 1 || $candidates === []) {
        throw new WebhookVerificationError('X-PGW-Signature is not like t=<unix>, v1=<64 hex digits>');
    }
    return [$times[0], $candidates];
}

/** Amounts in it are decimal strings: read them with bcmath or GMP, never as floats. */
function read_event(string $rawBody): array
{
    $event = json_decode($rawBody, true);
    if (!is_array($event) || !is_string($event['id'] ?? null) || !is_string($event['type'] ?? null)) {
        throw new WebhookVerificationError('the body is signed, but is no event in JSON');
    }
    return $event;
}
