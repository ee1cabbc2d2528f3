<?php

declare(strict_types=1);

namespace Turnpike\Webhook;

/** Remembers the ids of events. In a shop it is a table with a unique column. */
interface SeenEvents
{
    /** Notes an id, and tells whether it is new. Of several at once, one is. */
    public function claim(string $eventId): bool;

    /** Forgets an id whose event could not be acted on. */
    public function release(string $eventId): void;
}
