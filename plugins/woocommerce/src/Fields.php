<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/** The fields of the settings page. */
final class Fields
{
    /** @return array<string, array<string, mixed>> as WC_Settings_API takes them */
    public static function all(): array
    {
        return [
            'enabled' => [
                'title' => __('Enable', 'turnpike-for-woocommerce'),
                'type' => 'checkbox',
                'label' => __('Offer payment in coins', 'turnpike-for-woocommerce'),
                'default' => 'no',
            ],
            'title' => [
                'title' => __('Title', 'turnpike-for-woocommerce'),
                'type' => 'text',
                'description' => __('What customers see at the checkout.', 'turnpike-for-woocommerce'),
                'default' => __('Pay with coins', 'turnpike-for-woocommerce'),
            ],
            'description' => [
                'title' => __('Description', 'turnpike-for-woocommerce'),
                'type' => 'textarea',
                'description' => __('The text below the title.', 'turnpike-for-woocommerce'),
                'default' => __('You choose the coin on the next page.', 'turnpike-for-woocommerce'),
            ],
            'gateway_url' => [
                'title' => __('Address of the gateway', 'turnpike-for-woocommerce'),
                'type' => 'text',
                'description' => __('Such as https://pay.example, without a path.', 'turnpike-for-woocommerce'),
            ],
            'key_id' => [
                'title' => __('API key', 'turnpike-for-woocommerce'),
                'type' => 'text',
                'description' => __('The id of a key that you make for this shop alone. It begins with pk_.', 'turnpike-for-woocommerce'),
            ],
            'secret' => [
                'title' => __('Secret of the API key', 'turnpike-for-woocommerce'),
                'type' => 'turnpike_secret',
                'description' => __('It begins with sk_. Once saved it is not shown again; left empty, it stays as it is.', 'turnpike-for-woocommerce'),
            ],
            'test' => [
                'title' => __('Connection', 'turnpike-for-woocommerce'),
                'type' => 'turnpike_test',
                'description' => __('Save first. The test signs in, compares permissions, and sets up the webhook.', 'turnpike-for-woocommerce'),
            ],
        ];
    }

    /** @param array<string, mixed> $data */
    public static function secretHtml(string $name, array $data, bool $isStored): string
    {
        $placeholder = $isStored ? __('stored', 'turnpike-for-woocommerce') : '';
        return sprintf(
            '<tr valign="top"><th scope="row" class="titledesc"><label for="%1$s">%2$s</label></th><td class="forminp">' .
            '<input class="input-text regular-input" type="password" autocomplete="new-password" id="%1$s" name="%1$s" ' .
            'value="" placeholder="%3$s" /><p class="description">%4$s</p></td></tr>',
            esc_attr($name),
            esc_html($data['title']),
            esc_attr($placeholder),
            esc_html($data['description'])
        );
    }
}
