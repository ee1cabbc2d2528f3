<?php

// Pages of the admin with the real ones' addresses and selectors: settings of a way to pay, and an order.

class WC_Admin_Settings
{
    public static function add_error($text)
    {
        $GLOBALS['wc_double_errors'][] = $text;
    }
}

add_action('admin_menu', static function (): void {
    add_menu_page('Settings', 'Woo settings', 'manage_woocommerce', 'wc-settings', 'wc_double_settings_page');
    add_menu_page('Orders', 'Woo orders', 'edit_shop_orders', 'wc-orders', 'wc_double_order_page');
});

add_action('admin_init', static function (): void {
    wc_double_gateways();
    if (($_GET['page'] ?? '') === 'wc-settings' && isset($_POST['save'])) {
        check_admin_referer('woocommerce-settings');
        current_user_can('manage_woocommerce') || wp_die('no');
        do_action('woocommerce_update_options_payment_gateways_' . sanitize_key($_GET['section']));
    }
    if (($_GET['page'] ?? '') === 'wc-orders' && $_SERVER['REQUEST_METHOD'] === 'POST') {
        check_admin_referer('wc-order');
        current_user_can('edit_shop_orders') || wp_die('no');
        wc_double_change_order((int) $_GET['id']);
    }
});

function wc_double_change_order(int $id): void
{
    if (isset($_POST['save'])) {
        do_action('woocommerce_process_shop_order_meta', $id, wc_get_order($id));
        return;
    }
    $arguments = ['order_id' => $id, 'amount' => wc_format_decimal($_POST['refund_amount'], 2), 'reason' => ''];
    $result = wc_create_refund($arguments);
    if (is_wp_error($result)) {
        WC_Admin_Settings::add_error($result->get_error_message());
    }
}

function wc_double_errors(): void
{
    foreach ($GLOBALS['wc_double_errors'] ?? [] as $error) {
        echo '<div class="error inline"><p>' . esc_html($error) . '</p></div>';
    }
}

function wc_double_settings_page(): void
{
    wc_double_errors();
    echo '<form method="post" id="mainform">';
    wp_nonce_field('woocommerce-settings');
    $gateway = wc_double_gateways()[sanitize_key($_GET['section'])];
    $gateway->init_settings();
    $gateway->admin_options();
    echo '<button name="save" value="Save changes" class="woocommerce-save-button">Save changes</button></form>';
}

function wc_double_order_page(): void
{
    $order = wc_get_order((int) $_GET['id']);
    wc_double_errors();
    echo '<form method="post"><h1>Order ' . esc_html($order->get_order_number()) . '</h1>';
    wp_nonce_field('wc-order');
    echo '<p id="order_status">' . esc_html($order->get_status()) . '</p>';
    do_action('woocommerce_admin_order_data_after_billing_address', $order);
    echo '<button name="save" value="1" class="save_order">Update</button>';
    echo '<input id="refund_amount" name="refund_amount" />';
    echo '<button name="refund" value="1" class="do-api-refund">Refund</button></form><ul class="order_notes">';
    $comments = get_comments(['post_id' => $order->get_id(), 'type' => 'order_note', 'orderby' => 'comment_ID']);
    foreach ($comments as $comment) {
        echo '<li class="note">' . wp_kses_post($comment->comment_content) . '</li>';
    }
    echo '</ul>';
}
