<?php

declare(strict_types=1);

namespace PartnerEvents;

/** 400, 405, 413, 415: the request itself is wrong; correct it. */
final class InvalidRequestException extends ApiException
{
}
