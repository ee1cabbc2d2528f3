<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/**
 * Refunds of the order's page. The gateway refunds in the coin of one payment, to an address that the customer names:
 * the address that paid may belong to an exchange.
 */
final class Refunds
{
    /** A refund whose outcome is not known, as it was asked for. */
    private const OPEN = '_turnpike_open_refund';

    /**
     * @param string $amount in the shop's currency
     * @return true|\WP_Error
     */
    public static function refund(\WC_Order $order, string $amount)
    {
        $id = (string) $order->get_meta(Invoices::INVOICE);
        if ($id === '' || Decimals::compare($amount, '0') <= 0) {
            return self::fault(__('There is nothing to refund.', 'turnpike-for-woocommerce'));
        }
        $open = json_decode((string) $order->get_meta(self::OPEN), true);
        $isRepeated = is_array($open);
        if (is_array($open) && Decimals::compare($open['for'], $amount) !== 0) {
            /* translators: %s: amount */
            $text = __('It is not known yet whether the last refund was made. Refund %s again first.', 'turnpike-for-woocommerce');
            return self::fault(sprintf($text, $open['for']));
        }
        try {
            if (is_array($open) && $open['at'] < time() - DAY_IN_SECONDS) {
                if (self::wasMade($open)) {
                    self::close($order);
                    return true;
                }
                $open = null;
                $isRepeated = false;
            }
            if (!is_array($open)) {
                $open = self::plan($order, Api::call('GET', '/invoices/' . rawurlencode($id)), $amount);
                if (is_wp_error($open)) {
                    return $open;
                }
                $order->update_meta_data(self::OPEN, wp_json_encode($open));
                $order->save();
            }
            return self::send($order, $open);
        } catch (ApiError $error) {
            // What was refused at once was not sent. What was asked for before may have been: a key or an address that is
            // refused now says nothing of it.
            if ($isRepeated ? $error->isJudged() : !$error->isUnclear()) {
                self::close($order);
            }
            return self::fault(self::explain($error));
        }
    }

    /**
     * Which payment gives how many coins: the value at the rate at which the customer's money was counted, rounded down.
     *
     * @return array{for: string, at: int, key: string, payment: string, known: string[], body: array<string, string>,
     *     words: string}|\WP_Error
     */
    private static function plan(\WC_Order $order, array $invoice, string $amount)
    {
        $best = null;
        foreach ($invoice['payments'] ?? [] as $payment) {
            $left = Decimals::subtract($payment['amountConfirmed'], $payment['amountRefunded']);
            $coins = self::coinsOf($payment, $amount);
            $isWhole = Decimals::compare($amount, Decimals::plain((string) $payment['valueConfirmed'])) >= 0;
            if (Decimals::compare($coins, $left) > 0 && $isWhole && Decimals::compare($left, '0') > 0) {
                $short = Decimals::subtract($coins, $left);
                // What is short is the rounding of the price, and not another coin's part.
                $coins = Decimals::compare(Decimals::divide($short, $coins, 8), '0.001') <= 0 ? $left : $coins;
            }
            if (Decimals::compare($left, $coins) >= 0 && Decimals::compare($coins, '0') > 0) {
                $best = $payment + ['coins' => $coins];
            }
        }
        if ($best === null) {
            return self::fault(__('No single payment of this order covers that amount. Refund less.', 'turnpike-for-woocommerce'));
        }
        $network = (string) $best['network'];
        $address = RefundAddress::of($order, $network);
        if ($address === '') {
            /* translators: 1: coin, 2: network */
            $text = __('Ask the customer for an address that takes %1$s on %2$s. Enter it in the box "Refund in coins" of this order, save it, and refund again.', 'turnpike-for-woocommerce');
            return self::fault(sprintf($text, $best['currency'], $network));
        }
        return [
            'for' => $amount,
            'at' => time(),
            'key' => self::keyOf($order),
            'payment' => (string) $best['orderId'],
            'known' => array_column(self::refundsOf((string) $best['orderId']), 'refundId'),
            'body' => ['address' => $address, 'amount' => $best['coins']],
            'words' => $best['coins'] . ' ' . $best['currency'] . ' (' . $network . ')',
        ];
    }

    /** A value in coins, at the rate at which they were counted; at the mean where parts came at different ones. */
    private static function coinsOf(array $payment, string $amount): string
    {
        $decimals = self::decimalsOf($payment);
        $rates = array_unique(array_column($payment['transactions'] ?? [], 'rate'));
        $value = Decimals::plain((string) $payment['valueConfirmed']);
        if (count($rates) > 1 && Decimals::compare($value, '0') > 0) {
            return Decimals::divide(Decimals::multiply($amount, $payment['amountConfirmed']), $value, $decimals);
        }
        return Decimals::divide($amount, (string) ($rates[0] ?? $payment['rate']), $decimals);
    }

    /** Of the coin, at most eight: as the gateway rounds what it asks for. */
    private static function decimalsOf(array $payment): int
    {
        foreach (Api::call('GET', '/currencies')['items'] ?? [] as $asset) {
            if ($asset['currency'] === $payment['currency'] && $asset['network'] === $payment['network']) {
                return min(8, (int) $asset['decimals']);
            }
        }
        return 6;
    }

    /** WooCommerce has saved the refund before it asks: the newest one that is not paid out is this one. */
    private static function keyOf(\WC_Order $order): string
    {
        $refunds = array_filter($order->get_refunds(), static fn ($refund): bool => !$refund->get_refunded_payment());
        $ids = array_map(static fn ($refund): int => $refund->get_id(), $refunds);
        $of = $ids === [] ? bin2hex(random_bytes(8)) : (string) max($ids);
        return 'wc-refund-' . substr(hash('sha256', home_url('/') . "\n" . $order->get_id() . "\n$of"), 0, 40);
    }

    /** The gateway keeps a key for two days: what is older than one is looked for among its refunds. */
    private static function wasMade(array $open): bool
    {
        foreach (self::refundsOf($open['payment']) as $refund) {
            $isSame = Decimals::compare((string) $refund['amount'], $open['body']['amount']) === 0;
            $isNew = !in_array($refund['refundId'], $open['known'], true);
            $isGone = in_array($refund['status'], ['FAILED', 'REJECTED'], true);
            if ($isSame && $isNew && !$isGone && ($refund['address'] ?? '') === $open['body']['address']) {
                return true;
            }
        }
        return false;
    }

    /** @return array<int, array<string, mixed>> the newest hundred */
    private static function refundsOf(string $payment): array
    {
        return Api::call('GET', '/refunds?limit=100&paymentId=' . rawurlencode($payment))['items'] ?? [];
    }

    private static function send(\WC_Order $order, array $open): bool
    {
        $path = '/payments/' . rawurlencode($open['payment']) . '/refund';
        $made = Api::call('POST', $path, $open['body'], $open['key']);
        self::close($order);
        /* translators: 1: amount, coin and network, 2: id of the refund */
        $text = __('Turnpike: refund of %1$s asked for (%2$s).', 'turnpike-for-woocommerce');
        $order->add_order_note(sprintf($text, $open['words'], sanitize_text_field((string) $made['refundId'])));
        return true;
    }

    private static function close(\WC_Order $order): void
    {
        $order->delete_meta_data(self::OPEN);
        $order->save();
    }

    private static function explain(ApiError $error): string
    {
        if ($error->isUnclear()) {
            return __('The gateway has not answered clearly. Refund the same amount again: it is sent once.', 'turnpike-for-woocommerce');
        }
        $known = [
            '4001' => __('The balance in this coin does not cover the refund: the fee of the payment is not given back.', 'turnpike-for-woocommerce'),
            '4002' => __('This is not an address on that network. Ask the customer again.', 'turnpike-for-woocommerce'),
            '4003' => __('The amount is too small to be sent.', 'turnpike-for-woocommerce'),
        ];
        return $known[$error->errorCode] ?? $error->getMessage();
    }

    private static function fault(string $text): \WP_Error
    {
        return new \WP_Error('turnpike_refund', $text);
    }
}
