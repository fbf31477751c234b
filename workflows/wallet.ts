import {
  CancellationScope,
  continueAsNew,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { WalletRef } from '../domain/events.ts';
import { fundsChanged } from './messages.ts';

const { fundWaiting } = proxyActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '30 seconds' },
  summary: 'fund what waits, first come, first served',
});

/**
 * Funds the rewards that wait for one wallet, each time money came or a reward joined the line. It
 * closes when it has looked after the last such message.
 */
export async function wallet(ref: WalletRef): Promise<void> {
  let changed = true;
  setHandler(fundsChanged, () => {
    changed = true;
  });
  await CancellationScope.nonCancellable(async () => {
    while (changed) {
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof wallet>(ref);
      changed = false;
      const { more } = await fundWaiting(ref, new Date(Date.now()).toISOString());
      changed ||= more;
    }
  });
}
