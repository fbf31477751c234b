<?php

declare(strict_types=1);

namespace PartnerEvents;

/**
 * No complete response arrived: the service was unreachable or too slow. The request may have been carried out
 * anyway; repeating it with the same key gives its result without doing it twice.
 */
final class ConnectionException extends PartnerException
{
}
