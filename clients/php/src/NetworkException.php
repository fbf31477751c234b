<?php

declare(strict_types=1);

namespace PartnerEvents;

/**
 * No complete answer came: the service was out of reach or too slow. The request may have been carried out
 * all the same; the same request with the same key finds out without doing it twice.
 */
final class NetworkException extends PartnerException
{
}
