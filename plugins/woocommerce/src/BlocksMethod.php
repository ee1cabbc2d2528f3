<?php

namespace Turnpike\WooCommerce;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

defined('ABSPATH') || exit;

/** The way to pay in the checkout block. */
final class BlocksMethod extends AbstractPaymentMethodType
{
    /** @var string */
    protected $name = Gateway::ID;

    public function initialize()
    {
        $this->settings = get_option('woocommerce_turnpike_settings', []);
    }

    public function is_active()
    {
        return ($this->settings['enabled'] ?? '') === 'yes' && Settings::isComplete();
    }

    public function get_payment_method_script_handles()
    {
        $needs = ['wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities'];
        $url = plugins_url('assets/blocks.js', TURNPIKE_WC_FILE);
        wp_register_script('turnpike-wc-blocks', $url, $needs, TURNPIKE_WC_VERSION, true);
        return ['turnpike-wc-blocks'];
    }

    /** Everything here is in the page's source: no address, no key. */
    public function get_payment_method_data()
    {
        $gateway = new Gateway();
        return [
            'title' => wp_strip_all_tags((string) $gateway->title),
            'description' => wp_strip_all_tags((string) $gateway->description),
            'supports' => ['products'],
        ];
    }
}
