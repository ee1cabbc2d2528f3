<?php

/**
 * Plugin Name: WooCommerce (a double for the tests of Turnpike's plugin)
 * Version: 7.1.0
 *
 * The few classes and pages of WooCommerce that the plugin meets, written anew after what the real ones do: the same
 * names, hooks, defaults and order of steps. Orders lie in tables of their own, as they do with HPOS.
 */

defined('ABSPATH') || exit;

foreach (['settings-api', 'gateway', 'data', 'order', 'functions', 'checkout', 'admin', 'blocks'] as $part) {
    require __DIR__ . "/$part.php";
}

add_action('plugins_loaded', static function (): void {
    do_action('before_woocommerce_init');
}, -1);

add_action('init', static function (): void {
    do_action('woocommerce_init');
    do_action('woocommerce_blocks_payment_method_type_registration', WC_Double_Blocks::registry());
}, 0);

register_activation_hook(__FILE__, 'wc_double_install');
