import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { ExecutionContext } from 'ava';
import type { Activities } from '../../../activities/index.ts';
import type { StepInput, StepResult } from '../../../activities/purchases.ts';
import type { PurchaseSignal } from '../../../domain/reward.ts';
import {
  applyMove,
  canMove,
  isClaimLinkDue,
  type RewardMove,
  type RewardSnapshot,
} from '../../../domain/reward.ts';
import { purchaseWorkflow, slowQueueOf } from '../../../domain/workflow-names.ts';
import { eventually } from '../../helpers/eventually.ts';
import '../../helpers/quiet-runtime.ts';
import '../../helpers/servers.ts';

let client: Client;
let native: NativeConnection;
/** Long enough for the slowest machine: Temporal handles a hundred signals to one workflow one at a time. */
const patienceMs = 300_000;

/** Of all workflows in a test file, which share two workers. */
const taskQueue = `moments-${randomUUID()}`;
let workers: Worker[] = [];
let running: Promise<unknown>;

type ActivityStubs = Partial<Record<keyof Activities, (...given: never[]) => Promise<unknown>>>;
/** By workflow id. */
const stubsOf = new Map<string, ActivityStubs>();

/** Calls the stub of the calling workflow. The SDK calls `default` for every activity without a function. */
const activities = {
  async default(...given: never[]): Promise<unknown> {
    const { activityType, workflowExecution } = activityInfo();
    const stubs = stubsOf.get(workflowExecution?.workflowId ?? '');
    const stub = stubs?.[activityType as keyof Activities];
    if (!stub) throw new Error(`there is no stub for ${activityType}`);
    return await stub(...given);
  },
};

export async function connect(): Promise<void> {
  const address = process.env.TEMPORAL_ADDRESS ?? '';
  client = new Client({ connection: await Connection.connect({ address }) });
  native = await NativeConnection.connect({ address });
  workers = await Promise.all([
    Worker.create({
      connection: native,
      taskQueue,
      activities,
      workflowBundle: { codePath: process.env.WORKFLOW_BUNDLE ?? '' },
    }),
    Worker.create({ connection: native, taskQueue: slowQueueOf(taskQueue, 'mail'), activities }),
  ]);
  running = Promise.all(workers.map((worker) => worker.run()));
}

export async function disconnect(): Promise<void> {
  for (const worker of workers) worker.shutdown();
  await running;
  await client?.connection.close();
  await native?.close();
}

export const dayMs = 86_400_000;

function aReward(changes: Partial<RewardSnapshot> = {}): RewardSnapshot {
  const id = randomUUID();
  return {
    rewardId: `PNR_${id}`,
    partnerId: 'prt_moments',
    integrationId: 'int_moments',
    mode: 'TEST',
    externalOrderId: id,
    purchaseEventId: `evt_${id}`,
    points: 100,
    liabilityCents: 100,
    customerId: 'cus_moments',
    claimExpiresAt: new Date(Date.now() + dayMs).toISOString(),
    version: 0,
    review: null,
    fundingNotice: null,
    state: 'ACCEPTED',
    fundedAt: null,
    correctedAt: null,
    takenBackPoints: null,
    ...changes,
  };
}

export const after = (reward: RewardSnapshot, move: RewardMove): RewardSnapshot => ({
  ...reward,
  state: applyMove(reward.state, move),
  takenBackPoints: move === 'UPHOLD' ? reward.points : null,
  version: reward.version + 1,
});

/** Whatever passes the gate waits until it is opened. */
export function gate() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  return {
    open,
    reached,
    async pass() {
      reach();
      await opened;
    },
  };
}

export type Gate = ReturnType<typeof gate>;

const newDecision = () => Promise.withResolvers<void>();

/**
 * A purchase's workflow with stubs for its activities. A stub can be held at a gate, so that a test forces a
 * race inside the workflow instead of waiting for one.
 * @param gates by the name under which the activity is recorded in `calls`
 */
export async function isolatedWorkflow(
  t: ExecutionContext,
  reward: RewardSnapshot,
  gates: Partial<Record<string, Gate>> = {},
  others: ActivityStubs = {},
  { isUnsent = false }: { isUnsent?: boolean } = {},
) {
  const calls: string[] = [];
  let stored = reward;
  let decision = newDecision();
  let isMatured = false;
  const store = (next: RewardSnapshot): void => {
    stored = next;
  };
  const steps = new Set<string>();
  /** Records a call once: a retry after a timeout or a lost connection is the same call. */
  const step = async (name: string): Promise<void> => {
    const { activityId, isLocal, scheduledTimestampMs, workflowExecution } = activityInfo();
    // Each attempt at the workflow task schedules its local activities anew.
    const attempt = isLocal ? '' : scheduledTimestampMs;
    const id = `${workflowExecution?.runId} ${name} ${activityId} ${attempt}`;
    if (!steps.has(id)) calls.push(name);
    steps.add(id);
    await gates[name]?.pass();
  };
  /** The stored reward, with its claim link sent if it is due. */
  const told = async ({ at, offeredUntil }: StepInput): Promise<StepResult> => {
    const reward = stored;
    if (!isClaimLinkDue(reward, offeredUntil, Date.parse(at))) return { reward, offer: null };
    await step('offer');
    return { reward, offer: isUnsent ? 'UNSENT' : 'SENT' };
  };
  const stubs: ActivityStubs = {
    begin: async (_ref: unknown, input: StepInput) => {
      await step('begin');
      return await told(input);
    },
    look: async (_ref: unknown, input: StepInput) => {
      await step('look');
      const isOver = stored.claimExpiresAt <= input.at && canMove(stored.state, 'EXPIRE');
      if (isOver) store(after(stored, 'EXPIRE'));
      const { policy } = stored.review ?? {};
      const isUpheld = stored.state === 'IN_REVIEW' && policy && policy.upholdsAt <= input.at;
      if (isUpheld) store(after(stored, 'UPHOLD'));
      else if (
        stored.claimableFrom !== undefined &&
        stored.claimableFrom <= input.at &&
        !isMatured
      ) {
        isMatured = true;
        store(after(stored, 'MATURE'));
        await step('mature');
      }
      return await told(input);
    },
    sendClaimLink: async () => 'SENT',
    mailPartner: async () => {
      await step('tell partner');
      return 'SENT';
    },
    sendTakenBack: async () => {
      await step('take back');
      return 'SENT';
    },
    sendCorrected: async () => {
      await step('tell the wrong contact');
      return 'SENT';
    },
    sendOnHold: async () => {
      await step('tell of the hold');
      return 'SENT';
    },
    sendReminder: async () => {
      await step('remind');
      return 'SENT';
    },
    adminReview: async () => {
      await step('review');
      await decision.promise;
    },
    ...others,
  };
  const workflowId = `moments/${reward.externalOrderId}`;
  stubsOf.set(workflowId, stubs);
  const ref = { partnerId: reward.partnerId, purchaseEventId: reward.purchaseEventId };
  const handle = () => client.workflow.getHandle(workflowId);
  t.teardown(async () => {
    // Fails if the workflow has closed.
    await handle()
      .terminate()
      .catch(() => undefined);
    for (const one of Object.values(gates)) one?.open();
    decision.resolve();
  });
  return {
    reward,
    calls,
    handle,
    /** Replaces the stored reward. */
    store,
    /** Makes a move of the stored reward, without a signal. */
    move: (name: RewardMove, changes: Partial<RewardSnapshot> = {}) =>
      store({ ...after(stored, name), ...changes }),
    start: async () =>
      await client.workflow.start(purchaseWorkflow.type, { taskQueue, workflowId, args: [ref] }),
    /** Signals the workflow, and starts it if needed, as the service does after a move. */
    signal: async (signal: PurchaseSignal) =>
      await client.withDeadline(Date.now() + patienceMs, () =>
        client.workflow.signalWithStart(purchaseWorkflow.type, {
          taskQueue,
          workflowId,
          args: [ref],
          signal,
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      ),
    completeReview: () => decision.resolve(),
    failReview: () => {
      const failing = decision;
      decision = newDecision();
      failing.reject(ApplicationFailure.nonRetryable('an operator failed it'));
    },
    /** Waits until an activity has been called a number of times. */
    called: async (name: string, times = 1) =>
      await eventually(
        async () => calls.filter((one) => one === name).length >= times,
        `${name} is called ${times} times`,
      ),
  };
}

export const funded = (changes: Partial<RewardSnapshot> = {}) =>
  aReward({ state: 'FUNDED', fundedAt: new Date().toISOString(), version: 1, ...changes });
export const waiting = () => aReward({ state: 'AWAITING_FUNDING', version: 1 });
export const review = { reviewId: 'rev_first', openedAt: new Date().toISOString(), dueMs: dayMs };
export const inReview = (changes: Partial<RewardSnapshot> = {}) => ({
  ...after(after(funded(), 'CLAIM'), 'REFUND'),
  review,
  ...changes,
});
