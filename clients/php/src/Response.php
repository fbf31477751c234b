<?php

declare(strict_types=1);

namespace PartnerEvents;

/**
 * A whole response.
 *
 * @internal
 */
final class Response
{
    /** @param array<string, string> $headers by their names in lower case */
    public function __construct(
        public readonly int $status,
        private readonly array $headers,
        public readonly string $body,
    ) {
    }

    /** Empty if it is absent. */
    public function header(string $name): string
    {
        return $this->headers[strtolower($name)] ?? '';
    }
}
