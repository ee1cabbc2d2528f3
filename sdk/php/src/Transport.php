<?php

declare(strict_types=1);

namespace Turnpike;

use Turnpike\Error\ApiError;
use Turnpike\Error\ConnectionError;
use Turnpike\Error\TimeoutError;
use Turnpike\Error\TurnpikeError;

/** One request to the gateway: sent, timed, repeated where that is right, and read. It needs no extension. */
final class Transport
{
    public function __construct(
        private readonly string $baseUrl,
        private readonly int $maxRetries,
        private readonly float $maxRetryAfter,
    ) {
    }

    /**
     * Sends until it is answered, or until repeating is no use.
     *
     * @param array<string, string> $headers
     * @param bool $isSafe whether it may be repeated although the gateway may have acted on it
     * @throws TurnpikeError
     */
    public function send(
        string $method,
        string $path,
        array $headers,
        ?string $body,
        bool $isSafe,
        float $timeout,
    ): string {
        for ($nth = 0; ; $nth += 1) {
            try {
                return $this->sendOnce($method, $path, $headers, $body, $timeout);
            } catch (TurnpikeError $error) {
                $delay = Retry::delayAfter($error, $nth);
                // A spread of its own may come on top of what is accepted.
                $isTooLong = $delay > $this->maxRetryAfter + 1;
                if ($nth >= $this->maxRetries || $isTooLong || !Retry::mayRepeat($error, $isSafe)) {
                    throw $error;
                }
                usleep((int) ($delay * 1_000_000));
            }
        }
    }

    /** @param array<string, string> $headers */
    private function sendOnce(string $method, string $path, array $headers, ?string $body, float $timeout): string
    {
        $headers += ['User-Agent' => 'turnpike-sdk-php/' . Version::VERSION, 'Connection' => 'close'];
        if ($body !== null) {
            $headers += ['Content-Type' => 'application/json', 'Content-Length' => (string) strlen($body)];
        }
        $lines = array_map(static fn ($name, $value) => "$name: $value", array_keys($headers), $headers);
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => $lines,
            'content' => $body ?? '',
            'timeout' => $timeout,
            'ignore_errors' => true,
            // A redirection would carry a secret to another address.
            'follow_location' => 0,
            'protocol_version' => 1.1,
            // PHP takes a chunked answer that was cut for a whole one: chunks are read here.
            'auto_decode' => false,
        ]]);
        $end = microtime(true) + $timeout;
        $stream = @fopen($this->baseUrl . $path, 'r', false, $context);
        if ($stream === false) {
            throw $this->failure($end);
        }
        try {
            /** @var list<string> $head */
            $head = stream_get_meta_data($stream)['wrapper_data'];
            [$status, $answered] = self::readHead($head);
            $text = $this->readBody($stream, $answered, $end);
        } finally {
            fclose($stream);
        }
        return $status >= 200 && $status < 300 ? $text : throw self::refusal($status, $answered, $text);
    }

    private function failure(float $end): ConnectionError
    {
        return microtime(true) >= $end
            ? new TimeoutError('The gateway did not answer in time')
            : new ConnectionError('The connection to the gateway failed');
    }

    /**
     * Reads to the end, but not past the time: a stream's time-out is for each part.
     *
     * @param resource $stream
     * @param array<string, string> $headers
     */
    private function readBody($stream, array $headers, float $end): string
    {
        $text = '';
        while (!feof($stream)) {
            $text .= (string) fread($stream, 65_536);
            if (stream_get_meta_data($stream)['timed_out'] || microtime(true) > $end) {
                throw new TimeoutError('The gateway did not answer in time');
            }
        }
        if (stripos($headers['transfer-encoding'] ?? '', 'chunked') !== false) {
            return self::joinChunks($text);
        }
        // PHP does not say that the connection was cut in between.
        if (isset($headers['content-length']) && strlen($text) < (int) $headers['content-length']) {
            throw new ConnectionError('The answer was cut off');
        }
        return $text;
    }

    /** What the chunks of RFC 9112, section 7.1, hold. The last one is empty: without it the answer was cut. */
    private static function joinChunks(string $chunked): string
    {
        $parts = [];
        for ($at = 0; preg_match('/\G([0-9a-f]{1,7})[^\r\n]*\r\n/i', $chunked, $match, 0, $at) === 1;) {
            $length = (int) hexdec($match[1]);
            if ($length === 0) {
                return implode('', $parts);
            }
            $at += strlen($match[0]);
            $parts[] = substr($chunked, $at, $length);
            $at += $length + strlen("\r\n");
            if ($at > strlen($chunked)) {
                break;
            }
        }
        throw new ConnectionError('The answer was cut off');
    }

    /**
     * @param list<string> $lines
     * @return array{int, array<string, string>} the status, and the headers by their names in small letters
     */
    private static function readHead(array $lines): array
    {
        $status = 0;
        $headers = [];
        foreach ($lines as $line) {
            if (preg_match('#^HTTP/\S+ (\d{3})#', $line, $match) === 1) {
                [$status, $headers] = [(int) $match[1], []];
            } elseif (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower($name)] = trim($value);
            }
        }
        return [$status, $headers];
    }

    /** @param array<string, string> $headers */
    private static function refusal(int $status, array $headers, string $text): ApiError
    {
        $answer = json_decode($text, true);
        $told = is_array($answer) && is_array($answer['error'] ?? null) ? $answer['error'] : [];
        $class = ApiError::classOf($status);
        return new $class(
            errorCode: isset($told['code']) ? (string) $told['code'] : null,
            status: $status,
            message: $told['message'] ?? "The answer has the status $status, and is not the gateway's",
            requestId: $headers['x-request-id'] ?? null,
            retryAfter: Retry::readRetryAfter($headers['retry-after'] ?? null),
            details: $told['details'] ?? [],
        );
    }
}
