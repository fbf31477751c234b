import type { Refused } from './answers.ts';

/** The most refunds of one order (docs/contract.md, Errors). */
export const maxRefundsPerOrder = 100;

/** The refusals that depend on earlier events (docs/contract.md, Idempotency). */
export const refusals = {
  conflict(): Refused {
    return {
      kind: 'REFUSED',
      code: 'IDEMPOTENCY_CONFLICT',
      message:
        'This Idempotency-Key was already used with a different body. Send the original body to get its response, or use a new key for a new request.',
    };
  },
  duplicateOrder(first: { _id: string; externalOrderId: string }): Refused {
    return {
      kind: 'REFUSED',
      code: 'DUPLICATE_EXTERNAL_ORDER',
      message: `externalOrderId ${JSON.stringify(first.externalOrderId)} was already reported as event ${first._id} under another Idempotency-Key. Nothing was created.`,
    };
  },
  tooManyRefunds({ externalOrderId }: { externalOrderId: string }): Refused {
    return {
      kind: 'REFUSED',
      code: 'TOO_MANY_REFUNDS',
      message: `externalOrderId ${JSON.stringify(externalOrderId)} has had ${maxRefundsPerOrder} refunds, and no more are accepted. Nothing was created.`,
    };
  },
  duplicateRefund(first: { _id: string; externalRefundId: string | null }): Refused {
    return {
      kind: 'REFUSED',
      code: 'DUPLICATE_EXTERNAL_REFUND',
      message: `externalRefundId ${JSON.stringify(first.externalRefundId)} was already reported as event ${first._id} under another Idempotency-Key. Use another externalRefundId for another refund.`,
    };
  },
};
