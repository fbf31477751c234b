<?php

declare(strict_types=1);

namespace PartnerEvents;

/** A successful response: its fields as in the API reference, and metadata from its headers. */
final class Answer
{
    /**
     * @param array<string, mixed> $body money is whole cents, and points are integers
     * @param bool $replayed whether this is the stored response to an earlier, identical request
     * @param string|null $requestId the service's id of this request; give it to the operators when you ask about it
     */
    public function __construct(
        public readonly array $body,
        public readonly bool $replayed,
        public readonly ?string $requestId,
        public readonly ?RateLimit $rateLimit,
    ) {
    }
}
