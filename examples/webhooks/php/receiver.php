<?php
// A receiver of Turnpike's webhooks. Run: PORT=8081 WEBHOOK_SECRET=whsec_... php receiver.php

declare(strict_types=1);

require __DIR__ . '/verify.php';

const MAX_BODY_BYTES = 1048576;

// Started from a shell, it becomes PHP's own web server, which runs this file again for each request.
if (PHP_SAPI === 'cli') {
    if ((getenv('WEBHOOK_SECRET') ?: '') === '') {
        fwrite(STDERR, "WEBHOOK_SECRET is not set\n");
        exit(1);
    }
    pcntl_exec(PHP_BINARY, ['-q', '-S', '127.0.0.1:' . (getenv('PORT') ?: '8081'), __FILE__]);
    exit(1);
}

/** Whether the event is new. In a shop this is a unique column, written in the transaction that acts on the event. */
function remember(string $eventId): bool
{
    $folder = sys_get_temp_dir() . '/turnpike-events';
    @mkdir($folder, 0700);
    $file = $folder . '/' . hash('sha256', $eventId);
    if (@fopen($file, 'x') !== false) { // of two at the same time, one succeeds
        return true;
    }
    if (!is_file($file)) {
        throw new RuntimeException("cannot write $file"); // answered with 500, so that the event comes again
    }
    return false;
}

function answer(int $status, string $word): void
{
    http_response_code($status);
    header('Content-Type: application/json');
    echo json_encode(['status' => $word]);
}

// Two, separated by a comma, while you change from one to the other.
$secrets = array_values(array_filter(explode(',', getenv('WEBHOOK_SECRET') ?: ''), fn ($secret) => $secret !== ''));
$rawBody = (string) file_get_contents('php://input', false, null, 0, MAX_BODY_BYTES + 1);
try {
    if (strlen($rawBody) > MAX_BODY_BYTES) {
        throw new Turnpike\WebhookVerificationError('the body is too large');
    }
    $event = Turnpike\verify_webhook($rawBody, $_SERVER['HTTP_X_PGW_SIGNATURE'] ?? null, $secrets);
} catch (Turnpike\WebhookVerificationError $error) {
    file_put_contents('php://stderr', "refused: {$error->getMessage()}\n");
    answer(400, 'refused');
    return;
}
if (remember($event['id'])) {
    $words = [$event['id'], $event['type'], $event['data']['payment']['orderId'] ?? ''];
    file_put_contents('php://stdout', rtrim(implode(' ', $words)) . "\n");
}
answer(200, 'ok');
