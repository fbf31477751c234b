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
import type { FundedLine, WaitingLine } from '../activities/wallet.ts';
import type { WalletRef } from '../domain/wallet.ts';
import { slowQueueOf } from '../domain/workflow-names.ts';
import { fundsChanged } from './messages.ts';

const { findWaiting, fundWaiting } = proxyActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '30 seconds' },
  summary: 'fund what waits, first come, first served',
});
const mails = () =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'mail'),
    startToCloseTimeout: '1 minute',
    scheduleToCloseTimeout: '1 hour',
    retry: { initialInterval: '1 second', maximumInterval: '10 minutes' },
    summary: 'tell the partner that funds run low',
  });

/**
 * Funds the rewards that wait for one wallet, each time money came or a reward joined the line. It
 * closes when it has looked after the last such message, and the partner knows what they should.
 */
export async function wallet(ref: WalletRef): Promise<void> {
  let changed = true;
  let untold = 0;
  setHandler(fundsChanged, () => {
    changed = true;
  });
  await CancellationScope.nonCancellable(async () => {
    while (changed || untold > 0) {
      await condition(() => changed || untold === 0);
      if (!changed) break;
      if (workflowInfo().continueAsNewSuggested) {
        await condition(() => untold === 0);
        await continueAsNew<typeof wallet>(ref);
      }
      changed = false;
      await serve();
    }
  });

  /**
   * Serves the line from its front, as far as the money goes that was there to begin with. For what comes
   * meanwhile there is another message, and the line is looked at anew.
   */
  async function serve(): Promise<void> {
    let leftCents: number | undefined;
    for (let after: string | null = null; ; ) {
      const line: WaitingLine = await findWaiting(ref, after);
      leftCents ??= line.fundingCents;
      after = line.rewardIds.at(-1) ?? null;
      if (after === null) return;
      const { isServed, fundedCents, lowBalances } = await fundWaiting(
        ref,
        line.rewardIds,
        leftCents,
        new Date(Date.now()).toISOString(),
      );
      leftCents -= fundedCents;
      for (const news of lowBalances) tell(news);
      if (!isServed) return;
    }
  }

  /** Nobody in line waits for a mail server. */
  async function tell({ reward, lowBalanceCents }: FundedLine['lowBalances'][number]) {
    untold += 1;
    try {
      await mails().mailPartner(reward, { missingCents: null, lowBalanceCents });
    } catch (error) {
      log.warn('the partner was not told', {
        reason: error instanceof Error ? (error.cause ?? error) : error,
      });
    } finally {
      untold -= 1;
    }
  }
}
