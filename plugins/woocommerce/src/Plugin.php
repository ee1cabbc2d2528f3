<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/** Puts the parts of the plugin where WordPress and WooCommerce call them. */
final class Plugin
{
    public const DOMAIN = 'turnpike-for-woocommerce';

    public static function start(): void
    {
        add_action('before_woocommerce_init', [self::class, 'declareCompatibility']);
        add_filter('plugin_locale', [self::class, 'languageOf'], 10, 2);
        add_action('init', [self::class, 'loadTexts']);
        add_action('plugins_loaded', [self::class, 'begin']);
    }

    /** Everything else needs WooCommerce; without it the plugin is silent. */
    public static function begin(): void
    {
        if (!class_exists('WC_Payment_Gateway')) {
            return;
        }
        Store::upgrade();
        add_filter('woocommerce_payment_gateways', [self::class, 'addGateway']);
        add_action('rest_api_init', [Webhook::class, 'register']);
        add_action('woocommerce_blocks_payment_method_type_registration', [self::class, 'addBlock']);
        Connection::start();
        RefundAddress::start();
    }

    /** Orders are read and written by WooCommerce's own methods alone, so their tables may be of either kind. */
    public static function declareCompatibility(): void
    {
        $features = 'Automattic\WooCommerce\Utilities\FeaturesUtil';
        if (class_exists($features)) {
            $features::declare_compatibility('custom_order_tables', TURNPIKE_WC_FILE, true);
            $features::declare_compatibility('cart_checkout_blocks', TURNPIKE_WC_FILE, true);
        }
    }

    /** One translation serves every country of its language: de_AT and de_CH read de. */
    public static function languageOf(string $locale, string $domain): string
    {
        return $domain === self::DOMAIN ? strtolower((string) preg_replace('/[_-].*\z/s', '', $locale)) : $locale;
    }

    public static function loadTexts(): void
    {
        load_plugin_textdomain(self::DOMAIN, false, dirname(plugin_basename(TURNPIKE_WC_FILE)) . '/languages');
    }

    /** @param array<int, string|object> $gateways */
    public static function addGateway(array $gateways): array
    {
        $gateways[] = Gateway::class;
        return $gateways;
    }

    /** @param object $registry Automattic\WooCommerce\Blocks\Payments\PaymentMethodRegistry */
    public static function addBlock($registry): void
    {
        if (class_exists('Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType')) {
            $registry->register(new BlocksMethod());
        }
    }
}
