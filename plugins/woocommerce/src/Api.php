<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/** Calls the gateway's REST API, with a token that is kept until shortly before its end. */
final class Api
{
    private const TOKEN = 'turnpike_wc_token';
    private const TIMEOUT_SECONDS = 10;

    /**
     * Calls a path below /api/v1 and returns `data` of the answer.
     *
     * @param array<string, mixed>|null $body
     * @throws ApiError
     */
    public static function call(string $method, string $path, ?array $body = null, string $idempotencyKey = ''): array
    {
        $headers = $idempotencyKey === '' ? [] : ['Idempotency-Key' => $idempotencyKey];
        $send = static fn (string $token): array => self::send(
            $method,
            $path,
            $body,
            $headers + ['Authorization' => "Bearer $token"]
        );
        try {
            return $send(self::token(false));
        } catch (ApiError $error) {
            if ($error->status !== 401 || $error->errorCode !== '1002') {
                throw $error;
            }
            return $send(self::token(true)); // it ended, or the gateway was set up anew
        }
    }

    /**
     * Signs in anew, and returns the permissions of the key.
     *
     * @return string[]
     * @throws ApiError
     */
    public static function signIn(): array
    {
        $answer = self::send(
            'POST',
            '/auth/token',
            ['keyId' => Settings::keyId(), 'secret' => Settings::secret()],
            []
        );
        $keep = max(60, (int) ($answer['expiresIn'] ?? 0) - 3600);
        set_transient(self::TOKEN, ['token' => $answer['accessToken'], 'of' => self::fingerprint()], $keep);
        return $answer['permissions'] ?? [];
    }

    private static function token(bool $renew): string
    {
        $kept = $renew ? false : get_transient(self::TOKEN);
        if (!is_array($kept) || !hash_equals((string) ($kept['of'] ?? ''), self::fingerprint())) {
            self::signIn();
            $kept = get_transient(self::TOKEN);
        }
        return is_array($kept) ? (string) $kept['token'] : '';
    }

    /** A token is for one gateway and one key. */
    private static function fingerprint(): string
    {
        return hash('sha256', Settings::url() . "\n" . Settings::keyId() . "\n" . Settings::secret());
    }

    private static function send(string $method, string $path, ?array $body, array $headers): array
    {
        if (!Settings::isComplete() || !Settings::isGoodUrl(Settings::url())) {
            throw new ApiError(__('The gateway is not set up yet.', 'turnpike-for-woocommerce'), 0, '');
        }
        $request = ['method' => $method, 'timeout' => self::TIMEOUT_SECONDS, 'redirection' => 0];
        if ($body !== null) {
            $headers['Content-Type'] = 'application/json';
            $request['body'] = wp_json_encode($body === [] ? new \stdClass() : $body);
        }
        $answer = wp_remote_request(Settings::url() . '/api/v1' . $path, $request + ['headers' => $headers]);
        if (is_wp_error($answer)) {
            Log::fault("$method $path: no answer: " . $answer->get_error_code());
            throw new ApiError(__('The gateway does not answer.', 'turnpike-for-woocommerce'), 0, '');
        }
        return self::read("$method $path", $answer);
    }

    /** @param array<string, mixed> $answer of wp_remote_request() */
    private static function read(string $call, array $answer): array
    {
        $status = (int) wp_remote_retrieve_response_code($answer);
        $parsed = json_decode((string) wp_remote_retrieve_body($answer), true);
        if ($status >= 200 && $status < 300 && is_array($parsed) && is_array($parsed['data'] ?? null)) {
            return $parsed['data'];
        }
        $error = is_array($parsed) && is_array($parsed['error'] ?? null) ? $parsed['error'] : [];
        $code = is_string($error['code'] ?? null) ? $error['code'] : '';
        $request = sanitize_text_field((string) wp_remote_retrieve_header($answer, 'x-request-id'));
        Log::warning("$call: $status $code $request");
        $said = is_string($error['message'] ?? null) ? sanitize_text_field($error['message']) : '';
        /* translators: %d: HTTP status */
        $plain = sprintf(__('The gateway answers with status %d.', 'turnpike-for-woocommerce'), $status);
        // A success that cannot be read has taken effect, perhaps: it counts as no answer.
        $isOdd = $status < 400;
        throw new ApiError($said !== '' ? $said : $plain, $isOdd ? 0 : $status, $code);
    }
}
