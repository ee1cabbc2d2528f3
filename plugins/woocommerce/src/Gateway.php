<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/** The way to pay as WooCommerce sees it: settings, checkout, refunds. */
final class Gateway extends \WC_Payment_Gateway
{
    public const ID = 'turnpike';

    public function __construct()
    {
        $this->id = self::ID;
        $this->has_fields = false;
        $this->supports = ['products', 'refunds'];
        $this->method_title = 'Turnpike';
        $this->method_description = __('Coins through a Turnpike gateway. Prices stay in the currency of your shop.', 'turnpike-for-woocommerce');
        $this->init_form_fields();
        $this->init_settings();
        $this->title = $this->get_option('title') . (Settings::isSandbox() ? ' (' . self::sandboxWord() . ')' : '');
        $this->description = $this->get_option('description') . (Settings::isSandbox() ? ' ' . self::sandboxText() : '');
        $save = 'woocommerce_update_options_payment_gateways_' . $this->id;
        // WooCommerce may make several of this class in one request; each setting is saved once.
        if (!has_action($save)) {
            add_action($save, [$this, 'process_admin_options']);
        }
    }

    public static function sandboxWord(): string
    {
        return __('sandbox', 'turnpike-for-woocommerce');
    }

    public static function sandboxText(): string
    {
        return __('This is a sandbox: no real money moves.', 'turnpike-for-woocommerce');
    }

    public function init_form_fields()
    {
        $this->form_fields = Fields::all();
    }

    public function is_available()
    {
        return parent::is_available() && Settings::isComplete();
    }

    public function needs_setup()
    {
        return !Settings::isComplete();
    }

    /**
     * Sends the customer to the gateway's page. Their coming back changes nothing.
     *
     * @param int $order_id
     */
    public function process_payment($order_id)
    {
        $order = wc_get_order($order_id);
        try {
            $page = !$order instanceof \WC_Order ? null : Store::withOrder(
                $order->get_id(),
                fn (): string => Invoices::payPageOf(self::withNewMeta($order), $this->get_return_url($order))
            );
        } catch (\DomainException $known) {
            wc_add_notice(esc_html($known->getMessage()), 'error');
            return ['result' => 'failure', 'redirect' => ''];
        } catch (ApiError $error) {
            $page = null; // it is in the log; the customer is told no more than they need
        }
        if ($page === null || $page === '') {
            $text = __('Payment in coins is not possible at the moment. Please try again.', 'turnpike-for-woocommerce');
            wc_add_notice(esc_html($text), 'error');
            return ['result' => 'failure', 'redirect' => ''];
        }
        return ['result' => 'success', 'redirect' => $page];
    }

    /**
     * @param int $order_id
     * @param string|float|null $amount in the shop's currency
     * @param string $reason
     */
    public function process_refund($order_id, $amount = null, $reason = '')
    {
        $order = wc_get_order($order_id);
        if (!$order instanceof \WC_Order || $amount === null) {
            return new \WP_Error('turnpike', __('There is nothing to refund.', 'turnpike-for-woocommerce'));
        }
        $done = Store::withOrder(
            $order->get_id(),
            static fn () => Refunds::refund(
                self::withNewMeta($order),
                (string) wc_format_decimal($amount, wc_get_price_decimals())
            )
        );
        return $done ?? new \WP_Error('turnpike', __('This order is being changed. Try again.', 'turnpike-for-woocommerce'));
    }

    /** A field for a secret: what is stored is never shown. An empty one keeps it. */
    public function generate_turnpike_secret_html($key, $data)
    {
        return Fields::secretHtml($this->get_field_key($key), $data, Settings::secret() !== '');
    }

    /** It is kept apart from the other settings, which the shop's API shows. */
    public function validate_turnpike_secret_field($key, $value)
    {
        return '';
    }

    public function generate_turnpike_test_html($key, $data)
    {
        return Connection::buttonHtml($data);
    }

    public function validate_turnpike_test_field($key, $value)
    {
        return '';
    }

    public function validate_gateway_url_field($key, $value)
    {
        $url = rtrim(esc_url_raw(trim(wp_unslash((string) $value))), '/');
        if ($url !== '' && !Settings::isGoodUrl($url)) {
            throw new \Exception(__('The address of the gateway has to begin with https://', 'turnpike-for-woocommerce'));
        }
        return $url;
    }

    /** The secret goes to the address that it was entered for and to no other one: who changes one enters the other. */
    public function process_admin_options()
    {
        $before = [Settings::url(), Settings::keyId(), Settings::secret()];
        $saved = parent::process_admin_options();
        $entered = trim(wp_unslash((string) ($this->get_post_data()[$this->get_field_key('secret')] ?? '')));
        if ($entered !== '') {
            Settings::keepSecret($entered);
        } elseif ($before[2] !== '' && Settings::secret() === '') {
            Settings::forgetSecret();
            $this->add_error(__('The address or the key has changed: enter the secret again.', 'turnpike-for-woocommerce'));
        }
        if ($before !== [Settings::url(), Settings::keyId(), Settings::secret()]) {
            Settings::forgetWebhook();
        }
        if (Settings::isComplete() && $this->get_option('enabled') === 'yes') {
            foreach (Connection::setUp() as $fault) {
                $this->add_error($fault);
            }
        }
        foreach ($this->get_errors() as $error) {
            \WC_Admin_Settings::add_error($error);
        }
        return $saved;
    }

    /** The order as another request may have left it while this one waited for the lock. */
    private static function withNewMeta(\WC_Order $order): \WC_Order
    {
        $order->read_meta_data(true);
        return $order;
    }
}
