<?php

declare(strict_types=1);

namespace PartnerEvents;

/** A webhook that is not verifiably the service's: respond with 400, and ignore its content. */
final class WebhookException extends \RuntimeException
{
    /**
     * @param string $errorCode INVALID_SECRET, MISSING_HEADER, TIMESTAMP_OUT_OF_RANGE, INVALID_SIGNATURE or
     *   INVALID_BODY
     */
    public function __construct(public readonly string $errorCode, string $message)
    {
        parent::__construct($message);
    }
}
