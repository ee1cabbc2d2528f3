<?php

// What a way to pay inherits, as WC_Payment_Gateway has it.

abstract class WC_Payment_Gateway extends WC_Settings_API
{
    public $enabled = 'yes';
    public $title;
    public $description;
    public $method_title = '';
    public $method_description = '';
    public $has_fields;
    public $supports = ['products'];

    public function init_settings()
    {
        parent::init_settings();
        $this->enabled = ($this->settings['enabled'] ?? '') === 'yes' ? 'yes' : 'no';
    }

    public function is_available()
    {
        return $this->enabled === 'yes';
    }

    public function get_title()
    {
        return apply_filters('woocommerce_gateway_title', wp_kses_post((string) $this->title), $this->id);
    }

    public function get_description()
    {
        return apply_filters('woocommerce_gateway_description', wp_kses_post($this->description), $this->id);
    }

    public function get_return_url($order = null)
    {
        return apply_filters('woocommerce_get_return_url', $order->get_checkout_order_received_url(), $order);
    }

    public function supports($feature)
    {
        return in_array($feature, $this->supports, true);
    }

    public function needs_setup()
    {
        return false;
    }

    public function process_payment($order_id)
    {
        return [];
    }

    public function process_refund($order_id, $amount = null, $reason = '')
    {
        return false;
    }
}
