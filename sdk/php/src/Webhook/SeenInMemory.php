<?php

declare(strict_types=1);

namespace Turnpike\Webhook;

/** Ids in the memory of one process, the newest ones: for programs that run on, not for one request. */
final class SeenInMemory implements SeenEvents
{
    /** @var array<string, true> */
    private array $ids = [];

    public function __construct(private readonly int $capacity = 10_000)
    {
    }

    public function claim(string $eventId): bool
    {
        if (isset($this->ids[$eventId])) {
            return false;
        }
        $this->ids[$eventId] = true;
        while (count($this->ids) > $this->capacity) {
            unset($this->ids[array_key_first($this->ids)]);
        }
        return true;
    }

    public function release(string $eventId): void
    {
        unset($this->ids[$eventId]);
    }
}
