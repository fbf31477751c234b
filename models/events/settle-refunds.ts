import { createBatcher } from '../../platform/batcher.ts';
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

/** The most purchases whose refunds are settled in one batch. */
const maxBatch = 100;

export type SettleRefunds = (settled: readonly SettledRefund[]) => Promise<void>;

/** Settles refunds of several purchases in one batch if they are ready at the same time. */
export function createSettleRefunds(models: Models): SettleRefunds {
  const settle = createBatcher<{ settled: readonly SettledRefund[] }, void>(
    { maxBatch },
    async (_all, jobs) => {
      await settleRefunds(
        models,
        jobs.flatMap(({ settled }) => settled),
      );
      for (const { resolve } of jobs) resolve();
    },
  );
  return async (settled) => {
    if (settled.length > 0) await settle('all', { settled });
  };
}

/**
 * Puts what marked refunds carried where it belongs (the request into the log, the data key with the
 * customer's others), writes their answers, and takes their marks away. Safe to repeat.
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
    })) as never[],
    { ordered: false },
  );
}
