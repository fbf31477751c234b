import { orderName } from '../../events/order-name.ts';
import type { Config } from '../../platform/config.ts';
import type { ApiState } from '../context.ts';

/**
 * What the access log tells of a partner's request: nothing that a partner or customer sent but the order's
 * id, or its short form.
 */
export const partnerLogFields =
  ({ customerHashKey }: Pick<Config, 'customerHashKey'>) =>
  ({ keyHolder, externalOrderId, eventId }: ApiState) => ({
    partnerId: keyHolder?.partnerId,
    mode: keyHolder?.mode,
    credentialId: keyHolder?.credentialId,
    externalOrderId:
      keyHolder && externalOrderId !== undefined
        ? orderName(customerHashKey, { ...keyHolder, externalOrderId })
        : undefined,
    eventId,
  });
