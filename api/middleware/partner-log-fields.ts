import { orderName } from '../../events/order-name.ts';
import type { Config } from '../../platform/config.ts';
import type { ApiState } from '../context.ts';

/**
 * Fields of a partner's request for the access log. Of everything that the partner sent, they contain
 * only the order id, or its short form where the id contains personal data.
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
