<?php

declare(strict_types=1);

namespace PartnerEvents;

/** 401: the key, the signature or the clock is wrong. */
final class AuthenticationException extends ApiException
{
}
