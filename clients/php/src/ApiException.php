<?php

declare(strict_types=1);

namespace PartnerEvents;

/** The service refused the request; each kind of refusal has a class. */
class ApiException extends PartnerException
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

    /**
     * The class of a refusal.
     *
     * @return class-string<self>
     */
    public static function kindOf(int $status, string $errorCode): string
    {
        if ($errorCode === 'UNEXPECTED_RESPONSE') {
            return UnexpectedResponseException::class;
        }
        return match ($status) {
            400, 405, 413, 415 => InvalidRequestException::class,
            401 => AuthenticationException::class,
            403 => PermissionDeniedException::class,
            404 => NotFoundException::class,
            408 => UnavailableException::class,
            409 => ConflictException::class,
            422 => UnprocessableException::class,
            429 => RateLimitException::class,
            default => $status >= 500 ? UnavailableException::class : self::class,
        };
    }
}
