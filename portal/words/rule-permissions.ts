import type { Mode } from '../../domain/mode.ts';
import type { PartnerPermission } from '../../domain/partners.ts';

/** The permission to change the rules of each mode. */
export const rulePermissions = {
  TEST: 'earning-rule.test',
  LIVE: 'earning-rule.live',
} as const satisfies Record<Mode, PartnerPermission>;
