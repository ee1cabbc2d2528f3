<?php

// Rows with metadata in tables of their own. What is set is kept in the object until save().

abstract class WC_Data
{
    protected $id = 0;
    protected $data = [];
    private $meta = null;
    private $removed = [];

    public function get_id()
    {
        return $this->id;
    }

    /** Metadata is read once, and again if that is forced. */
    public function read_meta_data($force_read = false)
    {
        global $wpdb;
        if ($this->meta !== null && !$force_read) {
            return;
        }
        $sql = "SELECT meta_key, meta_value FROM {$wpdb->prefix}wc_orders_meta WHERE order_id = %d";
        $this->meta = array_column($wpdb->get_results($wpdb->prepare($sql, $this->id), ARRAY_A), 'meta_value', 'meta_key');
        $this->removed = [];
    }

    public function get_meta($key)
    {
        $this->read_meta_data();
        return $this->meta[$key] ?? '';
    }

    public function update_meta_data($key, $value)
    {
        $this->read_meta_data();
        $this->meta[$key] = (string) $value;
        unset($this->removed[$key]);
    }

    public function delete_meta_data($key)
    {
        $this->read_meta_data();
        unset($this->meta[$key]);
        $this->removed[$key] = true;
    }

    public function save()
    {
        global $wpdb;
        $orders = "{$wpdb->prefix}wc_orders";
        if ($this->id === 0) {
            $this->read_meta_data();
            $wpdb->insert($orders, $this->data);
            $this->id = (int) $wpdb->insert_id;
        } else {
            $wpdb->update($orders, $this->data, ['id' => $this->id]);
        }
        foreach ($this->meta ?? [] as $key => $value) {
            $row = ['order_id' => $this->id, 'meta_key' => $key, 'meta_value' => $value];
            $wpdb->replace("{$wpdb->prefix}wc_orders_meta", $row);
        }
        foreach (array_keys($this->removed) as $key) {
            $wpdb->delete("{$wpdb->prefix}wc_orders_meta", ['order_id' => $this->id, 'meta_key' => $key]);
        }
        return $this->id;
    }

    public function delete()
    {
        global $wpdb;
        $wpdb->delete("{$wpdb->prefix}wc_orders", ['id' => $this->id]);
    }
}

function wc_double_install(): void
{
    global $wpdb;
    $wpdb->query("CREATE TABLE IF NOT EXISTS {$wpdb->prefix}wc_orders (
        id bigint PRIMARY KEY AUTO_INCREMENT, type varchar(20), status varchar(20), currency varchar(10),
        total decimal(26,8), parent_id bigint DEFAULT 0, payment_method varchar(100) DEFAULT '',
        payment_method_title text, transaction_id varchar(100) DEFAULT '', billing_email varchar(320) DEFAULT '',
        order_key varchar(100) DEFAULT '', date_paid bigint NULL, refunded_payment tinyint DEFAULT 0, reason text)");
    $wpdb->query("CREATE TABLE IF NOT EXISTS {$wpdb->prefix}wc_orders_meta (
        order_id bigint, meta_key varchar(191), meta_value longtext, PRIMARY KEY (order_id, meta_key))");
}
