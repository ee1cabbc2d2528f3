<?php

declare(strict_types=1);

namespace Turnpike;

use Turnpike\Error\ApiError;
use Turnpike\Error\TurnpikeError;

/** A gateway, as one merchant's key. Make one and keep it: it holds the token. */
final class Client
{
    use Operations;

    /** A token is renewed this many seconds before its end, or in the last tenth of its time if that is less. */
    private const LEAD = 300.0;

    private readonly Transport $transport;
    private ?string $token = null;
    private float $renewAt = 0.0;

    /**
     * @param string $baseUrl where the gateway is; plain HTTP is for this machine only
     * @param ?string $apiKey pk_…; without it only what is public can be called
     * @param float $timeout in seconds, for one attempt
     * @param float $maxRetryAfter the longest Retry-After that is waited for, in seconds
     * @param bool $allowInsecureHttp allows plain HTTP to other machines: inside a cluster, say
     */
    public function __construct(
        string $baseUrl,
        private readonly ?string $apiKey = null,
        #[\SensitiveParameter] private readonly ?string $apiSecret = null,
        private readonly float $timeout = 30.0,
        int $maxRetries = 3,
        float $maxRetryAfter = 60.0,
        bool $allowInsecureHttp = false,
    ) {
        if (($apiKey === null) !== ($apiSecret === null)) {
            throw new \InvalidArgumentException('apiKey and apiSecret go together');
        }
        self::checkBaseUrl($baseUrl, $allowInsecureHttp);
        $this->transport = new Transport(rtrim($baseUrl, '/'), $maxRetries, $maxRetryAfter);
    }

    /**
     * Makes any call by the name of its operation; returns its data.
     *
     * @param array<string, string> $path
     * @param array<string, mixed> $query
     * @param ?array<string, mixed> $body
     * @return array<string, mixed>
     * @throws TurnpikeError
     */
    public function call(
        string $name,
        array $path = [],
        array $query = [],
        ?array $body = null,
        ?CallOptions $options = null,
    ): array {
        $text = $this->text($name, $path, $query, $body, $options);
        return json_decode($text, true, 64, JSON_THROW_ON_ERROR)['data'];
    }

    /**
     * Makes a call and returns the text of its answer: a report in CSV, say.
     *
     * @param array<string, string> $path
     * @param array<string, mixed> $query
     * @param ?array<string, mixed> $body
     * @throws TurnpikeError
     */
    public function text(
        string $name,
        array $path = [],
        array $query = [],
        ?array $body = null,
        ?CallOptions $options = null,
    ): string {
        [$method, $pattern, $isKeyed, $isOpen] = OperationTable::OPERATIONS[$name];
        $headers = [];
        // Made here, before the first attempt, so that all attempts have the same.
        if ($isKeyed) {
            $headers['Idempotency-Key'] = $options?->idempotencyKey ?? bin2hex(random_bytes(16));
        }
        if ($options?->requestId !== null) {
            $headers['X-Request-Id'] = $options->requestId;
        }
        foreach ($headers as $value) {
            if (preg_match('/^[\x20-\x7e]{1,255}$/D', $value) !== 1) {
                throw new \InvalidArgumentException('idempotencyKey and requestId are printable ASCII');
            }
        }
        $isSafe = $isKeyed || in_array($method, ['GET', 'PUT'], true) || $name === 'createAccessToken';
        $url = self::withIds($pattern, $path) . self::queryText($query);
        $json = $body === null ? null : json_encode($body === [] ? new \stdClass() : $body, JSON_THROW_ON_ERROR);
        $send = fn (array $bearer): string => $this->transport->send(
            $method,
            $url,
            $headers + $bearer,
            $json,
            $isSafe,
            $options?->timeout ?? $this->timeout,
        );
        return $isOpen ? $send([]) : $this->withToken($send);
    }

    /**
     * Reads a list as it is looped over, page by page.
     *
     * @param array<string, mixed> $query
     * @param array<string, string> $path ids
     * @return \Generator<int, array<string, mixed>>
     * @throws TurnpikeError
     */
    public function pages(
        string $name,
        array $query = [],
        ?CallOptions $options = null,
        array $path = [],
    ): \Generator {
        $nth = 0;
        do {
            $page = $this->call($name, path: $path, query: $query, options: $options);
            foreach ($page['items'] as $item) {
                yield $nth++ => $item;
            }
            $pagination = $page['pagination'] ?? $page;
            if (array_key_exists('nextCursor', $pagination)) {
                $query['cursor'] = $pagination['nextCursor'];
                $pagination['hasMore'] = $pagination['hasMore'] && $query['cursor'] !== null;
            } elseif ($page['items'] !== []) {
                $query['after'] = end($page['items'])['sequence'] ?? null;
            }
        } while ($pagination['hasMore'] && $page['items'] !== []);
    }

    /**
     * Once more with a new token, if the old one was refused: it may have ended on the way.
     *
     * @param \Closure(array<string, string>): string $send
     */
    private function withToken(\Closure $send): string
    {
        $bearer = fn (): array => ['Authorization' => 'Bearer ' . $this->token()];
        try {
            return $send($bearer());
        } catch (ApiError $error) {
            if ($error->errorCode !== '1002') {
                throw $error;
            }
        }
        $this->token = null;
        return $send($bearer());
    }

    private function token(): string
    {
        if ($this->token === null || microtime(true) >= $this->renewAt) {
            if ($this->apiKey === null) {
                throw new \InvalidArgumentException('This call needs a key: give apiKey and apiSecret');
            }
            $begun = microtime(true);
            $body = ['keyId' => $this->apiKey, 'secret' => $this->apiSecret];
            ['accessToken' => $token, 'expiresIn' => $life] = $this->call('createAccessToken', body: $body);
            $this->token = $token;
            $this->renewAt = $begun + $life - min(self::LEAD, $life / 10);
        }
        return $this->token;
    }

    /**
     * Fills in the ids; one that is missing or empty would make another call of it.
     *
     * @param array<string, string> $ids
     */
    private static function withIds(string $path, array $ids): string
    {
        $encode = static function (array $match) use ($ids): string {
            $id = $ids[$match[1]] ?? '';
            if (in_array($id, ['', '.', '..'], true)) {
                throw new \InvalidArgumentException("$match[1] is not an id");
            }
            return rawurlencode($id);
        };
        return (string) preg_replace_callback('/\{(\w+)\}/', $encode, $path);
    }

    /**
     * Lists are repeated parameters; null is left out.
     *
     * @param array<string, mixed> $query
     */
    private static function queryText(array $query): string
    {
        $pairs = [];
        foreach ($query as $name => $value) {
            foreach (is_array($value) ? $value : [$value] as $one) {
                if ($one !== null) {
                    $pairs[] = $name . '=' . rawurlencode(is_bool($one) ? var_export($one, true) : (string) $one);
                }
            }
        }
        return $pairs === [] ? '' : '?' . implode('&', $pairs);
    }

    private static function checkBaseUrl(string $baseUrl, bool $allowInsecureHttp): void
    {
        $url = parse_url($baseUrl);
        $scheme = $url['scheme'] ?? '';
        $host = $url['host'] ?? '';
        if (!in_array($scheme, ['http', 'https'], true) || $host === '') {
            throw new \InvalidArgumentException('baseUrl is no http(s) URL');
        }
        if (isset($url['user']) || isset($url['pass'])) {
            throw new \InvalidArgumentException('baseUrl must not hold a user name or password');
        }
        $isLocal = preg_match('/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/D', $host) === 1;
        if ($scheme === 'http' && !$isLocal && !$allowInsecureHttp) {
            throw new \InvalidArgumentException(
                'baseUrl is plain HTTP to another machine: use https, or allowInsecureHttp',
            );
        }
    }
}
