import {
  CancellationScope,
  condition,
  continueAsNew,
  log,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { FundedPage, WaitingPage } from '../activities/wallet.ts';
import type { WalletRef } from '../domain/postings.ts';
import { slowQueueOf } from '../domain/workflow-names.ts';
import { fundsChanged } from './messages.ts';

const { findWaiting, fundWaiting } = proxyActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '30 seconds' },
  summary: 'fund waiting rewards, first come, first served',
});
const mails = () =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'mail'),
    startToCloseTimeout: '1 minute',
    scheduleToCloseTimeout: '1 hour',
    retry: { initialInterval: '1 second', maximumInterval: '10 minutes' },
    summary: 'email the partner that funds are low',
  });

/**
 * Funds the rewards that wait for one wallet, whenever it has more money or a reward joined the
 * queue. It closes once all signals are handled and the partner has been emailed.
 */
export async function wallet(ref: WalletRef): Promise<void> {
  let changed = true;
  let unsent = 0;
  setHandler(fundsChanged, () => {
    changed = true;
  });
  await CancellationScope.nonCancellable(async () => {
    while (changed || unsent > 0) {
      await condition(() => changed || unsent === 0);
      if (!changed) break;
      if (workflowInfo().continueAsNewSuggested) {
        await condition(() => unsent === 0);
        await continueAsNew<typeof wallet>(ref);
      }
      changed = false;
      await serve();
    }
  });

  /**
   * Serves the queue from the front, with the money that was there at the start. Money that arrives
   * meanwhile brings another signal, and the queue is read again.
   */
  async function serve(): Promise<void> {
    let leftCents: number | undefined;
    for (let after: string | null = null; ; ) {
      const page: WaitingPage = await findWaiting(ref, after);
      leftCents ??= page.fundingCents;
      after = page.rewardIds.at(-1) ?? null;
      if (after === null) return;
      const { isServed, fundedCents, lowBalances } = await fundWaiting(
        ref,
        page.rewardIds,
        leftCents,
        new Date(Date.now()).toISOString(),
      );
      leftCents -= fundedCents;
      for (const lowBalance of lowBalances) mailPartner(lowBalance);
      if (!isServed) return;
    }
  }

  /** Not awaited, so that the queue does not wait for a mail server. */
  async function mailPartner({ reward, lowBalanceCents }: FundedPage['lowBalances'][number]) {
    unsent += 1;
    try {
      await mails().mailPartner(reward, { missingCents: null, lowBalanceCents });
    } catch (error) {
      log.warn('the partner could not be notified of low funds', {
        reason: error instanceof Error ? (error.cause ?? error) : error,
      });
    } finally {
      unsent -= 1;
    }
  }
}
