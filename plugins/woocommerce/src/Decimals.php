<?php

namespace Turnpike\WooCommerce;

defined('ABSPATH') || exit;

/** Exact arithmetic on decimal strings without a sign. PHP's floats lose cents, and bcmath is not everywhere. */
final class Decimals
{
    /** "049.90" becomes "49.9". */
    public static function plain(string $amount): string
    {
        [$whole, $rest] = explode('.', $amount . '.');
        $whole = ltrim($whole, '0');
        $rest = rtrim($rest, '0');
        return ($whole === '' ? '0' : $whole) . ($rest === '' ? '' : ".$rest");
    }

    /** -1, 0 or 1. */
    public static function compare(string $left, string $right): int
    {
        $scale = max(self::scaleOf($left), self::scaleOf($right));
        return self::compareWhole(self::scaled($left, $scale), self::scaled($right, $scale));
    }

    /** left − right; "0" if that would be negative. */
    public static function subtract(string $left, string $right): string
    {
        $scale = max(self::scaleOf($left), self::scaleOf($right));
        [$one, $two] = [self::scaled($left, $scale), self::scaled($right, $scale)];
        return self::compareWhole($one, $two) <= 0 ? '0' : self::unscaled(self::subtractWhole($one, $two), $scale);
    }

    public static function multiply(string $left, string $right): string
    {
        $scales = [self::scaleOf($left), self::scaleOf($right)];
        [$one, $two] = [self::scaled($left, $scales[0]), self::scaled($right, $scales[1])];
        $digits = array_fill(0, strlen($one) + strlen($two), 0);
        foreach (str_split($one) as $i => $first) {
            foreach (str_split($two) as $j => $second) {
                $digits[$i + $j + 1] += (int) $first * (int) $second;
            }
        }
        for ($at = count($digits) - 1; $at > 0; $at--) {
            $digits[$at - 1] += intdiv($digits[$at], 10);
            $digits[$at] %= 10;
        }
        return self::unscaled(self::trimmed(implode('', $digits)), array_sum($scales));
    }

    /** left / right, rounded down to so many decimals. A divisor of 0 is an error. */
    public static function divide(string $left, string $right, int $decimals): string
    {
        $scale = max(self::scaleOf($left), self::scaleOf($right));
        $dividend = self::scaled($left, $scale) . str_repeat('0', $decimals);
        $divisor = self::scaled($right, $scale);
        if ($divisor === '0') {
            throw new \DomainException('division by zero');
        }
        $quotient = '';
        $rest = '0';
        foreach (str_split($dividend) as $digit) {
            $rest = self::trimmed($rest . $digit);
            for ($times = 0; self::compareWhole($rest, $divisor) >= 0; $times++) {
                $rest = self::subtractWhole($rest, $divisor);
            }
            $quotient .= $times;
        }
        return self::unscaled(self::trimmed($quotient), $decimals);
    }

    private static function scaleOf(string $amount): int
    {
        return strlen(explode('.', self::plain($amount) . '.')[1]);
    }

    private static function scaled(string $amount, int $scale): string
    {
        [$whole, $rest] = explode('.', self::plain($amount) . '.');
        return self::trimmed($whole . str_pad($rest, $scale, '0'));
    }

    private static function unscaled(string $digits, int $scale): string
    {
        $digits = str_pad($digits, $scale + 1, '0', STR_PAD_LEFT);
        $whole = strlen($digits) - $scale;
        return self::plain(substr($digits, 0, $whole) . '.' . substr($digits, $whole));
    }

    private static function trimmed(string $digits): string
    {
        $digits = ltrim($digits, '0');
        return $digits === '' ? '0' : $digits;
    }

    private static function compareWhole(string $left, string $right): int
    {
        $byLength = strlen($left) <=> strlen($right);
        return $byLength !== 0 ? $byLength : strcmp($left, $right) <=> 0; // as text: as numbers they would be floats
    }

    /** left ≥ right. */
    private static function subtractWhole(string $left, string $right): string
    {
        $right = str_pad($right, strlen($left), '0', STR_PAD_LEFT);
        $digits = '';
        for ($at = strlen($left) - 1, $borrow = 0; $at >= 0; $at--) {
            $digit = (int) $left[$at] - (int) $right[$at] - $borrow;
            $borrow = $digit < 0 ? 1 : 0;
            $digits = ($digit + 10 * $borrow) . $digits;
        }
        return self::trimmed($digits);
    }
}
