<?php

declare(strict_types=1);

namespace Turnpike\Webhook;

/** For receivers of webhooks: verifies a delivery, and acts on an event once. */
final class Webhook
{
    private const TOLERANCE_SECONDS = 300;
    /** The gateway signs with two secrets at most; work for a stranger's header is bounded. */
    private const MOST_CANDIDATES = 8;
    /**
     * Longer than a receiver takes that answers in time (5 s), and as long as the gateway waits before its second
     * attempt.
     */
    private const LEASE_SECONDS = 60;

    /**
     * Verifies a delivery and returns its event.
     *
     * @param string $rawBody the body as it came: file_get_contents('php://input')
     * @param ?string $signature the header X-PGW-Signature: $_SERVER['HTTP_X_PGW_SIGNATURE'] ?? null
     * @param list<string> $secrets the whsec_… to accept, in full: two while you change from one to the other
     * @param ?int $now the Unix time at which it arrived
     * @return array<string, mixed>
     * @throws VerificationError
     */
    public static function verify(
        string $rawBody,
        ?string $signature,
        #[\SensitiveParameter] array $secrets,
        ?int $now = null,
        int $toleranceSeconds = self::TOLERANCE_SECONDS,
    ): array {
        // Otherwise an unset variable would be a key that anyone can sign with.
        if ($secrets === [] || in_array('', $secrets, true)) {
            throw new \InvalidArgumentException('verify needs the secret');
        }
        [$time, $candidates] = self::readSignature($signature);
        $off = ($now ?? time()) - (int) $time;
        if (abs($off) > $toleranceSeconds) {
            $way = $off > 0 ? 'before' : 'after';
            throw new VerificationError(
                'outside-tolerance',
                'signed ' . abs($off) . " s $way it arrived; at most $toleranceSeconds s are accepted",
            );
        }
        foreach ($secrets as $secret) {
            $expected = hash_hmac('sha256', "$time.$rawBody", $secret);
            foreach ($candidates as $candidate) {
                if (hash_equals($expected, $candidate)) {
                    return self::readEvent($rawBody);
                }
            }
        }
        throw new VerificationError(
            'no-match',
            'no v1 signature matches: another secret, or the body was changed',
        );
    }

    /**
     * Verifies a delivery and acts on its event, unless that was done before. If $act throws, the event counts as new
     * again: answer 500, and the gateway delivers it anew. A process that is killed between acting and noting it acts
     * again a minute later, so let $act change only what is not changed yet.
     *
     * @param list<string> $secrets
     * @param callable(array<string, mixed>): void $act
     * @return string handled or repeated: answer 2xx to both; or busy, as the same event is being acted on: answer 503
     * @throws VerificationError
     */
    public static function handle(
        string $rawBody,
        ?string $signature,
        #[\SensitiveParameter] array $secrets,
        SeenEvents $seen,
        callable $act,
        ?int $now = null,
        int $toleranceSeconds = self::TOLERANCE_SECONDS,
    ): string {
        $event = self::verify($rawBody, $signature, $secrets, $now, $toleranceSeconds);
        $claim = $seen->claim($event['id'], self::LEASE_SECONDS);
        if ($claim !== SeenEvents::NEW) {
            return $claim === SeenEvents::DONE ? 'repeated' : 'busy';
        }
        try {
            $act($event);
        } catch (\Throwable $error) {
            $seen->release($event['id']);
            throw $error;
        }
        $seen->finish($event['id']);
        return 'handled';
    }

    /**
     * Ignores entries with other names: a later version of the scheme may add some.
     *
     * @return array{string, list<string>}
     */
    private static function readSignature(?string $header): array
    {
        if ($header === null || $header === '') {
            throw new VerificationError('missing-signature', 'there is no X-PGW-Signature header');
        }
        $times = [];
        $candidates = [];
        foreach (explode(',', $header) as $entry) {
            $entry = trim($entry, " \t");
            if (str_starts_with($entry, 't=')) {
                $times[] = substr($entry, 2);
            } elseif (preg_match('/^v1=([0-9a-f]{64})$/D', $entry, $match) === 1) {
                $candidates[] = $match[1];
            }
        }
        if (count($times) !== 1 || preg_match('/^[0-9]{1,12}$/D', $times[0]) !== 1 || $candidates === []) {
            throw new VerificationError(
                'malformed-signature',
                'X-PGW-Signature is not like t=<unix>, v1=<64 hex digits>',
            );
        }
        return [$times[0], array_slice($candidates, 0, self::MOST_CANDIDATES)];
    }

    /**
     * The gateway signed the body, so its fields are trusted as they are.
     *
     * @return array<string, mixed>
     */
    private static function readEvent(string $rawBody): array
    {
        $event = json_decode($rawBody, true);
        if (is_array($event) && is_string($event['id'] ?? null) && is_string($event['type'] ?? null)) {
            return $event;
        }
        throw new VerificationError('malformed-body', 'the body is signed, but is no event in JSON');
    }
}
