<?php

/**
 * Plugin Name: Turnpike for WooCommerce
 * Description: Take payments in coins through a Turnpike gateway. Prices stay in the currency of your shop.
 * Version: 0.2.0
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * License: MIT
 * Text Domain: turnpike-for-woocommerce
 * Domain Path: /languages
 * WC requires at least: 7.1
 *
 * @package Turnpike\WooCommerce
 */

defined('ABSPATH') || exit;

define('TURNPIKE_WC_FILE', __FILE__);
define('TURNPIKE_WC_VERSION', '0.2.0');

spl_autoload_register(
    static function (string $class): void {
        $prefix = 'Turnpike\\WooCommerce\\';
        if (strncmp($class, $prefix, strlen($prefix)) !== 0) {
            return;
        }
        $file = __DIR__ . '/src/' . substr($class, strlen($prefix)) . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
);

register_activation_hook(__FILE__, [Turnpike\WooCommerce\Store::class, 'install']);
register_deactivation_hook(__FILE__, [Turnpike\WooCommerce\Connection::class, 'unschedule']);
Turnpike\WooCommerce\Plugin::start();
