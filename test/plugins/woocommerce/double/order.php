<?php

// Orders and refunds: statuses with notes, payment_complete() from the statuses that the real one takes.

class WC_Order extends WC_Data
{
    protected $data = ['type' => 'shop_order', 'status' => 'pending', 'currency' => 'EUR', 'total' => '0',
        'payment_method' => '', 'payment_method_title' => '', 'transaction_id' => '', 'billing_email' => '',
        'order_key' => '', 'date_paid' => null];
    private $transition = null;

    public function __construct(array $row = [])
    {
        $this->id = (int) ($row['id'] ?? 0);
        $this->data = array_intersect_key($row, $this->data) + $this->data;
    }

    public function __call($name, $arguments)
    {
        $key = substr($name, 4);
        if (strpos($name, 'get_') === 0 && array_key_exists($key, $this->data)) {
            return $this->data[$key];
        }
        if (strpos($name, 'set_') === 0 && array_key_exists($key, $this->data)) {
            $this->data[$key] = $arguments[0];
            return null;
        }
        throw new BadMethodCallException($name);
    }

    public function get_order_number()
    {
        return (string) $this->id;
    }

    public function has_status($status)
    {
        return in_array($this->data['status'], (array) $status, true);
    }

    public function get_checkout_order_received_url()
    {
        $arguments = ['order-received' => $this->id, 'key' => $this->data['order_key']];
        return add_query_arg($arguments, wc_get_checkout_url());
    }

    public function set_status($new_status, $note = '')
    {
        if ($new_status !== $this->data['status']) {
            $this->transition = ['from' => $this->data['status'], 'to' => $new_status, 'note' => $note];
            $this->data['status'] = $new_status;
            if (in_array($new_status, ['processing', 'completed'], true) && !$this->data['date_paid']) {
                $this->data['date_paid'] = time();
            }
        }
    }

    public function update_status($new_status, $note = '')
    {
        $this->set_status($new_status, $note);
        $this->save();
        return true;
    }

    public function save()
    {
        parent::save();
        $transition = $this->transition;
        $this->transition = null;
        if ($transition !== null) {
            do_action("woocommerce_order_status_{$transition['to']}", $this->id, $this);
            $text = "Order status changed from {$transition['from']} to {$transition['to']}.";
            $this->add_order_note(trim("{$transition['note']} $text"));
            do_action('woocommerce_order_status_changed', $this->id, $transition['from'], $transition['to'], $this);
        }
        return $this->id;
    }

    public function payment_complete($transaction_id = '')
    {
        try {
            do_action('woocommerce_pre_payment_complete', $this->id, $transaction_id);
            if ($this->has_status(['on-hold', 'pending', 'failed', 'cancelled'])) {
                $this->data['transaction_id'] = $transaction_id;
                $this->set_status('processing');
                $this->save();
                do_action('woocommerce_payment_complete', $this->id, $transaction_id);
            }
        } catch (Exception $error) {
            return false;
        }
        return true;
    }

    public function add_order_note($note)
    {
        return wp_insert_comment(['comment_post_ID' => $this->id, 'comment_content' => wp_slash($note),
            'comment_type' => 'order_note', 'comment_agent' => 'WooCommerce', 'comment_approved' => 1]);
    }

    public function get_refunds()
    {
        global $wpdb;
        $sql = "SELECT * FROM {$wpdb->prefix}wc_orders WHERE parent_id = %d ORDER BY id DESC";
        return array_map(static fn ($row) => new WC_Order_Refund($row), $wpdb->get_results($wpdb->prepare($sql, $this->id), ARRAY_A));
    }

    public function get_remaining_refund_amount()
    {
        $refunded = array_sum(array_map(static fn ($refund) => (float) $refund->get_amount(), $this->get_refunds()));
        return wc_format_decimal((float) $this->data['total'] - $refunded, 2);
    }
}

class WC_Order_Refund extends WC_Data
{
    public function __construct(array $row = [])
    {
        $this->id = (int) ($row['id'] ?? 0);
        $own = ['type' => 'shop_order_refund', 'status' => 'completed', 'parent_id' => 0, 'total' => '0',
            'refunded_payment' => 0, 'reason' => ''];
        $this->data = array_intersect_key($row, $own) + $own;
    }

    public function get_amount()
    {
        return $this->data['total'];
    }

    public function get_refunded_payment()
    {
        return (bool) $this->data['refunded_payment'];
    }

    public function set_refunded_payment($value)
    {
        $this->data['refunded_payment'] = (int) $value;
    }
}
