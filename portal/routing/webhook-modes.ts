import type { Mode } from '../../domain/mode.ts';
import type { PartnerPermission } from '../../domain/partner-roles.ts';
import type { ParamKind } from './params.ts';

/** What stands between a mode and its webhook endpoints: a permission, and in LIVE the second factor, as with keys. */
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

/** Where the endpoints of a mode are changed. */
export const webhooksOf = (mode: Mode): string => `/webhooks/${mode.toLowerCase()}`;
