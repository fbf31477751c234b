import type { Refused } from './events.ts';

/** One order has at most so many refunds (contract, Errors). */
export const maxRefundsPerOrder = 100;

/** The refusals that only the record of earlier events can decide (contract, Idempotency 4 and 6). */
export const refusals = {
  conflict(): Refused {
    return {
      kind: 'REFUSED',
      code: 'IDEMPOTENCY_CONFLICT',
      message:
        'This Idempotency-Key was already used with a different body. Send the original body to get its answer, or a new key for a new request.',
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
      message: `externalOrderId ${JSON.stringify(externalOrderId)} has had ${maxRefundsPerOrder} refunds; no more are taken for it. Nothing was created.`,
    };
  },
  duplicateRefund(first: { _id: string; externalRefundId: string | null }): Refused {
    return {
      kind: 'REFUSED',
      code: 'DUPLICATE_EXTERNAL_REFUND',
      message: `externalRefundId ${JSON.stringify(first.externalRefundId)} was already reported as event ${first._id} under another Idempotency-Key. Send another externalRefundId for another refund.`,
    };
  },
};
