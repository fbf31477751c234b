<?php

declare(strict_types=1);

namespace PartnerEvents;

use Psr\Http\Message\ResponseInterface;

/** How much of the plan's rate limit is left, as the service said with an answer. */
final class RateLimit
{
    /**
     * @param int|null $limit requests in a window, for all keys of the partner in this mode together
     * @param int $remaining how many are left of it
     * @param int $resetSeconds when there are all of them again
     */
    public function __construct(
        public readonly ?int $limit,
        public readonly ?int $windowSeconds,
        public readonly int $remaining,
        public readonly int $resetSeconds,
    ) {
    }

    /** Reads `RateLimit: "default";r=599;t=60` and `RateLimit-Policy: "default";q=600;w=60`. */
    public static function of(ResponseInterface $response): ?self
    {
        $now = $response->getHeaderLine('RateLimit');
        $policy = $response->getHeaderLine('RateLimit-Policy');
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
