<?php

declare(strict_types=1);

namespace PartnerEvents;

/** 404: there is no such order, reward or redemption in the key's mode. */
final class NotFoundException extends ApiException
{
}
