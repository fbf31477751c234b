import { createListBatcher } from '../../platform/batcher.ts';
import type { DecidedRefund } from '../rewards/refund.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import { keyDocOf } from '../store/data-keys.ts';
import { insertMissing } from '../store/insert-once.ts';
import { integrationEventOf } from './integration-events.ts';
import { answerOfRefund } from './refund-answer.ts';

/** A pending refund and its outcome. */
export interface SettledRefund {
  event: OrderEventDoc;
  decided: DecidedRefund;
}

/** Maximum number of purchases whose refunds are settled in one batch. */
const maxBatch = 100;

export type SettleRefunds = (settled: readonly SettledRefund[]) => Promise<void>;

/** Settles refunds; those of purchases that are ready at the same time share a batch. */
export function createSettleRefunds(models: Models): SettleRefunds {
  return createListBatcher({ maxBatch }, (settled) => settleRefunds(models, settled));
}

/**
 * Moves the data that pending refunds carried to their collections (the request to the log, the data key
 * to the customer's keys), writes their responses, and clears their pending marks. Safe to repeat.
 */
async function settleRefunds(models: Models, settled: readonly SettledRefund[]): Promise<void> {
  const events = settled.map(({ event }) => event);
  await Promise.all([
    insertMissing(
      models.integrationEvents,
      events.map((event) => integrationEventOf(event, event.address ?? null)),
    ),
    insertMissing(
      models.dataKeys,
      settled.flatMap(({ event: { dataKey, receivedAt }, decided: { reward } }) =>
        dataKey ? [keyDocOf(dataKey, reward, receivedAt)] : [],
      ),
    ),
  ]);
  await models.orderEvents.collection.bulkWrite(
    settled.map(({ event, decided }) => ({
      updateOne: {
        filter: { partnerId: event.partnerId, _id: event._id },
        update: {
          $set: { answer: answerOfRefund(event, decided) },
          $unset: { pendingSince: '', address: '', dataKey: '', customerId: '' },
        },
      },
    })),
    { ordered: false },
  );
}
