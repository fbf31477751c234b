<?php

declare(strict_types=1);

namespace PartnerEvents;

/** 429: above the rate limit, also after the last attempt. */
final class RateLimitException extends ApiException
{
}
