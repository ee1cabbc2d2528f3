<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/** Receives the gateway's deliveries. Only what is signed changes an order. */
final class Webhook
{
    private const NAMESPACE = 'turnpike/v1';
    private const ROUTE = '/webhook';
    private const MOST_BYTES = 1048576;

    public static function register(): void
    {
        register_rest_route(
            self::NAMESPACE,
            self::ROUTE,
            [
                'methods' => 'POST',
                'callback' => [self::class, 'receive'],
                'permission_callback' => '__return_true', // the signature is the permission
            ]
        );
    }

    public static function url(): string
    {
        return rest_url(self::NAMESPACE . self::ROUTE);
    }

    public static function receive(\WP_REST_Request $request): \WP_REST_Response
    {
        $body = (string) $request->get_body();
        if (strlen($body) > self::MOST_BYTES) {
            return self::answer(413, 'too large');
        }
        $header = (string) $request->get_header('x_pgw_signature');
        $refusal = self::refusal($body, $header);
        if ($refusal !== null) {
            return $refusal;
        }
        $event = json_decode($body, true);
        if (!is_array($event) || !is_string($event['id'] ?? null) || !is_string($event['type'] ?? null)) {
            return self::answer(400, 'no event');
        }
        $invoice = $event['data']['invoice'] ?? null;
        $orderId = is_array($invoice) ? self::orderIdOf($invoice) : 0;
        if ($orderId === 0 || $event['type'] === 'invoice.created') {
            return self::answer(200, 'nothing to do'); // a test, or what this shop has not made
        }
        return self::act($orderId, $event['id'], $event['type'], $invoice);
    }

    /**
     * What a delivery is refused with; null if it is genuine. One that another secret has signed has the shop read the
     * secret, which may have been rotated. If it was read already in these minutes, 503 has the gateway come again
     * later; 400 would have it give up after three attempts.
     */
    private static function refusal(string $body, string $header): ?\WP_REST_Response
    {
        $verdict = Signature::verdict($body, $header, Settings::webhookSecrets(), time());
        if ($verdict === Signature::OTHER_SECRET) {
            if (!Connection::readAgain()) {
                return self::answer(503, 'not verified');
            }
            $verdict = Signature::verdict($body, $header, Settings::webhookSecrets(), time());
        }
        return $verdict === Signature::GENUINE ? null : self::answer(400, 'refused');
    }

    private static function act(int $orderId, string $eventId, string $type, array $invoice): \WP_REST_Response
    {
        try {
            $done = Store::withOrder(
                $orderId,
                static function () use ($orderId, $eventId, $type, $invoice): string {
                    if (Store::isSeen($eventId)) {
                        return 'known';
                    }
                    // Not read before the lock: WooCommerce keeps an order in memory once it was read.
                    $order = wc_get_order($orderId);
                    if ($order instanceof \WC_Order && self::isKnown($order, $invoice['invoiceId'])) {
                        Orders::apply($order, $eventId, $type, $invoice);
                    }
                    Store::markSeen($eventId);
                    return 'ok';
                }
            );
        } catch (\Throwable $error) {
            Log::fault('event ' . sanitize_key($eventId) . ': ' . get_class($error) . ' in ' . basename($error->getFile()));
            return self::answer(500, 'failed'); // it comes again
        }
        return $done === null ? self::answer(503, 'busy') : self::answer(200, $done);
    }

    /** The order that the invoice was made for; 0 if it says none. */
    private static function orderIdOf(array $invoice): int
    {
        $metadata = is_array($invoice['metadata'] ?? null) ? $invoice['metadata'] : [];
        $id = $metadata['merchantOrderId'] ?? null;
        $isComplete = is_string($invoice['invoiceId'] ?? null) && is_string($invoice['status'] ?? null)
            && is_string($invoice['updatedAt'] ?? null);
        return $isComplete && is_string($id) && ctype_digit($id) ? (int) $id : 0;
    }

    /** Another shop of the same merchant has orders with the same numbers, and other invoices. */
    private static function isKnown(\WC_Order $order, string $invoiceId): bool
    {
        $known = explode(' ', (string) $order->get_meta(Invoices::FORMER));
        $known[] = (string) $order->get_meta(Invoices::INVOICE);
        return in_array($invoiceId, $known, true);
    }

    private static function answer(int $status, string $word): \WP_REST_Response
    {
        return new \WP_REST_Response(['status' => $word], $status);
    }
}
