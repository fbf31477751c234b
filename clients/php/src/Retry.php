<?php

declare(strict_types=1);

namespace PartnerEvents;

/** @internal */
final class Retry
{
    private const FIRST_BACKOFF = 0.25;
    private const LONGEST_BACKOFF = 8.0;
    /** By default, the client waits at most this long; the exception tells the caller of longer waits. */
    public const LONGEST_RETRY_AFTER = 60.0;
    // A request that came too slowly, above the rate limit, an error of the service, the service
    // unavailable, or a gateway error: each may be gone at the next attempt, which the idempotency key makes safe.
    private const RETRIED_STATUSES = [408, 429, 500, 502, 503, 504];

    /**
     * How long to wait before the next attempt: exponential backoff with a quarter of jitter, on top of
     * what the service asked for. Seven attempts wait for some 15 seconds: a service that restarts is back by then.
     *
     * @param int $attempt the attempt that failed, from 1
     * @param float $random a number in [0, 1)
     * @param float $maxRetryAfter the longest `Retry-After` to wait for
     * @return float|null seconds, or null if another attempt would not help
     */
    public static function delay(
        PartnerException $error,
        int $attempt,
        float $random,
        float $maxRetryAfter,
    ): ?float {
        $backoff = (0.75 + $random / 2) * min(self::LONGEST_BACKOFF, self::FIRST_BACKOFF * 2 ** ($attempt - 1));
        if (!$error instanceof ApiException) {
            return $backoff;
        }
        if (!in_array($error->status, self::RETRIED_STATUSES, true)) {
            return null;
        }
        $retryAfter = $error->retryAfterSeconds ?? 0.0;
        return $retryAfter > $maxRetryAfter ? null : $retryAfter + $backoff;
    }

    /**
     * Reads a `Retry-After` header, which is a number of seconds or an HTTP date.
     *
     * @return float|null seconds from $now, or null if it is absent or invalid
     */
    public static function readAfter(string $header, float $now): ?float
    {
        if (preg_match('/^[0-9]{1,9}$/D', $header)) {
            return (float) $header;
        }
        $at = \DateTimeImmutable::createFromFormat(\DateTimeInterface::RFC7231, $header, new \DateTimeZone('UTC'));
        return $at === false ? null : max(0.0, $at->getTimestamp() - $now);
    }
}
