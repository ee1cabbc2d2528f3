<?php

declare(strict_types=1);

namespace Turnpike\Webhook;

/** Ids in the memory of one process, the newest ones: for programs that run on, not for one request. */
final class SeenInMemory implements SeenEvents
{
    /** @var array<string, float> when each claim lapses, in Unix time; infinity for what was acted on */
    private array $lapses = [];

    public function __construct(private readonly int $capacity = 10_000)
    {
    }

    public function claim(string $eventId, int $leaseSeconds): string
    {
        $lapses = $this->lapses[$eventId] ?? 0.0;
        $now = microtime(true);
        if ($lapses === INF) {
            return self::DONE;
        }
        if ($lapses > $now) {
            return self::BUSY;
        }
        $this->lapses[$eventId] = $now + $leaseSeconds;
        while (count($this->lapses) > $this->capacity) {
            unset($this->lapses[array_key_first($this->lapses)]);
        }
        return self::NEW;
    }

    public function finish(string $eventId): void
    {
        $this->lapses[$eventId] = INF;
    }

    public function release(string $eventId): void
    {
        unset($this->lapses[$eventId]);
    }
}
