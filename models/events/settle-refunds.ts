import type { DecidedRefund } from '../rewards/refund.ts';
import type { Models } from '../schemas/index.ts';
import type { OrderEventDoc } from '../schemas/order-event.ts';
import { keyDocOf } from '../store/data-keys.ts';
import { insertMissing } from '../store/insert-once.ts';
import { integrationEventOf } from './integration-events.ts';
import { answerOfRefund } from './refund-answer.ts';

/** A refund that was marked, and what it came to. */
export interface SettledRefund {
  event: OrderEventDoc;
  decided: DecidedRefund;
}

/**
 * Puts what marked refunds carried where it belongs (the request into the log, the data key with the
 * customer's others), writes their answers, and takes their marks away. Safe to repeat.
 */
export async function settleRefunds(
  models: Models,
  settled: readonly SettledRefund[],
): Promise<void> {
  if (settled.length === 0) return;
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
    })) as never[],
    { ordered: false },
  );
}
