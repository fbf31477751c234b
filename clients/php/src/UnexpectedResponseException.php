<?php

declare(strict_types=1);

namespace PartnerEvents;

/** The response is not the service's: check the base URL, and what is in between. */
final class UnexpectedResponseException extends ApiException
{
}
