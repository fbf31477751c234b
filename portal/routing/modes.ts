import { ServiceError } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import type { PartnerPermission } from '../../domain/partners.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';

interface QueryContext {
  readonly query: Record<string, string | string[] | undefined>;
}

interface PartnerQueryContext extends QueryContext {
  state: { viewer: { partner: Pick<PartnerDoc, 'goLive'> } };
}

/** The mode of an address without `?mode`: LIVE once the partner is live. */
export const defaultModeOf = ({ goLive }: Pick<PartnerDoc, 'goLive'>): Mode =>
  goLive.state === 'LIVE' ? 'LIVE' : 'TEST';

/** The mode in an address, such as `?mode=TEST`; undefined without a valid one. */
export const modeIn = ({ query }: QueryContext): Mode | undefined =>
  modes.find((mode) => mode === query.mode);

/** The mode that the page of a partner shows. @throws ServiceError NOT_FOUND for an unknown mode */
export function modeOf(ctx: PartnerQueryContext): Mode {
  const named = modeIn(ctx);
  if (named === undefined && (ctx.query.mode ?? '') !== '') {
    throw new ServiceError('NOT_FOUND', 'This address is not valid.');
  }
  return named ?? defaultModeOf(ctx.state.viewer.partner);
}

/** Who may change the keys of each mode. */
export const keyPermissions = {
  TEST: 'credential.test',
  LIVE: 'credential.live',
} as const satisfies Record<Mode, PartnerPermission>;

/** Who may change the webhook endpoints of each mode. */
export const webhookPermissions = {
  TEST: 'webhook.test',
  LIVE: 'webhook.live',
} as const satisfies Record<Mode, PartnerPermission>;

/** Who may change the refund policy of each mode. */
export const policyPermissions = {
  TEST: 'refund-policy.test',
  LIVE: 'refund-policy.live',
} as const satisfies Record<Mode, PartnerPermission>;

/** Who may change when the points of each mode end. */
export const pointsEndPermissions = {
  TEST: 'points-end.test',
  LIVE: 'points-end.live',
} as const satisfies Record<Mode, PartnerPermission>;

/** Who may change the rules of each mode. */
export const rulePermissions = {
  TEST: 'earning-rule.test',
  LIVE: 'earning-rule.live',
} as const satisfies Record<Mode, PartnerPermission>;
