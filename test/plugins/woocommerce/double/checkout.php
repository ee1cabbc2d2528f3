<?php

// The checkout, and the page after it, with the real ones' selectors. A cart of one product at 49.90 EUR.

add_action('template_redirect', static function (): void {
    if (($_GET['pagename'] ?? '') !== 'checkout') {
        return;
    }
    status_header(200);
    header('Content-Type: text/html; charset=utf-8');
    if (isset($_GET['order-received'])) {
        wc_double_received();
    } elseif ($_SERVER['REQUEST_METHOD'] === 'POST') {
        wc_double_place_order();
    } else {
        wc_double_checkout();
    }
    exit;
}, 0);

function wc_double_checkout(): void
{
    echo '<!doctype html><html><body><h1>Checkout</h1>';
    foreach ($GLOBALS['wc_double_notices'] ?? [] as $notice) {
        echo '<ul class="woocommerce-error"><li>' . wp_kses_post($notice) . '</li></ul>';
    }
    echo '<form method="post" class="checkout"><input id="billing_email" name="billing_email" />';
    wp_nonce_field('woocommerce-process_checkout');
    foreach (wc_double_gateways() as $gateway) {
        if ($gateway->is_available()) {
            printf(
                '<input type="radio" name="payment_method" id="payment_method_%1$s" value="%1$s" />' .
                '<label for="payment_method_%1$s">%2$s</label><div class="payment_box">%3$s</div>',
                esc_attr($gateway->id),
                $gateway->get_title(),
                wpautop($gateway->get_description())
            );
        }
    }
    echo '<button id="place_order">Place order</button></form>';
    WC_Double_Blocks::show();
    echo '</body></html>';
}

function wc_double_place_order(): void
{
    $again = (int) ($_GET['order-pay'] ?? 0); // the page that pays an order which was made before
    check_admin_referer('woocommerce-process_checkout');
    $gateway = wc_double_gateways()[$_POST['payment_method'] ?? ''] ?? null;
    if ($gateway === null || !$gateway->is_available()) {
        wp_die('Invalid payment method.');
    }
    $order = $again > 0 ? wc_get_order($again) : new WC_Order();
    if ($again === 0) {
        $order->set_total('49.90');
        $order->set_order_key('wc_order_' . wp_generate_password(13, false));
        $order->set_billing_email(sanitize_email(wp_unslash($_POST['billing_email'])));
        $order->save();
    }
    $order->set_payment_method($gateway->id);
    $order->set_payment_method_title($gateway->get_title());
    $order->save();
    $result = $gateway->process_payment($order->get_id());
    if ($result['result'] === 'success') {
        wp_redirect($result['redirect']); // to the gateway's host
        exit;
    }
    wc_double_checkout();
}

function wc_double_received(): void
{
    $order = wc_get_order((int) $_GET['order-received']);
    if (!$order || !hash_equals($order->get_order_key(), (string) ($_GET['key'] ?? ''))) {
        wp_die('No such order.');
    }
    printf('<!doctype html><h1>Order received</h1><p class="order-status">%s</p>', esc_html($order->get_status()));
}
