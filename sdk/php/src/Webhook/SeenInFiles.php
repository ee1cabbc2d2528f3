<?php

declare(strict_types=1);

namespace Turnpike\Webhook;

/**
 * A file for each id in a folder of this machine: for a site whose requests share nothing else. It has the Unix time at
 * which the claim lapses, or `done`. Files older than a week may be deleted: the gateway tries for three days.
 */
final class SeenInFiles implements SeenEvents
{
    public function __construct(private readonly string $folder)
    {
    }

    public function claim(string $eventId, int $leaseSeconds): string
    {
        return $this->locked($eventId, static function (string $known) use ($leaseSeconds): array {
            if ($known === self::DONE) {
                return [self::DONE, $known];
            }
            return (int) $known > time() ? [self::BUSY, $known] : [self::NEW, (string) (time() + $leaseSeconds)];
        });
    }

    public function finish(string $eventId): void
    {
        $this->locked($eventId, static fn (): array => [self::DONE, self::DONE]);
    }

    public function release(string $eventId): void
    {
        $this->locked($eventId, static fn (string $known): array => ['', $known === self::DONE ? $known : '']);
    }

    /**
     * Reads and writes a file while no other process does.
     *
     * @param callable(string): array{string, string} $decide from what is in the file: what to answer, and what to write
     */
    private function locked(string $eventId, callable $decide): string
    {
        $file = @fopen($this->folder . '/' . hash('sha256', $eventId), 'c+');
        if ($file === false || !flock($file, LOCK_EX)) {
            throw new \RuntimeException("$this->folder cannot be written");
        }
        try {
            $known = (string) stream_get_contents($file);
            [$answer, $next] = $decide($known);
            if ($next !== $known) {
                $isWritten = ftruncate($file, 0) && rewind($file) && fwrite($file, $next) === strlen($next);
                if (!$isWritten || !fflush($file)) {
                    throw new \RuntimeException("$this->folder cannot be written");
                }
            }
            return $answer;
        } finally {
            fclose($file);
        }
    }
}
