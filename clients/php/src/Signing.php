<?php

declare(strict_types=1);

namespace PartnerEvents;

/** Request signing, version 1. Callers pass in the time. */
final class Signing
{
    /** The five lines that are signed, without a trailing newline. */
    public static function canonicalString(string $method, string $pathname, string $timestamp, string $body): string
    {
        return implode("\n", ['v1', strtoupper($method), $pathname, $timestamp, hash('sha256', $body)]);
    }

    /** The signature header's value. The secret is used exactly as shown; it is not decoded. */
    public static function sign(
        #[\SensitiveParameter] string $secret,
        string $method,
        string $pathname,
        string $timestamp,
        string $body,
    ): string {
        return 'sha256=' . hash_hmac('sha256', self::canonicalString($method, $pathname, $timestamp, $body), $secret);
    }
}
