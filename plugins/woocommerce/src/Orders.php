<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/** What an invoice's state does to its order. Called for verified events alone, under the order's lock. */
final class Orders
{
    private const UPDATED = '_turnpike_updated_at';
    private const LAST_EVENT = '_turnpike_last_event';
    private const SETTLED = '_turnpike_settled';
    /** Says that an order is on hold because its payment was seen, and not by hand or for another way to pay. */
    private const WAITING = '_turnpike_waiting';

    /**
     * Acts on an event once. What is older than what was acted on changes nothing: events come in any order.
     *
     * @param array<string, mixed> $invoice the full invoice at the time of the event
     */
    public static function apply(\WC_Order $order, string $eventId, string $type, array $invoice): void
    {
        $id = (string) $invoice['invoiceId'];
        if ($id !== (string) $order->get_meta(Invoices::INVOICE)) {
            self::applyFormer($order, $id, $invoice);
            return;
        }
        $updatedAt = (string) $invoice['updatedAt'];
        $isOld = strcmp($updatedAt, (string) $order->get_meta(self::UPDATED)) < 0;
        if ($isOld || $order->get_meta(self::LAST_EVENT) === $eventId) {
            return;
        }
        // Saved together with the status, so that a repetition after a crash finds both or neither.
        $order->update_meta_data(self::UPDATED, $updatedAt);
        $order->update_meta_data(self::LAST_EVENT, $eventId);
        self::follow($order, $type, $invoice);
        $order->save();
    }

    private static function follow(\WC_Order $order, string $type, array $invoice): void
    {
        $isReversed = $invoice['status'] === 'FAILED' && ($invoice['exception'] ?? null) === 'REORGED';
        if ($isReversed && ($invoice['settledAt'] ?? null) !== null) {
            self::reverse($order);
        } elseif (in_array($invoice['status'], ['SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED'], true)) {
            self::settle($order, $invoice);
            if ($type === 'invoice.refunded') {
                self::noteRefund($order, $invoice);
            }
        } elseif ($invoice['status'] === 'PROCESSING') {
            $text = __('Turnpike: the payment was seen and waits for its confirmations.', 'turnpike-for-woocommerce');
            if ($order->has_status('pending')) {
                $order->update_meta_data(self::WAITING, 'yes');
            }
            self::move($order, ['pending'], 'on-hold', $text);
        } elseif ($invoice['status'] === 'EXPIRED') {
            $text = __('Turnpike: nothing was paid in time.', 'turnpike-for-woocommerce');
            self::move($order, self::unpaid($order), 'cancelled', $text);
        } elseif ($invoice['status'] === 'FAILED') {
            /* translators: %s: a word of the gateway, such as UNDERPAID */
            $text = __('Turnpike: the payment failed (%s).', 'turnpike-for-woocommerce');
            $exception = sanitize_key((string) ($invoice['exception'] ?? '-'));
            self::move($order, self::unpaid($order), 'failed', sprintf($text, strtoupper($exception)));
        }
    }

    /** The statuses that an end of the invoice ends; none where the order is paid in another way by now. */
    private static function unpaid(\WC_Order $order): array
    {
        if ($order->get_payment_method() !== Gateway::ID) {
            return [];
        }
        return $order->get_meta(self::WAITING) === 'yes' ? ['pending', 'on-hold'] : ['pending'];
    }

    /**
     * From one of these statuses to another one, with a note; in any other status the note alone is left. Throws if
     * another plugin kept it from being saved, so that the event comes again.
     */
    private static function move(\WC_Order $order, array $from, string $to, string $note): void
    {
        if ($order->has_status($from)) {
            if (!$order->update_status($to, $note)) {
                throw new \RuntimeException('update_status');
            }
        } else {
            $order->add_order_note($note);
        }
    }

    private static function settle(\WC_Order $order, array $invoice): void
    {
        $isPaid = $order->has_status(['processing', 'completed', 'refunded']);
        if ($order->get_meta(self::SETTLED) === 'yes') {
            return; // a later event of a paid invoice
        }
        $order->update_meta_data(self::SETTLED, 'yes');
        $order->delete_meta_data(self::WAITING);
        if ($invoice['status'] === 'REFUNDED') {
            return; // all of it went back before this was heard: nothing is to be shipped
        }
        if ($isPaid) {
            $again = __('Turnpike: the payment is confirmed.', 'turnpike-for-woocommerce');
            $twice = __('Turnpike: the payment is confirmed, but the order was paid already.', 'turnpike-for-woocommerce');
            $order->add_order_note($order->get_transaction_id() === $invoice['invoiceId'] ? $again : $twice);
        } elseif (!Invoices::isPriceOf($order, $invoice)) {
            $text = __('Turnpike: paid, but the total of the order is another one now.', 'turnpike-for-woocommerce');
            self::hold($order, $text);
        } else {
            // WooCommerce catches what other plugins throw in it, and answers false: the event has to come again.
            if (!$order->payment_complete((string) $invoice['invoiceId'])) {
                throw new \RuntimeException('payment_complete');
            }
            $order->add_order_note(__('Turnpike: the payment is confirmed.', 'turnpike-for-woocommerce'));
        }
    }

    /** A reorganisation took the money back. What has been shipped cannot be held. */
    private static function reverse(\WC_Order $order): void
    {
        $order->delete_meta_data(self::SETTLED);
        $text = __('Turnpike: the payment was reversed, its money left the chain.', 'turnpike-for-woocommerce');
        if ($order->has_status(['completed', 'refunded', 'cancelled'])) {
            $order->add_order_note($text);
        } else {
            self::hold($order, $text);
        }
    }

    private static function hold(\WC_Order $order, string $note): void
    {
        $order->delete_meta_data(self::WAITING);
        self::move($order, ['pending', 'processing', 'failed', 'cancelled'], 'on-hold', $note);
    }

    private static function noteRefund(\WC_Order $order, array $invoice): void
    {
        /* translators: 1: amount, 2: currency */
        $text = __('Turnpike: refunded on the chain so far: %1$s %2$s.', 'turnpike-for-woocommerce');
        $amount = preg_replace('/[^0-9.]/', '', (string) $invoice['amountRefunded']);
        $order->add_order_note(sprintf($text, $amount, $order->get_currency()));
    }

    /** An invoice that was replaced may be paid all the same, by somebody who kept its page open. */
    private static function applyFormer(\WC_Order $order, string $id, array $invoice): void
    {
        $former = explode(' ', (string) $order->get_meta(Invoices::FORMER));
        $isPaid = in_array($invoice['status'], ['SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED'], true);
        if (!in_array($id, $former, true) || !$isPaid) {
            return;
        }
        $order->update_meta_data(Invoices::FORMER, implode(' ', array_diff($former, [$id])));
        /* translators: %s: id of an invoice */
        $text = __('Turnpike: the earlier invoice %s of this order was paid. Refund it or accept it.', 'turnpike-for-woocommerce');
        $order->delete_meta_data(self::WAITING);
        self::move($order, ['pending', 'failed', 'cancelled'], 'on-hold', sprintf($text, sanitize_text_field($id)));
        $order->save();
    }
}
