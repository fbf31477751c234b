<?php

declare(strict_types=1);

namespace PartnerEvents;

/** What happened to one attempt: no secret, no header and no body. */
final class AttemptReport
{
    /**
     * @param string $path with the query of a list
     * @param int $attempt from 1
     * @param float $duration in seconds
     * @param int|null $status null without a response
     * @param PartnerException|null $error why it failed; null if it did not
     * @param float|null $retryIn seconds until the next attempt; null if there is none
     */
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        public readonly int $attempt,
        public readonly float $duration,
        public readonly ?int $status,
        public readonly ?string $requestId,
        public readonly ?string $idempotencyKey,
        public readonly ?PartnerException $error,
        public readonly ?float $retryIn,
    ) {
    }
}
