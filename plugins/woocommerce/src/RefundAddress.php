<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/**
 * The box on the order's page for the address that a refund goes to. The shop's people enter it: a form for customers
 * would send money to anybody who gets hold of the order's link.
 */
final class RefundAddress
{
    private const META = '_turnpike_refund_address';
    private const FIELD = 'turnpike_refund_address';
    private const NONCE = 'turnpike_refund_nonce';

    public static function start(): void
    {
        add_action('woocommerce_admin_order_data_after_billing_address', [self::class, 'show']);
        add_action('woocommerce_process_shop_order_meta', [self::class, 'save'], 20, 1);
    }

    public static function of(\WC_Order $order, string $network): string
    {
        $kept = json_decode((string) $order->get_meta(self::META), true);
        // An address is for the network that it was entered for.
        return is_array($kept) && ($kept['network'] ?? '') === $network ? (string) $kept['address'] : '';
    }

    /** @param \WC_Order $order */
    public static function show($order): void
    {
        if (!$order instanceof \WC_Order || $order->get_payment_method() !== Gateway::ID) {
            return;
        }
        $kept = json_decode((string) $order->get_meta(self::META), true);
        $kept = is_array($kept) ? $kept : ['network' => '', 'address' => ''];
        $row = '<p class="form-field form-field-wide"><label for="%1$s">%2$s</label>' .
            '<input type="text" id="%1$s" name="%1$s" value="%3$s" autocomplete="off" /></p>';
        echo '<h3>' . esc_html__('Refund in coins', 'turnpike-for-woocommerce') . '</h3>';
        wp_nonce_field(self::FIELD . $order->get_id(), self::NONCE);
        $network = __('Network, such as ETH or TRON', 'turnpike-for-woocommerce');
        $address = __('Address that the customer named', 'turnpike-for-woocommerce');
        printf($row, esc_attr(self::FIELD . '_network'), esc_html($network), esc_attr($kept['network'])); // phpcs:ignore
        printf($row, esc_attr(self::FIELD), esc_html($address), esc_attr($kept['address'])); // phpcs:ignore
    }

    /** @param int $orderId */
    public static function save($orderId): void
    {
        $nonce = isset($_POST[self::NONCE]) ? sanitize_key(wp_unslash($_POST[self::NONCE])) : '';
        $order = wc_get_order($orderId);
        if (!wp_verify_nonce($nonce, self::FIELD . $orderId) || !$order instanceof \WC_Order) {
            return;
        }
        if (!current_user_can('edit_shop_orders')) {
            return;
        }
        $kept = [
            'network' => strtoupper(sanitize_text_field(wp_unslash($_POST[self::FIELD . '_network'] ?? ''))),
            'address' => sanitize_text_field(wp_unslash($_POST[self::FIELD] ?? '')),
        ];
        if ($kept['address'] === '') {
            $order->delete_meta_data(self::META);
        } elseif (strlen($kept['address']) <= 128 && strlen($kept['network']) <= 16) {
            $order->update_meta_data(self::META, wp_json_encode($kept));
        }
        $order->save();
    }
}
