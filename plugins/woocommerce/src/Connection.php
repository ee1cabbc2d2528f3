<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/** The connection test of the settings page, the webhook that sets itself up, and what runs once a day. */
final class Connection
{
    private const ACTION = 'turnpike_wc_test';
    /** The description of the shop's endpoint. */
    private const NAME = 'WooCommerce';
    private const DAILY = 'turnpike_wc_daily';
    private const READ_AGAIN = 'turnpike_wc_read_again';
    private const NEEDED = ['READ_PAYMENTS', 'CREATE_PAYMENTS', 'CANCEL_PAYMENTS', 'MANAGE_WEBHOOKS', 'WITHDRAW'];
    private const EVENTS = [
        'invoice.processing',
        'invoice.settled',
        'invoice.failed',
        'invoice.expired',
        'invoice.refunded',
    ];

    public static function start(): void
    {
        add_action('wp_ajax_' . self::ACTION, [self::class, 'answerTest']);
        add_action('admin_enqueue_scripts', [self::class, 'addScript']);
        add_action(self::DAILY, [self::class, 'daily']);
        if (!wp_next_scheduled(self::DAILY)) {
            wp_schedule_event(time() + HOUR_IN_SECONDS, 'twicedaily', self::DAILY);
        }
    }

    public static function unschedule(): void
    {
        wp_clear_scheduled_hook(self::DAILY);
    }

    /**
     * Reads the secret after a delivery that another one has signed: at most once in five minutes, as anybody can send
     * such. Answers whether it was read.
     */
    public static function readAgain(): bool
    {
        if (!Settings::isComplete() || get_transient(self::READ_AGAIN) !== false) {
            return false;
        }
        set_transient(self::READ_AGAIN, '1', 5 * MINUTE_IN_SECONDS);
        return self::setUp() === [];
    }

    /** Twice a day a rotated secret is read, well within the day in which the old one signs on. */
    public static function daily(): void
    {
        Store::forgetOld();
        if (Settings::isComplete()) {
            self::setUp();
        }
    }

    public static function addScript(): void
    {
        $screen = function_exists('get_current_screen') ? get_current_screen() : null;
        if ($screen === null || strpos((string) $screen->id, 'wc-settings') === false) {
            return;
        }
        $url = plugins_url('assets/admin.js', TURNPIKE_WC_FILE);
        wp_enqueue_script('turnpike-wc-admin', $url, [], TURNPIKE_WC_VERSION, true);
    }

    /** @param array<string, mixed> $data */
    public static function buttonHtml(array $data): string
    {
        return sprintf(
            '<tr valign="top"><th scope="row" class="titledesc">%1$s</th><td class="forminp">' .
            '<button type="button" class="button" id="turnpike-test" data-url="%2$s" data-action="%3$s" data-nonce="%4$s">' .
            '%5$s</button> <span id="turnpike-test-result" role="status"></span><p class="description">%6$s</p></td></tr>',
            esc_html($data['title']),
            esc_url(admin_url('admin-ajax.php')),
            esc_attr(self::ACTION),
            esc_attr(wp_create_nonce(self::ACTION)),
            esc_html__('Test the connection', 'turnpike-for-woocommerce'),
            esc_html($data['description'])
        );
    }

    public static function answerTest(): void
    {
        check_ajax_referer(self::ACTION, 'nonce');
        if (!current_user_can('manage_woocommerce')) {
            wp_send_json_error(['text' => __('You may not do this.', 'turnpike-for-woocommerce')], 403);
        }
        $faults = self::setUp();
        if ($faults !== []) {
            wp_send_json_error(['text' => implode(' ', $faults)]);
        }
        $text = Settings::isSandbox()
            ? __('Connected to a sandbox. The webhook is set up.', 'turnpike-for-woocommerce')
            : __('Connected to a live gateway: real money. The webhook is set up.', 'turnpike-for-woocommerce');
        wp_send_json_success(['text' => $text]);
    }

    /**
     * Signs in, compares permissions, makes the endpoint if there is none, and reads the secret of webhooks.
     *
     * @return string[] what is wrong, for people
     */
    public static function setUp(): array
    {
        try {
            $missing = array_values(array_diff(self::NEEDED, Api::signIn()));
            $faults = [];
            if ($missing !== []) {
                /* translators: %s: names of permissions */
                $text = __('The API key lacks these permissions: %s.', 'turnpike-for-woocommerce');
                $faults[] = sprintf($text, implode(', ', $missing));
            }
            if (!in_array('MANAGE_WEBHOOKS', $missing, true)) {
                self::keepEndpoint();
            }
            return $faults;
        } catch (ApiError $error) {
            return [$error->getMessage() . ($error->errorCode === '' ? '' : " ({$error->errorCode})")];
        }
    }

    private static function keepEndpoint(): void
    {
        $url = Webhook::url();
        foreach (Api::call('GET', '/webhooks')['items'] ?? [] as $endpoint) {
            if ($endpoint['url'] !== $url || $endpoint['description'] !== self::NAME) {
                continue;
            }
            if (!$endpoint['enabled'] || array_diff(self::EVENTS, $endpoint['events']) !== []) {
                $path = '/webhooks/' . rawurlencode($endpoint['id']);
                Api::call('PUT', $path, ['enabled' => true, 'events' => self::EVENTS]);
            }
            Settings::keepWebhook((string) $endpoint['id'], $url, self::readSecret($url));
            return;
        }
        $wanted = ['url' => $url, 'events' => self::EVENTS, 'description' => self::NAME];
        $made = Api::call('POST', '/webhooks', $wanted);
        Settings::keepWebhook((string) $made['id'], $url, (string) $made['secret']);
    }

    /**
     * The merchant's secret, which signs for all endpoints. The gateway shows it with the primary endpoint; where there
     * is none, with a new one, which is made switched off and deleted again. The shop's own endpoint stays: deleting it
     * would give up what waits for it.
     */
    private static function readSecret(string $url): string
    {
        try {
            return (string) Api::call('PUT', '/merchant/webhook', [])['secret'];
        } catch (ApiError $error) {
            if ($error->errorCode !== '2001') {
                throw $error;
            }
        }
        $asked = ['url' => $url, 'enabled' => false, 'events' => self::EVENTS, 'description' => 'WooCommerce asks'];
        $made = Api::call('POST', '/webhooks', $asked);
        Api::call('DELETE', '/webhooks/' . rawurlencode((string) $made['id']));
        return (string) $made['secret'];
    }
}
