<?php

declare(strict_types=1);

namespace PartnerEvents;

/** 422: it is understood, and cannot be done, such as too few points. */
final class UnprocessableException extends ApiException
{
}
