import type { Mode } from '../../domain/mode.ts';
import type { PartnerPermission } from '../../domain/partner-roles.ts';

/** What a user must be to change the rules of a mode. */
export const rulePermissions = {
  TEST: 'earning-rule.test',
  LIVE: 'earning-rule.live',
} as const satisfies Record<Mode, PartnerPermission>;
