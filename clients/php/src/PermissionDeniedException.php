<?php

declare(strict_types=1);

namespace PartnerEvents;

/** 403: the key lacks a scope, or the partner is not active. */
final class PermissionDeniedException extends ApiException
{
}
