<?php

declare(strict_types=1);

namespace PartnerEvents;

/** 409: it was reported before in another way, or has ended. */
final class ConflictException extends ApiException
{
}
