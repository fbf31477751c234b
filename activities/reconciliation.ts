import { activityInfo, heartbeat, log, sleep } from '@temporalio/activity';
import pMap from 'p-map';
import { openStatuses } from '../domain/reward.ts';
import {
  findOpenRewards,
  isUnchanged,
  type OpenReward,
  type OpenStatus,
} from '../models/rewards/open-rewards.ts';
import type { ReconciliationRunDoc } from '../models/schemas/processes.ts';
import { newId } from '../platform/ids.ts';
import { workflowRefOfReward } from '../temporal/purchase-start.ts';
import type { ActivityDeps } from './deps.ts';
import { endOverdueHolds } from './redemptions.ts';

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
  /** How many statuses are done. */
  statusesDone: number;
  /** The last reward checked in the next one. */
  after: string;
  found: Pick<ReconciliationRunDoc, 'lookedAt' | 'startedAgain' | 'failed' | 'rewardIds'>;
}

/** The result of a run. */
export type ReconciliationResult = Pick<
  ReconciliationRunDoc,
  'summary' | 'startedAgain' | 'failed'
>;

const nothingYet = (): Progress => ({
  startedAt: new Date().toISOString(),
  statusesDone: 0,
  after: '',
  found: { lookedAt: 0, startedAgain: 0, failed: 0, rewardIds: [] },
});

export function reconciliationActivities(activityDeps: ActivityDeps) {
  const { models, messenger, workflows, reconciliation } = activityDeps;
  const { afterMs, perSecond, maxInFlight, maxUnbegun } = reconciliation;

  return {
    /**
     * Finds all open rewards whose workflow is not running or is stuck, and starts these workflows
     * again (docs/domain.md, Reconciliation), and ends holds that nothing ended in time. A retry continues where the last attempt stopped, and starts nothing twice.
     * @throws Error if Temporal cannot be reached, so that it is retried
     */
    async reconcile(): Promise<ReconciliationResult> {
      const progress: Progress = activityInfo().heartbeatDetails ?? nothingYet();
      const before = new Date(Date.now() - afterMs);
      for (const status of openStatuses.slice(progress.statusesDone)) {
        await checkStatus(status, before, progress);
        progress.statusesDone += 1;
        progress.after = '';
      }
      await endOverdueHolds(activityDeps);
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

  /** Checks the rewards of a status page by page, at a rate that does not burden Temporal. */
  async function checkStatus(status: OpenStatus, before: Date, progress: Progress): Promise<void> {
    for (;;) {
      const askedAt = performance.now();
      const page = { before, after: progress.after, limit: maxUnbegun };
      const rewards = await findOpenRewards(models, status, page);
      const last = rewards.at(-1);
      if (last === undefined) return;
      await startAgain(await withoutWorkflow(rewards), progress);
      progress.found.lookedAt += rewards.length;
      progress.after = last._id;
      heartbeat(structuredClone(progress));
      const tookMs = performance.now() - askedAt;
      await sleep(Math.max(0, (rewards.length / perSecond) * 1_000 - tookMs));
    }
  }

  async function withoutWorkflow(rewards: OpenReward[]): Promise<OpenReward[]> {
    const lost = new Set<string>();
    await pMap(
      rewards,
      async (reward) => {
        if (await workflows.isProgressing(reward.workflowId)) return;
        // A workflow closes when its reward does: one that moved meanwhile was not lost.
        if (await isUnchanged(models, reward)) lost.add(reward._id);
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
}

function summaryOf({ lookedAt, startedAgain, failed, rewardIds }: Progress['found']): string {
  const count = (number: number, one: string, more: string) =>
    `${number} ${number === 1 ? one : more}`;
  const open = count(lookedAt, 'open reward', 'open rewards');
  const lost = startedAgain + failed;
  if (lost === 0) return `Nothing lost: ${open}, each with its workflow.`;
  const mended = [
    ...(startedAgain > 0 ? [`${count(startedAgain, 'workflow', 'workflows')} started again`] : []),
    ...(failed > 0 ? [`${count(failed, 'workflow', 'workflows')} could not be started`] : []),
  ];
  const named = rewardIds.length === 0 ? '' : ` First: ${rewardIds.join(', ')}.`;
  return `${open}: ${mended.join(', ')}.${named}`;
}
