<?php

// Makes the calls of the table, and prints what came of each as a line of JSON.

declare(strict_types=1);

use Turnpike\CallOptions;
use Turnpike\Client;
use Turnpike\Error\ApiError;
use Turnpike\Error\TurnpikeError;
use Turnpike\Webhook\SeenEvents;
use Turnpike\Webhook\SeenInFiles;
use Turnpike\Webhook\SeenInMemory;
use Turnpike\Webhook\VerificationError;
use Turnpike\Webhook\Webhook;

require __DIR__ . '/../../php/autoload.php';

function table(string $name): array
{
    return json_decode(file_get_contents(__DIR__ . "/../$name.json"), true, 64, JSON_THROW_ON_ERROR);
}

function filled(mixed $value, array $saved): mixed
{
    $fill = static fn (array $match): string => $saved[$match[1]];
    return json_decode(preg_replace_callback('/\$\{(\w+)\}/', $fill, json_encode($value)), true);
}

function at(array $data, string $path): mixed
{
    return array_reduce(explode('.', $path), static fn ($value, $name) => $value[$name], $data);
}

function told(TurnpikeError $error): array
{
    $name = (new ReflectionClass($error))->getShortName();
    return !$error instanceof ApiError ? ['error' => $name] : [
        'error' => $name,
        'code' => $error->errorCode,
        'status' => $error->status,
        'retryAfter' => $error->retryAfter,
        'details' => array_column($error->details, 'path'),
    ];
}

function outcomeOf(Client $client, array $row, array &$saved): array
{
    $options = new CallOptions(
        timeout: isset($row['timeoutMs']) ? $row['timeoutMs'] / 1000 : null,
        requestId: $row['step'],
    );
    if (($row['list'] ?? null) === 'paymentRefunds') {
        return ['items' => iterator_count($client->paymentRefunds($saved['orderId'], 2, $options))];
    }
    if (isset($row['list'])) {
        return ['items' => iterator_count($client->pages($row['list'], filled($row['query'], $saved), $options))];
    }
    $data = $client->call(
        $row['call'],
        filled($row['path'] ?? [], $saved),
        filled($row['query'] ?? [], $saved),
        isset($row['body']) ? filled($row['body'], $saved) : null,
        $options,
    );
    foreach ($row['save'] ?? [] as $name => $path) {
        $saved[$name] = at($data, $path);
    }
    return ['data' => array_map(static fn ($path) => at($data, $path), $row['show'] ?? [])];
}

$saved = ['email' => getenv('EMAIL')];
$client = new Client(getenv('BASE_URL'));
foreach (table('calls') as $row) {
    try {
        $outcome = outcomeOf($client, $row, $saved);
    } catch (TurnpikeError $error) {
        $outcome = told($error);
    }
    echo json_encode(['step' => $row['step']] + $outcome), "\n";
    if ($row['step'] === 'register') {
        $client = new Client(getenv('BASE_URL'), $saved['keyId'], $saved['secret']);
    }
}

function receive(array $row, SeenEvents $seen): string
{
    if (isset($row['claimedForSeconds'])) {
        $seen->claim(json_decode($row['body'], true)['id'], $row['claimedForSeconds']);
    }
    $act = static fn (array $event) => empty($row['actFails']) ? null : throw new RuntimeException('act-failed');
    try {
        return Webhook::handle($row['body'], $row['signature'], $row['secrets'], $seen, $act, $row['now']);
    } catch (VerificationError $error) {
        return $error->fault;
    } catch (RuntimeException $error) {
        return $error->getMessage();
    }
}

$folder = sys_get_temp_dir() . '/turnpike-seen-' . bin2hex(random_bytes(8));
mkdir($folder);
$stores = [new SeenInMemory(), new SeenInFiles($folder)];
foreach (table('webhooks') as $row) {
    $outcomes = array_map(static fn (SeenEvents $seen) => receive($row, $seen), $stores);
    echo json_encode(['step' => $row['name'], 'outcome' => implode(' or ', array_unique($outcomes))]), "\n";
}
array_map(unlink(...), glob("$folder/*"));
rmdir($folder);
