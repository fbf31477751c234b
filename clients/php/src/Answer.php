<?php

declare(strict_types=1);

namespace PartnerEvents;

/** A success: its fields as the reference names them, and what its headers say. */
final class Answer
{
    /**
     * @param array<string, mixed> $body money is whole cents, and points are integers
     * @param bool $replayed whether this is the stored answer of an earlier, identical request
     * @param string|null $requestId the service's name for this request, to quote to its operators
     */
    public function __construct(
        public readonly array $body,
        public readonly bool $replayed,
        public readonly ?string $requestId,
        public readonly ?RateLimit $rateLimit,
    ) {
    }
}
