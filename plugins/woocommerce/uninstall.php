<?php

/**
 * Removes what the plugin has stored by itself: settings, secrets and its tables. What orders say of their payment
 * stays, because it belongs to the shop's books.
 *
 * @package Turnpike\WooCommerce
 */

defined('WP_UNINSTALL_PLUGIN') || exit;

$turnpike_clear = static function (): void {
    global $wpdb;
    $options = ['woocommerce_turnpike_settings', 'turnpike_wc_secret', 'turnpike_wc_webhook', 'turnpike_wc_schema'];
    foreach ($options as $option) {
        delete_option($option);
    }
    delete_transient('turnpike_wc_token');
    delete_transient('turnpike_wc_read_again');
    wp_clear_scheduled_hook('turnpike_wc_daily');
    foreach (['turnpike_wc_events', 'turnpike_wc_locks'] as $table) {
        // The names are constants of this file.
        $wpdb->query("DROP TABLE IF EXISTS {$wpdb->prefix}{$table}"); // phpcs:ignore WordPress.DB
    }
};

// In a network this runs once, for all of its sites.
if (!is_multisite()) {
    $turnpike_clear();
} else {
    foreach (get_sites(['fields' => 'ids', 'number' => 0]) as $turnpike_site) {
        switch_to_blog($turnpike_site);
        $turnpike_clear();
        restore_current_blog();
    }
}
