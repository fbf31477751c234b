<?php

declare(strict_types=1);

namespace PartnerEvents;

/** The service refused the request. */
final class ApiException extends PartnerException
{
    /**
     * @param string $errorCode a code from the service's list of errors, or UNEXPECTED_RESPONSE if the response
     *   is not the service's
     * @param string|null $requestId the service's id of this request; give it to the operators when you ask about it
     * @param float|null $retryAfterSeconds how long the service asks to wait, if it does
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
