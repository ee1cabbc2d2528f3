<?php

// Commands on the test's shop: php shop.php <folder> install <url> | activate | products | order <id> | status <id> <word>
// | total <id> <amount> | method <id> <name> | throws <yes or nothing> | settings | language <locale> | later <seconds>.
// Each prints one line of JSON last.

[, $site, $command] = $argv;
$_SERVER['HTTP_HOST'] = '127.0.0.1';
$_SERVER['REQUEST_METHOD'] = 'GET';
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
if ($command === 'install') {
    define('WP_INSTALLING', true);
}
require "$site/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';

function shop_install(string $url): array
{
    add_filter('pre_wp_mail', '__return_true');
    wp_install('Kettle', 'admin', 'admin@shop.example', false, '', 'correct horse battery');
    return ['url' => $url];
}

function shop_activate(): array
{
    foreach (['woocommerce/woocommerce.php', 'turnpike-for-woocommerce/turnpike-for-woocommerce.php'] as $plugin) {
        $result = activate_plugin($plugin);
        if (is_wp_error($result)) {
            throw new RuntimeException($result->get_error_message());
        }
    }
    foreach (['manage_woocommerce', 'edit_shop_orders'] as $capability) {
        get_role('administrator')->add_cap($capability);
    }
    return ['ok' => true];
}

/** With the real WooCommerce there has to be a product and a page; the double has one product always. */
function shop_products(): array
{
    $id = 1;
    if (class_exists('WC_Product_Simple')) {
        WC_Install::create_pages();
        foreach (['currency' => 'EUR', 'coming_soon' => 'no', 'custom_orders_table_enabled' => 'yes'] as $name => $value) {
            update_option("woocommerce_$name", $value);
        }
        $page = wc_get_page_id('checkout');
        wp_update_post(['ID' => $page, 'post_content' => '[woocommerce_checkout]']);
        $product = new WC_Product_Simple();
        $product->set_name('Two tins of Assam');
        $product->set_regular_price('49.90');
        $id = $product->save();
    }
    $webhook = Turnpike\WooCommerce\Webhook::url();
    return ['checkoutUrl' => wc_get_checkout_url(), 'addToCartUrl' => home_url("/?add-to-cart=$id"), 'webhookUrl' => $webhook];
}

function shop_order(int $id): array
{
    $order = wc_get_order($id);
    remove_filter('comments_clauses', ['WC_Comments', 'exclude_order_comments']);
    $notes = get_comments(['post_id' => $id, 'type' => 'order_note', 'orderby' => 'comment_ID', 'order' => 'ASC']);
    return [
        'status' => $order->get_status(),
        'transactionId' => $order->get_transaction_id(),
        'isPaid' => (bool) $order->get_date_paid(),
        'method' => $order->get_payment_method_title(),
        'invoice' => $order->get_meta('_turnpike_invoice_id'),
        'notes' => array_map(static fn ($note) => wp_strip_all_tags($note->comment_content), $notes),
    ];
}

function shop_change(int $id, string $what, string $value): array
{
    $order = wc_get_order($id);
    $order->{"set_$what"}($value);
    $order->save();
    return ['ok' => true];
}

/** The texts of the plugin as a site in this language has them. */
function shop_language(string $locale): array
{
    switch_to_locale($locale);
    unload_textdomain('turnpike-for-woocommerce');
    add_filter('locale', static fn () => $locale, 99);
    add_filter('determine_locale', static fn () => $locale, 99);
    Turnpike\WooCommerce\Plugin::loadTexts();
    return ['text' => __('Test the connection', 'turnpike-for-woocommerce')];
}

/** As if so much time had passed for the secrets of webhooks. */
function shop_later(int $seconds): array
{
    delete_transient('turnpike_wc_read_again');
    $kept = get_option('turnpike_wc_webhook');
    foreach ($kept['secrets'] as &$entry) {
        $entry['until'] -= $entry['until'] === 0 ? 0 : $seconds;
    }
    return ['ok' => update_option('turnpike_wc_webhook', $kept, false)];
}

$rest = array_slice($argv, 3);
$commands = [
    'install' => static fn () => shop_install($rest[0]),
    'activate' => static fn () => shop_activate(),
    'products' => static fn () => shop_products(),
    'order' => static fn () => shop_order((int) $rest[0]),
    'status' => static fn () => shop_change((int) $rest[0], 'status', $rest[1]),
    'total' => static fn () => shop_change((int) $rest[0], 'total', $rest[1]),
    'method' => static fn () => shop_change((int) $rest[0], 'payment_method', $rest[1]),
    'throws' => static fn () => ['ok' => update_option('shop_hook_throws', $rest[0])],
    // What WooCommerce's own API shows of a way to pay.
    'settings' => static fn () => ['settings' => get_option('woocommerce_turnpike_settings')],
    'later' => static fn () => shop_later((int) $rest[0]),
    'language' => static fn () => shop_language($rest[0]),
];
echo "\n" . json_encode($commands[$command](), JSON_UNESCAPED_UNICODE);
