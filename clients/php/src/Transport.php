<?php

declare(strict_types=1);

namespace PartnerEvents;

/**
 * Sends a request once, without following redirects, which would send the signature elsewhere.
 *
 * @internal
 */
interface Transport
{
    /**
     * @param array<string, string> $headers
     * @param float $timeout seconds, for the whole of it
     * @throws \RuntimeException if no complete response arrives
     */
    public function send(string $method, string $url, array $headers, string $body, float $timeout): Response;
}
