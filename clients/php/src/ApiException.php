<?php

declare(strict_types=1);

namespace PartnerEvents;

/** The service answered, and refused. */
final class ApiException extends PartnerException
{
    /**
     * @param string $errorCode one of the service's list of errors, or UNEXPECTED_RESPONSE for an answer that
     *   is not the service's
     * @param string|null $requestId the service's name for this request, to quote to its operators
     * @param float|null $retryAfterSeconds how long the service asks to wait, where it does
     */
    public function __construct(
        string $message,
        public readonly int $status,
        public readonly string $errorCode,
        public readonly ?string $requestId,
        public readonly ?float $retryAfterSeconds,
        public readonly ?RateLimit $rateLimit,
        ?string $idempotencyKey,
    ) {
        parent::__construct($message, $idempotencyKey);
    }
}
