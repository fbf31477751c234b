import type { ApiState } from '../context.ts';

/** What the access log tells of a partner's request: nothing that a partner or customer sent but the order's id. */
export function partnerLogFields({ keyHolder, externalOrderId, eventId }: ApiState) {
  return {
    partnerId: keyHolder?.partnerId,
    mode: keyHolder?.mode,
    credentialId: keyHolder?.credentialId,
    externalOrderId,
    eventId,
  };
}
