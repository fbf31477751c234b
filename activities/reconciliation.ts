import { activityInfo, heartbeat, log, sleep } from '@temporalio/activity';
import { walletOf } from '../domain/wallet.ts';
import { isServable } from '../models/ledger/index.ts';
import {
  findNextQueue,
  findOpenRewards,
  isUnchanged,
  type OpenList,
  type OpenReward,
  openLists,
  type WalletPlace,
} from '../models/rewards/open-business.ts';
import type { ReconciliationRunDoc } from '../models/schemas/reconciliation-run.ts';
import { newId } from '../platform/ids.ts';
import { inFlight } from '../platform/in-flight.ts';
import { headingOfReward } from '../temporal/purchase-start.ts';
import type { ActivityDeps } from './deps.ts';

/** How many questions are on their way to Temporal at a time. */
const maxAsking = 8;
/** How many rewards of a run are named; the rest are counted. */
const maxNamed = 20;
/** How long what was started again has to be taken up, before more is started all the same. */
const begunPatienceMs = 10_000;
const begunPollMs = 100;

/** How far a run has come: what another attempt goes on from. */
interface Progress {
  startedAt: string;
  /** The lists that are done. */
  listsDone: number;
  /** The last reward looked at of the list after them. */
  after: string;
  /** The last wallet looked at, once all lists are done. */
  wallet: WalletPlace;
  found: Pick<
    ReconciliationRunDoc,
    'lookedAt' | 'startedAgain' | 'walletsWoken' | 'failed' | 'rewardIds'
  >;
}

/** What the workflow is told of a run. */
export type Reconciled = Pick<ReconciliationRunDoc, 'summary' | 'startedAgain' | 'failed'>;

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
     * Finds every reward that is open and whose workflow does not run, or is stuck, and every wallet whose line
     * could be served and is not, and starts them again where they stand (docs/domain.md, Reconciliation). Another
     * attempt goes on where this one came to; asking twice starts nothing twice.
     * @throws Error when Temporal cannot be asked, so that it is tried again
     */
    async reconcile(): Promise<Reconciled> {
      const progress: Progress = activityInfo().heartbeatDetails ?? nothingYet();
      const before = new Date(Date.now() - afterMs);
      for (const list of openLists.slice(progress.listsDone)) {
        await lookThrough(list, before, progress);
        progress.listsDone += 1;
        progress.after = '';
      }
      await wakeLines(before, progress);
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

  /** A page at a time, at a pace that Temporal does not feel. */
  async function lookThrough(list: OpenList, before: Date, progress: Progress): Promise<void> {
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
    await inFlight(maxAsking, rewards, async (reward) => {
      if (await workflows.goesOn(reward.workflowId)) return;
      // A workflow closes once its reward is: one that has moved meanwhile was not lost.
      if (await isUnchanged(models, list, reward)) lost.add(reward._id);
    });
    return rewards.filter(({ _id }) => lost.has(_id));
  }

  /** Starts the workflows of a page, and waits until a worker takes the last of them up. */
  async function startAgain(lost: readonly OpenReward[], { found }: Progress): Promise<void> {
    await inFlight(maxInFlight, lost, async (reward) => {
      try {
        await messenger.startPurchase(headingOfReward(reward), true);
        found.startedAgain += 1;
      } catch (error) {
        found.failed += 1;
        log.warn(`the workflow of ${reward._id} could not be started`, { error });
      }
      if (found.rewardIds.length < maxNamed) found.rewardIds.push(reward._id);
    });
    const last = lost.at(-1);
    if (last === undefined) return;
    const until = performance.now() + begunPatienceMs;
    while (performance.now() < until && !(await workflows.hasBegun(last.workflowId))) {
      await sleep(begunPollMs);
    }
  }

  /** A queue that has funds was forgotten; one that waits for funds waits rightly. */
  async function wakeLines(before: Date, progress: Progress): Promise<void> {
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
  if (lost + walletsWoken === 0) return `Whole: ${open}, each with its workflow.`;
  const mended = [
    ...(startedAgain > 0 ? [`${count(startedAgain, 'workflow', 'workflows')} started again`] : []),
    ...(failed > 0 ? [`${count(failed, 'workflow', 'workflows')} could not be started`] : []),
    ...(walletsWoken > 0 ? [`${count(walletsWoken, 'wallet', 'wallets')} woken`] : []),
  ];
  const named = rewardIds.length === 0 ? '' : ` First: ${rewardIds.join(', ')}.`;
  return `${open}: ${mended.join(', ')}.${named}`;
}
