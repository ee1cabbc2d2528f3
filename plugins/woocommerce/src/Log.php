<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/** Faults go to WooCommerce's log under the source "turnpike". No caller passes secrets, bodies or addresses. */
final class Log
{
    public static function fault(string $what): void
    {
        wc_get_logger()->error($what, ['source' => 'turnpike']);
    }

    public static function warning(string $what): void
    {
        wc_get_logger()->warning($what, ['source' => 'turnpike']);
    }
}
