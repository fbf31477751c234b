import { ServiceError } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import type { PartnerPermission } from '../../domain/partners.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { ParamKind } from './params.ts';

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

/** The permission that the keys of each mode need, and whether a second factor is required. */
export const keyModes = {
  test: {
    mode: 'TEST',
    permission: 'credential.test',
    secondFactor: false,
    kind: 'credential',
    secretKind: 'secret',
  },
  live: {
    mode: 'LIVE',
    permission: 'credential.live',
    secondFactor: true,
    kind: 'liveCredential',
    secretKind: 'liveSecret',
  },
} as const satisfies Record<
  string,
  {
    mode: Mode;
    permission: PartnerPermission;
    secondFactor: boolean;
    kind: ParamKind;
    secretKind: ParamKind;
  }
>;

export const permissionOf = (mode: Mode): PartnerPermission =>
  mode === 'LIVE' ? keyModes.live.permission : keyModes.test.permission;
export const baseOf = (mode: Mode): string => `/keys/${mode.toLowerCase()}`;

/**
 * The permission that the webhook endpoints of each mode need, and whether a second factor is required, as
 * for keys.
 */
export const webhookModes = {
  TEST: {
    permission: 'webhook.test',
    secondFactor: false,
    kind: 'webhookEndpoint',
    deliveryKind: 'webhookDelivery',
  },
  LIVE: {
    permission: 'webhook.live',
    secondFactor: true,
    kind: 'liveWebhookEndpoint',
    deliveryKind: 'liveWebhookDelivery',
  },
} as const satisfies Record<
  Mode,
  {
    permission: PartnerPermission;
    secondFactor: boolean;
    kind: ParamKind;
    deliveryKind: ParamKind;
  }
>;

export const webhookPermissionOf = (mode: Mode): PartnerPermission => webhookModes[mode].permission;

/** The path below which a mode's endpoints are changed. */
export const webhooksOf = (mode: Mode): string => `/webhooks/${mode.toLowerCase()}`;
