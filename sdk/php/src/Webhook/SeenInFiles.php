<?php

declare(strict_types=1);

namespace Turnpike\Webhook;

/** A file for each id in a folder of this machine: for a site whose requests share nothing else. */
final class SeenInFiles implements SeenEvents
{
    public function __construct(private readonly string $folder)
    {
    }

    public function claim(string $eventId): bool
    {
        // Of several that open it at once, one makes it.
        $file = @fopen($this->path($eventId), 'x');
        if ($file !== false) {
            return fclose($file);
        }
        return is_file($this->path($eventId)) ? false : throw new \RuntimeException("$this->folder cannot be written");
    }

    public function release(string $eventId): void
    {
        @unlink($this->path($eventId));
    }

    private function path(string $eventId): string
    {
        return $this->folder . '/' . hash('sha256', $eventId);
    }
}
