<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/** What the settings page has stored, and the secrets, which are kept apart from it: the shop's own API shows settings. */
final class Settings
{
    private const OPTION = 'woocommerce_turnpike_settings';
    private const WEBHOOK = 'turnpike_wc_webhook';
    private const SECRET = 'turnpike_wc_secret';

    private static function read(string $name): string
    {
        $all = get_option(self::OPTION, []);
        return is_array($all) && is_string($all[$name] ?? null) ? trim($all[$name]) : '';
    }

    /** The gateway's address without a slash at its end. */
    public static function url(): string
    {
        return rtrim(self::read('gateway_url'), '/');
    }

    public static function keyId(): string
    {
        return self::read('key_id');
    }

    /** The secret of the API key; '' if it was entered for another address or key than those of now. */
    public static function secret(): string
    {
        $kept = get_option(self::SECRET, []);
        $isOfNow = is_array($kept) && ($kept['url'] ?? '') === self::url() && ($kept['keyId'] ?? '') === self::keyId();
        return $isOfNow ? (string) ($kept['secret'] ?? '') : '';
    }

    /** Keeps a secret for the address and the key of now, and for no others. */
    public static function keepSecret(string $secret): void
    {
        update_option(self::SECRET, ['url' => self::url(), 'keyId' => self::keyId(), 'secret' => $secret], false);
    }

    public static function forgetSecret(): void
    {
        delete_option(self::SECRET);
    }

    public static function isComplete(): bool
    {
        return self::url() !== '' && self::keyId() !== '' && self::secret() !== '';
    }

    /** Test keys belong to sandboxes, in which money is not real. */
    public static function isSandbox(): bool
    {
        return strncmp(self::keyId(), 'pk_test_', 8) === 0;
    }

    /** HTTPS, or HTTP to this machine itself, which is how a sandbox is tried. */
    public static function isGoodUrl(string $url): bool
    {
        $parts = wp_parse_url($url);
        if (!is_array($parts) || empty($parts['host']) || isset($parts['user']) || isset($parts['query'])) {
            return false;
        }
        $isHere = in_array($parts['host'], ['localhost', '127.0.0.1', '[::1]'], true);
        $scheme = strtolower($parts['scheme'] ?? '');
        return $scheme === 'https' || ($scheme === 'http' && $isHere);
    }

    /** @return array{id?: string, url?: string, secrets?: array<int, array{secret: string, until: int}>} */
    public static function webhook(): array
    {
        $kept = get_option(self::WEBHOOK, []);
        return is_array($kept) ? $kept : [];
    }

    /** The secrets that may have signed a delivery: the newest, and for ten minutes the one before it. */
    public static function webhookSecrets(): array
    {
        $valid = array_filter(
            self::webhook()['secrets'] ?? [],
            static fn (array $entry): bool => $entry['until'] === 0 || $entry['until'] > time()
        );
        return array_column($valid, 'secret');
    }

    /**
     * Keeps the endpoint with its secret. One that differs replaces the last, which may have signed what is on its way.
     * Not longer: it may have been rotated because others know it.
     */
    public static function keepWebhook(string $id, string $url, string $secret): void
    {
        $soon = time() + 10 * MINUTE_IN_SECONDS;
        $secrets = [['secret' => $secret, 'until' => 0]];
        foreach (self::webhook()['secrets'] ?? [] as $entry) {
            $until = $entry['until'] === 0 ? $soon : $entry['until'];
            if ($entry['secret'] !== $secret && $until > time() && count($secrets) < 3) {
                $secrets[] = ['secret' => $entry['secret'], 'until' => $until];
            }
        }
        update_option(self::WEBHOOK, ['id' => $id, 'url' => $url, 'secrets' => $secrets], false);
    }

    /** Another gateway or another merchant: its secrets must not be believed any longer. */
    public static function forgetWebhook(): void
    {
        delete_option(self::WEBHOOK);
        delete_transient('turnpike_wc_token');
        delete_transient('turnpike_wc_read_again');
    }
}
