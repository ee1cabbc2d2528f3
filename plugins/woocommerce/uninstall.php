<?php

/**
 * Removes what the plugin has stored by itself: settings, secrets and its tables. What orders say of their payment
 * stays, because it belongs to the shop's books.
 *
 * @package Turnpike\WooCommerce
 */

defined('WP_UNINSTALL_PLUGIN') || exit;

global $wpdb;
foreach (['woocommerce_turnpike_settings', 'turnpike_wc_webhook', 'turnpike_wc_schema'] as $turnpike_option) {
    delete_option($turnpike_option);
}
delete_transient('turnpike_wc_token');
wp_clear_scheduled_hook('turnpike_wc_daily');
foreach (['turnpike_wc_events', 'turnpike_wc_locks'] as $turnpike_table) {
    // The names are constants of this file.
    $wpdb->query("DROP TABLE IF EXISTS {$wpdb->prefix}{$turnpike_table}"); // phpcs:ignore WordPress.DB
}
