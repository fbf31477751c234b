import { activityInfo, heartbeat, log, sleep } from '@temporalio/activity';
import pMap from 'p-map';
import { canMove, openStates } from '../domain/reward.ts';
import { completeRequestLog } from '../models/events/complete-request-log.ts';
import {
  findOpenRewards,
  isUnchanged,
  type OpenReward,
  type OpenState,
  surveyOpenRewards,
} from '../models/rewards/open-rewards.ts';
import type { ReconciliationRunDoc } from '../models/schemas/processes.ts';
import { idBound, newId, timeOfId } from '../platform/ids.ts';
import { workflowRefOfReward } from '../temporal/purchase-start.ts';
import type { ActivityDeps } from './deps.ts';
import { windowEnd } from './purchases.ts';

/** The most concurrent lookups in Temporal. */
const maxLookups = 8;
/** How many rewards a run names; the others are only counted. */
const maxNamed = 20;
/** The workflow of a reward whose window ended so long ago is not just late: it waits for something else. */
const overdueMs = 3_600_000;
/** How long to wait for restarted workflows to begin before starting more. */
const begunPatienceMs = 10_000;
const begunPollMs = 100;

/** With more open rewards than this, a run has several parts. */
const onePart = 10_000;
const parts = 64;
/** Sorts after every id. */
const afterAllIds = '~';

/** Rewards by their ids: after one, up to another. */
export interface IdRange {
  after: string;
  upTo: string;
}

/** What was found in a part. */
export type Found = Pick<
  ReconciliationRunDoc,
  'lookedAt' | 'startedAgain' | 'failed' | 'rewardIds'
>;

/** The progress of a part, from which the next attempt continues. */
interface Progress {
  /** How many statuses are done. */
  statesDone: number;
  /** The last reward checked in the next one. */
  after: string;
  found: Found;
}

/** The result of a run. */
export type ReconciliationResult = Pick<
  ReconciliationRunDoc,
  'summary' | 'startedAgain' | 'failed'
>;

export function reconciliationActivities({
  models,
  commit,
  databaseTime,
  messenger,
  workflows,
  reconciliation,
}: ActivityDeps) {
  const { afterMs, perSecond, maxInFlight, maxNotStarted } = reconciliation;

  return {
    /**
     * Divides the open rewards by their age, so that every worker can check some of them.
     * @returns the parts, which together have all rewards
     */
    async reconciliationParts(): Promise<IdRange[]> {
      const { oldest, isMany } = await surveyOpenRewards(models, onePart);
      const all = { after: '', upTo: afterAllIds };
      if (oldest === null || !isMany) return [all];
      const firstMs = timeOfId(oldest);
      const eachMs = (Date.now() - firstMs) / parts;
      const bounds = Array.from({ length: parts - 1 }, (_, nth) =>
        idBound('reward', Math.floor(firstMs + (nth + 1) * eachMs)),
      );
      return [all.after, ...bounds].map((after, nth) => ({
        after,
        upTo: bounds[nth] ?? all.upTo,
      }));
    },

    /**
     * Finds a part's open rewards whose workflow is not running, is stuck or waits for what the database does not know,
     * and starts these workflows again; ends windows that are long over (docs/concepts/how-it-works.md, Recovery). A retry
     * continues where the last attempt stopped, and starts nothing twice.
     * @throws Error if Temporal cannot be reached, so that it is retried
     */
    async reconcile({ after, upTo }: IdRange): Promise<Found> {
      const progress: Progress = activityInfo().heartbeatDetails ?? {
        statesDone: 0,
        after,
        found: { lookedAt: 0, startedAgain: 0, failed: 0, rewardIds: [] },
      };
      const before = new Date(Date.now() - afterMs);
      for (const state of openStates.slice(progress.statesDone)) {
        await checkState(state, { before, upTo }, progress);
        progress.statesDone += 1;
        progress.after = after;
      }
      return progress.found;
    },

    /** Logs the accepted requests whose process was killed before it wrote their rows. @returns how many */
    completeRequestLog: (): Promise<number> => completeRequestLog(models, Date.now()),

    /** Stores the result of a run. @param startedAt ISO 8601 */
    async recordReconciliation(
      startedAt: string,
      found: readonly Found[],
    ): Promise<ReconciliationResult> {
      const total = (of: 'lookedAt' | 'startedAgain' | 'failed') =>
        found.reduce((sum, one) => sum + one[of], 0);
      const all: Found = {
        lookedAt: total('lookedAt'),
        startedAgain: total('startedAgain'),
        failed: total('failed'),
        rewardIds: found.flatMap(({ rewardIds }) => rewardIds).slice(0, maxNamed),
      };
      const run: ReconciliationRunDoc = {
        _id: newId('reconciliationRun'),
        startedAt: new Date(startedAt),
        endedAt: new Date(),
        ...all,
        summary: summaryOf(all),
      };
      await models.reconciliationRuns.create(run);
      const { summary, startedAgain, failed } = run;
      return { summary, startedAgain, failed };
    },
  };

  /** Checks the rewards in a state page by page, at a rate that does not burden Temporal. */
  async function checkState(
    state: OpenState,
    within: { before: Date; upTo: string },
    progress: Progress,
  ): Promise<void> {
    for (;;) {
      const askedAt = performance.now();
      const page = { ...within, after: progress.after, limit: maxNotStarted };
      const rewards = await findOpenRewards(models, state, page);
      const last = rewards.at(-1);
      if (last === undefined) return;
      const at = await databaseTime();
      await startAgain(await withoutWorkflow(rewards, at), at, progress);
      progress.found.lookedAt += rewards.length;
      progress.after = last._id;
      heartbeat(structuredClone(progress));
      const tookMs = performance.now() - askedAt;
      await sleep(Math.max(0, (rewards.length / perSecond) * 1_000 - tookMs));
    }
  }

  async function withoutWorkflow(rewards: OpenReward[], at: Date): Promise<OpenReward[]> {
    const lost = new Set<string>();
    await pMap(
      rewards,
      async (reward) => {
        const reviewId = reward.state === 'IN_REVIEW' ? (reward.review?.reviewId ?? null) : null;
        const isAttended =
          !isOverdue(reward, at) && (await workflows.isProgressing(reward.workflowId, reviewId));
        if (isAttended) return;
        // A workflow closes when its reward does: one that moved meanwhile was not lost.
        if (await isUnchanged(models, reward)) lost.add(reward._id);
      },
      { concurrency: maxLookups },
    );
    return rewards.filter(({ _id }) => lost.has(_id));
  }

  /**
   * Starts the workflows of a page, and waits until a worker has picked up the last one. The end of a window is
   * committed here: its workflow is then due to look.
   */
  async function startAgain(
    lost: readonly OpenReward[],
    at: Date,
    { found }: Progress,
  ): Promise<void> {
    await pMap(
      lost,
      async (reward) => {
        try {
          if (isOverdue(reward, at)) await commit(windowEnd(reward, at));
          else await messenger.startPurchase(workflowRefOfReward(reward), true);
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

const isOverdue = ({ state, claimExpiresAt }: OpenReward, at: Date): boolean =>
  canMove(state, 'EXPIRE') && at.getTime() - claimExpiresAt.getTime() > overdueMs;

function summaryOf({ lookedAt, startedAgain, failed, rewardIds }: Found): string {
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
