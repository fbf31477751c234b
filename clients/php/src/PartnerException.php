<?php

declare(strict_types=1);

namespace PartnerEvents;

/** The exception for a request that was not accepted. */
abstract class PartnerException extends \RuntimeException
{
    /** @param string|null $idempotencyKey the key that was sent: a retry of the same request must use it again */
    public function __construct(
        string $message,
        public readonly ?string $idempotencyKey,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, 0, $previous);
    }
}
