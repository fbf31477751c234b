import {
  condition,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { PurchaseCommand } from '../../domain/events.ts';

/** The shortest workflows that record a purchase and answer it, one way and another. */

export const answer = defineUpdate<string, []>('answer');

const local = proxyLocalActivities<Activities>({ startToCloseTimeout: '5 seconds' });
const ordinary = proxyActivities<Activities>({ startToCloseTimeout: '5 seconds' });

export async function byLocalActivity(command: PurchaseCommand): Promise<void> {
  await recordAndAnswer(() => local.recordPurchase(command));
}

export async function byOrdinaryActivity(command: PurchaseCommand): Promise<void> {
  await recordAndAnswer(() => ordinary.recordPurchase(command));
}

async function recordAndAnswer(record: () => Promise<{ kind: string }>): Promise<void> {
  let recorded: string | undefined;
  let isAnswered = false;
  setHandler(answer, async () => {
    await condition(() => recorded !== undefined);
    isAnswered = true;
    return recorded ?? '';
  });
  recorded = (await record()).kind;
  await condition(() => isAnswered);
}
