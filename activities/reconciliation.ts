import { activityInfo, heartbeat, log, sleep } from '@temporalio/activity';
import pMap from 'p-map';
import { walletOf } from '../domain/postings.ts';
import { isServable } from '../models/ledger/index.ts';
import {
  findNextQueue,
  findOpenRewards,
  isUnchanged,
  type OpenList,
  type OpenReward,
  openLists,
  type WalletPlace,
} from '../models/rewards/open-rewards.ts';
import type { ReconciliationRunDoc } from '../models/schemas/processes.ts';
import { newId } from '../platform/ids.ts';
import { workflowRefOfReward } from '../temporal/purchase-start.ts';
import type { ActivityDeps } from './deps.ts';

/** The most concurrent lookups in Temporal. */
const maxLookups = 8;
/** How many rewards a run names; the others are only counted. */
const maxNamed = 20;
/** How long to wait for restarted workflows to begin before starting more. */
const begunPatienceMs = 10_000;
const begunPollMs = 100;

/** The progress of a run, from which the next attempt continues. */
interface Progress {
  startedAt: string;
  /** How many lists are done. */
  listsDone: number;
  /** The last reward checked in the next list. */
  after: string;
  /** The last wallet checked, once all lists are done. */
  wallet: WalletPlace;
  found: Pick<
    ReconciliationRunDoc,
    'lookedAt' | 'startedAgain' | 'walletsWoken' | 'failed' | 'rewardIds'
  >;
}

/** The result of a run. */
export type ReconciliationResult = Pick<
  ReconciliationRunDoc,
  'summary' | 'startedAgain' | 'failed'
>;

const nothingYet = (): Progress => ({
  startedAt: new Date().toISOString(),
  listsDone: 0,
  after: '',
  wallet: { partnerId: '', walletId: '' },
  found: { lookedAt: 0, startedAgain: 0, walletsWoken: 0, failed: 0, rewardIds: [] },
});

export function reconciliationActivities({
  models,
  ledger,
  messenger,
  workflows,
  reconciliation,
}: ActivityDeps) {
  const { afterMs, perSecond, maxInFlight, maxUnbegun } = reconciliation;

  return {
    /**
     * Finds all open rewards whose workflow is not running or is stuck, and starts these workflows
     * again; and wakes all wallets whose queue could be served and is not (docs/domain.md,
     * Reconciliation). A retry continues where the last attempt stopped, and starts nothing twice.
     * @throws Error if Temporal cannot be reached, so that it is retried
     */
    async reconcile(): Promise<ReconciliationResult> {
      const progress: Progress = activityInfo().heartbeatDetails ?? nothingYet();
      const before = new Date(Date.now() - afterMs);
      for (const list of openLists.slice(progress.listsDone)) {
        await checkList(list, before, progress);
        progress.listsDone += 1;
        progress.after = '';
      }
      await wakeQueues(before, progress);
      const run: ReconciliationRunDoc = {
        _id: newId('reconciliationRun'),
        startedAt: new Date(progress.startedAt),
        endedAt: new Date(),
        ...progress.found,
        summary: summaryOf(progress.found),
      };
      await models.reconciliationRuns.create(run);
      const { summary, startedAgain, failed } = run;
      return { summary, startedAgain, failed };
    },
  };

  /** Checks a list page by page, at a rate that does not burden Temporal. */
  async function checkList(list: OpenList, before: Date, progress: Progress): Promise<void> {
    for (;;) {
      const askedAt = performance.now();
      const page = { before, after: progress.after, limit: maxUnbegun };
      const rewards = await findOpenRewards(models, list, page);
      const last = rewards.at(-1);
      if (last === undefined) return;
      await startAgain(await withoutWorkflow(list, rewards), progress);
      progress.found.lookedAt += rewards.length;
      progress.after = last._id;
      heartbeat(structuredClone(progress));
      const tookMs = performance.now() - askedAt;
      await sleep(Math.max(0, (rewards.length / perSecond) * 1_000 - tookMs));
    }
  }

  async function withoutWorkflow(list: OpenList, rewards: OpenReward[]): Promise<OpenReward[]> {
    const lost = new Set<string>();
    await pMap(
      rewards,
      async (reward) => {
        if (await workflows.isProgressing(reward.workflowId)) return;
        // A workflow closes when its reward does: one that moved meanwhile was not lost.
        if (await isUnchanged(models, list, reward)) lost.add(reward._id);
      },
      { concurrency: maxLookups },
    );
    return rewards.filter(({ _id }) => lost.has(_id));
  }

  /** Starts the workflows of a page, and waits until a worker has picked up the last one. */
  async function startAgain(lost: readonly OpenReward[], { found }: Progress): Promise<void> {
    await pMap(
      lost,
      async (reward) => {
        try {
          await messenger.startPurchase(workflowRefOfReward(reward), true);
          found.startedAgain += 1;
        } catch (error) {
          found.failed += 1;
          log.warn(`the workflow of ${reward._id} could not be started`, { error });
        }
        if (found.rewardIds.length < maxNamed) found.rewardIds.push(reward._id);
      },
      { concurrency: maxInFlight },
    );
    const last = lost.at(-1);
    if (last === undefined) return;
    const until = performance.now() + begunPatienceMs;
    while (performance.now() < until && !(await workflows.hasBegun(last.workflowId))) {
      await sleep(begunPollMs);
    }
  }

  /** A queue that could be served was forgotten; one that waits for funds is left alone. */
  async function wakeQueues(before: Date, progress: Progress): Promise<void> {
    for (;;) {
      const first = await findNextQueue(models, progress.wallet);
      if (first === null) return;
      if (first.updatedAt < before && (await isServable(ledger, first))) {
        await messenger.wakeWallet(walletOf(first));
        progress.found.walletsWoken += 1;
      }
      progress.wallet = { partnerId: first.partnerId, walletId: first.walletId };
      heartbeat(structuredClone(progress));
    }
  }
}

function summaryOf({
  lookedAt,
  startedAgain,
  walletsWoken,
  failed,
  rewardIds,
}: Progress['found']): string {
  const count = (number: number, one: string, more: string) =>
    `${number} ${number === 1 ? one : more}`;
  const open = count(lookedAt, 'open reward', 'open rewards');
  const lost = startedAgain + failed;
  if (lost + walletsWoken === 0) return `Nothing lost: ${open}, each with its workflow.`;
  const mended = [
    ...(startedAgain > 0 ? [`${count(startedAgain, 'workflow', 'workflows')} started again`] : []),
    ...(failed > 0 ? [`${count(failed, 'workflow', 'workflows')} could not be started`] : []),
    ...(walletsWoken > 0 ? [`${count(walletsWoken, 'wallet', 'wallets')} woken`] : []),
  ];
  const named = rewardIds.length === 0 ? '' : ` First: ${rewardIds.join(', ')}.`;
  return `${open}: ${mended.join(', ')}.${named}`;
}
