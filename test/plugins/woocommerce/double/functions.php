<?php

// Functions of WooCommerce that plugins call.

/** Stands for another plugin whose hook throws: the test switches it. */
add_action('woocommerce_pre_payment_complete', static function (): void {
    if (get_option('shop_hook_throws')) {
        throw new RuntimeException('another plugin');
    }
});

function wc_get_order($id)
{
    global $wpdb;
    if ($id instanceof WC_Order) {
        return $id;
    }
    $sql = "SELECT * FROM {$wpdb->prefix}wc_orders WHERE id = %d AND type = 'shop_order'";
    $row = $wpdb->get_row($wpdb->prepare($sql, $id), ARRAY_A);
    return $row ? new WC_Order($row) : false;
}

function wc_format_decimal($number, $decimals = false)
{
    return $decimals === false ? (string) $number : number_format(round((float) $number, $decimals), $decimals, '.', '');
}

function wc_get_price_decimals()
{
    return 2;
}

function wc_get_checkout_url()
{
    return home_url('/?pagename=checkout');
}

function wc_get_logger()
{
    return new WC_Logger();
}

function wc_add_notice($message, $type = 'success')
{
    $GLOBALS['wc_double_notices'][] = $message;
}

/** Saves the refund first, then asks the gateway, and removes it again if the gateway refuses: as the real one. */
function wc_create_refund(array $args)
{
    $order = wc_get_order($args['order_id']);
    if ($args['amount'] <= 0 || $args['amount'] > $order->get_remaining_refund_amount()) {
        return new WP_Error('error', 'Invalid refund amount.');
    }
    $refund = new WC_Order_Refund(['parent_id' => $order->get_id(), 'total' => $args['amount'], 'reason' => $args['reason']]);
    $refund->save();
    $result = wc_double_gateways()[$order->get_payment_method()]->process_refund($order->get_id(), $args['amount'], $args['reason']);
    if (is_wp_error($result) || !$result) {
        $refund->delete();
        return is_wp_error($result) ? $result : new WP_Error('error', 'An error occurred.');
    }
    $refund->set_refunded_payment(true);
    $refund->save();
    if ((float) $order->get_remaining_refund_amount() <= 0) {
        wc_get_order($order->get_id())->update_status('refunded');
    }
    return $refund;
}

function wc_double_gateways(): array
{
    static $gateways = null;
    if ($gateways === null) {
        foreach (apply_filters('woocommerce_payment_gateways', []) as $class) {
            $gateway = is_string($class) ? new $class() : $class;
            $gateways[$gateway->id] = $gateway;
        }
    }
    return $gateways ?? [];
}

class WC_Logger
{
    public function error($message, $context = [])
    {
        $this->write('error', $message, $context);
    }

    public function warning($message, $context = [])
    {
        $this->write('warning', $message, $context);
    }

    private function write(string $level, $message, array $context): void
    {
        $line = "$level {$context['source']}: $message\n";
        file_put_contents(WP_CONTENT_DIR . '/wc.log', $line, FILE_APPEND | LOCK_EX);
    }
}
