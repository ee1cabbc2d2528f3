<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/**
 * Two small tables: the events that were acted on, and who is at work on an order. Both are decided by a unique key of
 * the database, so that of two at once one wins.
 */
final class Store
{
    private const SCHEMA = '1';
    private const LOCK_SECONDS = 60;
    private const KEEP_DAYS = 40;

    public static function install(): void
    {
        global $wpdb;
        require_once ABSPATH . 'wp-admin/includes/upgrade.php';
        $charset = $wpdb->get_charset_collate();
        dbDelta("CREATE TABLE {$wpdb->prefix}turnpike_wc_events (
            event_id varchar(64) NOT NULL,
            seen_at bigint(20) NOT NULL,
            PRIMARY KEY  (event_id),
            KEY seen_at (seen_at)
        ) $charset;");
        dbDelta("CREATE TABLE {$wpdb->prefix}turnpike_wc_locks (
            name varchar(64) NOT NULL,
            token char(32) NOT NULL,
            until_at bigint(20) NOT NULL,
            PRIMARY KEY  (name)
        ) $charset;");
        update_option('turnpike_wc_schema', self::SCHEMA);
    }

    /** A plugin that was copied over an older one is not activated again. */
    public static function upgrade(): void
    {
        if (get_option('turnpike_wc_schema') !== self::SCHEMA) {
            self::install();
        }
    }

    public static function isSeen(string $eventId): bool
    {
        global $wpdb;
        $sql = "SELECT 1 FROM {$wpdb->prefix}turnpike_wc_events WHERE event_id = %s";
        return $wpdb->get_var($wpdb->prepare($sql, $eventId)) !== null; // phpcs:ignore WordPress.DB
    }

    public static function markSeen(string $eventId): void
    {
        global $wpdb;
        $sql = "INSERT IGNORE INTO {$wpdb->prefix}turnpike_wc_events (event_id, seen_at) VALUES (%s, %d)";
        $wpdb->query($wpdb->prepare($sql, $eventId, time())); // phpcs:ignore WordPress.DB
    }

    /** The gateway repeats for three days, and people resend by hand: what is older is forgotten. */
    public static function forgetOld(): void
    {
        global $wpdb;
        $before = time() - self::KEEP_DAYS * DAY_IN_SECONDS;
        $sql = "DELETE FROM {$wpdb->prefix}turnpike_wc_events WHERE seen_at < %d LIMIT 10000";
        $wpdb->query($wpdb->prepare($sql, $before)); // phpcs:ignore WordPress.DB
    }

    /**
     * Runs `work` while nobody else works on this order, and returns what it returns; null if the order stays taken
     * for three seconds. A lock whose holder died ends after a minute.
     *
     * @return mixed
     */
    public static function withOrder(int $orderId, callable $work)
    {
        $name = "order:$orderId";
        $token = bin2hex(random_bytes(16));
        for ($end = microtime(true) + 3; !self::take($name, $token);) {
            if (microtime(true) > $end) {
                return null;
            }
            usleep(50000);
        }
        try {
            return $work();
        } finally {
            global $wpdb;
            $sql = "DELETE FROM {$wpdb->prefix}turnpike_wc_locks WHERE name = %s AND token = %s";
            $wpdb->query($wpdb->prepare($sql, $name, $token)); // phpcs:ignore WordPress.DB
        }
    }

    /** One statement inserts the row or takes over one that has ended; then the row says whose it is. */
    private static function take(string $name, string $token): bool
    {
        global $wpdb;
        $locks = "{$wpdb->prefix}turnpike_wc_locks";
        $sql = "INSERT INTO $locks (name, token, until_at) VALUES (%s, %s, %d) ON DUPLICATE KEY UPDATE
            token = IF(until_at < %d, VALUES(token), token),
            until_at = IF(token = VALUES(token), VALUES(until_at), until_at)";
        $now = time();
        // phpcs:disable WordPress.DB
        $wpdb->query($wpdb->prepare($sql, $name, $token, $now + self::LOCK_SECONDS, $now));
        return $wpdb->get_var($wpdb->prepare("SELECT token FROM $locks WHERE name = %s", $name)) === $token;
        // phpcs:enable
    }
}
