<?php

declare(strict_types=1);

namespace Turnpike\Webhook;

/** Remembers events by their ids. In a shop it is a table with a unique column. */
interface SeenEvents
{
    /** Nothing is known of the event. */
    public const NEW = 'new';
    /** Somebody acts on it at the moment. */
    public const BUSY = 'busy';
    /** It was acted on. */
    public const DONE = 'done';

    /**
     * Tells what is known of an event; if that is NEW, also claims it for so many seconds, in which others are told
     * BUSY. Of several at once, one is told NEW. A claim that has lapsed is NEW again: its holder was killed.
     */
    public function claim(string $eventId, int $leaseSeconds): string;

    /** Notes that the event was acted on: it is DONE from now on. */
    public function finish(string $eventId): void;

    /** Gives up the claim of an event that could not be acted on. */
    public function release(string $eventId): void;
}
