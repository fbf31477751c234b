<?php

declare(strict_types=1);

namespace PartnerEvents;

/** @internal */
final class Gate
{
    /** When the rate limit allows the next request; in the past if it allows one now. */
    public float $openAt = 0.0;
}
