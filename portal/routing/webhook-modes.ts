import type { Mode } from '../../domain/mode.ts';
import type { PartnerPermission } from '../../domain/partners.ts';
import type { ParamKind } from './params.ts';

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
