<?php

declare(strict_types=1);

namespace PartnerEvents;

/** The rest of the plan's rate limit, from the headers of a response. */
final class RateLimit
{
    /**
     * @param int|null $limit requests per window, for all of the partner's keys in this mode
     * @param int $remaining requests left in the window
     * @param int $resetSeconds seconds until the window ends
     */
    public function __construct(
        public readonly ?int $limit,
        public readonly ?int $windowSeconds,
        public readonly int $remaining,
        public readonly int $resetSeconds,
    ) {
    }

    /** Reads `RateLimit: "default";r=599;t=60` and `RateLimit-Policy: "default";q=600;w=60`. */
    public static function of(Response $response): ?self
    {
        $now = $response->header('RateLimit');
        $policy = $response->header('RateLimit-Policy');
        $remaining = self::parameter($now, 'r');
        $resetSeconds = self::parameter($now, 't');
        if ($remaining === null || $resetSeconds === null) {
            return null;
        }
        return new self(self::parameter($policy, 'q'), self::parameter($policy, 'w'), $remaining, $resetSeconds);
    }

    private static function parameter(string $header, string $name): ?int
    {
        return preg_match("/;\\s*$name=([0-9]{1,9})(?![^;,\\s])/", $header, $found) ? (int) $found[1] : null;
    }
}
