<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/** Makes the invoice of an order, once for each total, and finds it again. */
final class Invoices
{
    public const INVOICE = '_turnpike_invoice_id';
    public const FORMER = '_turnpike_former_invoices';
    private const ATTEMPT = '_turnpike_attempt';
    private const MOST_REFERENCES = 5;

    /**
     * The page on which the order is paid: that of its open invoice, or of a new one if the total changed or the last
     * one ended. Called under the order's lock.
     *
     * @throws ApiError
     * @throws \DomainException if money is under way for another total; its message is for the customer
     */
    public static function payPageOf(\WC_Order $order, string $returnUrl): string
    {
        $id = (string) $order->get_meta(self::INVOICE);
        if ($id !== '') {
            $invoice = Api::call('GET', '/invoices/' . rawurlencode($id));
            $isSame = self::isPriceOf($order, $invoice);
            if ($isSame && in_array($invoice['status'], ['OPEN', 'PARTIALLY_PAID', 'PROCESSING'], true)) {
                return self::pageOf($invoice);
            }
            if (in_array($invoice['status'], ['SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED'], true)) {
                return $returnUrl; // it is paid, and the webhook says so; a second invoice would be paid twice
            }
            self::leave($order, $invoice);
        }
        return self::pageOf(self::create($order, $returnUrl));
    }

    /** Whether this invoice asks for what the order costs now. */
    public static function isPriceOf(\WC_Order $order, array $invoice): bool
    {
        return Decimals::plain((string) ($invoice['amount'] ?? '')) === Decimals::plain(self::totalOf($order))
            && strtoupper((string) ($invoice['currency'] ?? '')) === strtoupper($order->get_currency());
    }

    private static function totalOf(\WC_Order $order): string
    {
        return (string) wc_format_decimal($order->get_total(), wc_get_price_decimals());
    }

    /** Ends an invoice that is to be replaced, so that nobody pays it any more. */
    private static function leave(\WC_Order $order, array $invoice): void
    {
        if ($invoice['status'] === 'OPEN') {
            try {
                Api::call('DELETE', '/invoices/' . rawurlencode($invoice['invoiceId']));
                $invoice['status'] = 'CANCELED';
            } catch (ApiError $error) {
                if ($error->errorCode !== '3005') {
                    throw $error;
                }
                $invoice = Api::call('GET', '/invoices/' . rawurlencode($invoice['invoiceId'])); // money came meanwhile
            }
        }
        $isReorged = ($invoice['exception'] ?? null) === 'REORGED';
        if ($isReorged || !in_array($invoice['status'], ['EXPIRED', 'FAILED', 'CANCELED'], true)) {
            $text = __('A payment for this order is already under way. Please contact the shop.', 'turnpike-for-woocommerce');
            throw new \DomainException($text);
        }
        $former = array_filter(explode(' ', (string) $order->get_meta(self::FORMER)));
        $order->update_meta_data(self::FORMER, implode(' ', array_merge($former, [$invoice['invoiceId']])));
        $order->delete_meta_data(self::INVOICE);
        $order->update_meta_data(self::ATTEMPT, (int) $order->get_meta(self::ATTEMPT) + 1);
        $order->save();
    }

    /**
     * The gateway takes a reference once and for good. The order's id is the first; one that is taken, by the order's
     * ended invoice or by another shop of the same merchant, is followed by the next.
     */
    private static function create(\WC_Order $order, string $returnUrl): array
    {
        for ($tries = 0;; $tries++) {
            $attempt = (int) $order->get_meta(self::ATTEMPT);
            $reference = $order->get_id() . ($attempt === 0 ? '' : '-' . ($attempt + 1));
            $body = self::bodyOf($order, $reference, $returnUrl);
            try {
                $invoice = Api::call('POST', '/invoices', $body, self::keyOf($body));
                break;
            } catch (ApiError $error) {
                if (!in_array($error->errorCode, ['3004', '2002'], true) || $tries >= self::MOST_REFERENCES) {
                    throw $error;
                }
                $order->update_meta_data(self::ATTEMPT, $attempt + 1);
            }
        }
        $order->update_meta_data(self::INVOICE, (string) $invoice['invoiceId']);
        $order->save();
        return $invoice;
    }

    private static function bodyOf(\WC_Order $order, string $reference, string $returnUrl): array
    {
        /* translators: %s: number of the order */
        $description = sprintf(__('Order %s', 'turnpike-for-woocommerce'), $order->get_order_number());
        $email = (string) $order->get_billing_email();
        return [
            'amount' => self::totalOf($order),
            'currency' => $order->get_currency(),
            'description' => substr($description, 0, 255),
            'merchantInvoiceId' => $reference,
            'returnUrl' => $returnUrl,
            'metadata' => ['merchantOrderId' => (string) $order->get_id(), 'shop' => home_url('/')],
        ] + (is_email($email) ? ['customerEmail' => $email] : []);
    }

    /** The order's and its total's: a second click and a lost answer make no second invoice. */
    private static function keyOf(array $body): string
    {
        $of = [$body['metadata']['shop'], $body['merchantInvoiceId'], $body['amount'], $body['currency']];
        return 'wc-' . substr(hash('sha256', implode("\n", $of)), 0, 48);
    }

    private static function pageOf(array $invoice): string
    {
        return esc_url_raw((string) $invoice['invoiceUrl'], ['https', 'http']);
    }
}
