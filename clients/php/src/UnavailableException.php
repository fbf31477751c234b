<?php

declare(strict_types=1);

namespace PartnerEvents;

/** 408, 5xx: the service could not do it, also after the last attempt; send the same again later. */
final class UnavailableException extends ApiException
{
}
