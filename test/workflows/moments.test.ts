import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import {
  Client,
  Connection,
  WithStartWorkflowOperation,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import proto from '@temporalio/proto';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import test, { type ExecutionContext } from 'ava';
import type { Activities } from '../../activities/index.ts';
import type { Answer, RefundCommand, ReviewDecision, RewardSnapshot } from '../../domain/events.ts';
import { applyMove, type RewardMove } from '../../domain/reward-states.ts';
import { purchaseWorkflow } from '../../domain/workflow-names.ts';
import {
  claimReward,
  refundPurchase,
  rewardFunded,
  runIsClosing,
} from '../../workflows/messages.ts';
import { eventually } from '../helpers/eventually.ts';

/**
 * The moments in which two things meet inside a purchase's workflow. What the activities would do to the
 * database is done by stand-ins, each of which can be held up, so that the moment happens each time.
 */
let client: Client;
let native: NativeConnection;
Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
test.before(async () => {
  const address = process.env.TEMPORAL_ADDRESS ?? '';
  client = new Client({ connection: await Connection.connect({ address }) });
  native = await NativeConnection.connect({ address });
});
test.after.always(async () => {
  await client?.connection.close();
  await native?.close();
});

const dayMs = 86_400_000;

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
    customerKey: 'cus_moments',
    claimExpiresAt: new Date(Date.now() + dayMs).toISOString(),
    version: 0,
    review: null,
    status: 'PENDING',
    customerStatus: 'AWAITING_CUSTOMER_CLAIM',
    funded: false,
    ...changes,
  };
}

const after = (reward: RewardSnapshot, move: RewardMove): RewardSnapshot => ({
  ...reward,
  ...applyMove(reward, move),
  version: reward.version + 1,
});

/** A door that whatever comes to it waits at, until it is opened. */
function door() {
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

type Door = ReturnType<typeof door>;
type StandIns = Partial<Record<keyof Activities, (...given: never[]) => Promise<unknown>>>;

/** What a workflow of its own asks for, in its order, and the doors that its activities stand behind. */
async function stage(
  t: ExecutionContext,
  reward: RewardSnapshot,
  doors: Partial<Record<string, Door>> = {},
  { claimWindowMs = dayMs } = {},
) {
  const asked: string[] = [];
  let stored = reward;
  /** An attempt that took too long is made again, and is the same step. */
  const note = (name: string): void => {
    if (activityInfo().attempt === 1) asked.push(name);
  };
  const behindDoor = async (name: string, then: () => RewardSnapshot): Promise<RewardSnapshot> => {
    note(name);
    await doors[name]?.pass();
    stored = then();
    return stored;
  };
  const { promise: decision, resolve: decide } = Promise.withResolvers<ReviewDecision>();
  const standIns: StandIns = {
    beginPurchase: async () =>
      await behindDoor('begin', () => ({
        ...stored,
        claimExpiresAt: new Date(Date.now() + claimWindowMs).toISOString(),
      })),
    accountReward: async () => ({
      reward: await behindDoor('account', () => stored),
      missingCents: null,
      lowBalanceCents: null,
    }),
    tryClaimLink: async () => true,
    sendClaimLink: async () => 'SENT',
    topUpReward: async (of: RewardSnapshot) => await behindDoor('topUp', () => after(of, 'FUND')),
    settleReward: async (of: RewardSnapshot, move: RewardMove) =>
      await behindDoor(move, () => after(of, move)),
    recordRefund: async (command: RefundCommand, of: RewardSnapshot) => {
      const { eventId, receivedAt } = command;
      const opened = { reviewId: `rev_${eventId}`, openedAt: receivedAt, dueMs: dayMs };
      const review = of.status === 'AVAILABLE' ? opened : of.review;
      const next = await behindDoor('REFUND', () => ({ ...after(of, 'REFUND'), review }));
      const answer: Answer = { kind: 'ANSWERED', eventId: '', body: next.status, requestId: '' };
      return { answer, reward: next };
    },
    adminReview: async () => {
      note('review');
      return await decision;
    },
    closeReview: async (of: RewardSnapshot, _reviewId: string, { verdict }: ReviewDecision) =>
      await behindDoor('close', () => after(of, verdict)),
  };
  const taskQueue = `moments-${randomUUID()}`;
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowBundle: { codePath: process.env.WORKFLOW_BUNDLE ?? '' },
    activities: standIns as never,
  });
  const running = worker.run();
  t.teardown(async () => {
    for (const one of Object.values(doors)) one?.open();
    decide({ verdict: 'DISMISS' } as ReviewDecision);
    worker.shutdown();
    await running;
  });
  const workflowId = `moments/${reward.externalOrderId}`;
  const ref = { partnerId: reward.partnerId, purchaseEventId: reward.purchaseEventId };
  const handle = () => client.workflow.getHandle(workflowId);
  return {
    asked,
    decide,
    ref,
    taskQueue,
    workflowId,
    handle,
    start: async () =>
      await client.workflow.start(purchaseWorkflow.type, { taskQueue, workflowId, args: [ref] }),
    startWithClaim: async () =>
      await client.workflow.executeUpdateWithStart(claimReward, {
        startWorkflowOperation: new WithStartWorkflowOperation(purchaseWorkflow.type, {
          ...{ taskQueue, workflowId, args: [ref] },
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      }),
    claim: async () => await handle().executeUpdate(claimReward),
    /** @returns once the workflow has taken it on: what becomes of it */
    refund: async (eventId = 'evt_refund') => {
      const command = { eventId, receivedAt: new Date().toISOString() } as RefundCommand;
      const update = await handle().startUpdate(refundPurchase, {
        args: [command],
        waitForStage: 'ACCEPTED',
      });
      return { answered: update.result() };
    },
    /** Settles once a step was asked for so many times. */
    askedFor: async (name: string, times = 1) =>
      await eventually(
        async () => asked.filter((one) => one === name).length >= times,
        `${name} is asked for ${times} times`,
      ),
  };
}

const funded = (changes: Partial<RewardSnapshot> = {}) => aReward({ funded: true, ...changes });
const waiting = () => aReward({ status: 'AWAITING_FUNDING' });

test('money that comes while a refund is being recorded funds nothing: the reward is cancelled', async (t) => {
  const refund = door();
  const scene = await stage(t, waiting(), { REFUND: refund });
  await scene.start();
  const { answered } = await scene.refund();
  await refund.reached;
  await scene.handle().signal(rewardFunded);
  refund.open();
  await answered;
  t.is(await scene.handle().result(), 'CANCELLED');
  t.false(scene.asked.includes('topUp'));
});

test('a claim window that ends while the claim is being recorded takes nothing back', async (t) => {
  const { scene, claim, claimed } = await claimedInTime(t);
  await eventually(async () => await hasTimerFired(scene.workflowId), 'the window ends');
  claim.open();
  t.is((await claimed).status, 'AVAILABLE');
  t.is(await scene.handle().result(), 'AVAILABLE');
  t.false(scene.asked.includes('EXPIRE'));
});

/** A claim that is being recorded; on a machine too busy to take it on within the window, within a longer one. */
async function claimedInTime(t: ExecutionContext) {
  for (let claimWindowMs = 3_000; ; claimWindowMs *= 2) {
    const claim = door();
    const scene = await stage(t, funded(), { CLAIM: claim }, { claimWindowMs });
    // It comes with the start, and is taken on as soon as the reward is accounted for.
    const claimed = scene.startWithClaim();
    const isTakenOn = await Promise.race([
      claim.reached.then(() => true),
      claimed.then(() => false),
    ]);
    if (isTakenOn) return { scene, claim, claimed };
  }
}

test('money that came before the accounting was over is not forgotten', async (t) => {
  const scene = await stage(t, waiting());
  await client.workflow.signalWithStart(purchaseWorkflow.type, {
    taskQueue: scene.taskQueue,
    workflowId: scene.workflowId,
    args: [scene.ref],
    signal: rewardFunded,
  });
  await scene.askedFor('topUp');
  t.deepEqual(scene.asked, ['begin', 'account', 'topUp']);
  const { answered } = await scene.refund();
  await answered;
});

test('a refund that waits behind the claim is decided, although nothing was pending in between', async (t) => {
  const claim = door();
  const scene = await stage(t, funded(), { CLAIM: claim });
  await scene.start();
  const claimed = scene.claim();
  await claim.reached;
  const { answered } = await scene.refund();
  claim.open();
  await claimed;
  t.like(await answered, { body: 'ADMIN_REVIEW' });
  await scene.askedFor('review');
  scene.decide({ verdict: 'DISMISS' } as ReviewDecision);
  t.is(await scene.handle().result(), 'AVAILABLE');
});

/** So many events make the tests' server ask for a new run. */
const manyEvents = 500;

/** A review is before the admins, a refund is being recorded, and the run has grown too large. */
async function grownLarge(t: ExecutionContext) {
  const refund = door();
  const review = { reviewId: 'rev_first', openedAt: new Date().toISOString(), dueMs: dayMs };
  const reviewed = after(after(funded(), 'CLAIM'), 'REFUND');
  const scene = await stage(t, { ...reviewed, review }, { REFUND: refund });
  await scene.start();
  await scene.askedFor('review');
  const { answered } = await scene.refund('evt_second');
  await refund.reached;
  const signal = async () => await scene.handle().signal(rewardFunded);
  for (let sent = 0; sent < manyEvents; sent += 100) {
    await Promise.all(Array.from({ length: 100 }, signal));
  }
  const refused = await eventually(
    async () => await refusalOf(scene.claim()),
    'an update is refused since the run ends',
  );
  t.is(refused, runIsClosing);
  return { ...scene, refund, answered };
}

async function refusalOf(update: Promise<unknown>): Promise<string | undefined> {
  try {
    await update;
    return undefined;
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    return error.cause instanceof ApplicationFailure ? (error.cause.type ?? '') : '';
  }
}

test('a run that grew large finishes what it took on, and begins anew where it stood', async (t) => {
  const { refund, answered, decide, askedFor, asked, handle } = await grownLarge(t);
  refund.open();
  t.like(await answered, { body: 'ADMIN_REVIEW' });
  await askedFor('review', 2);
  t.deepEqual(
    asked.filter((one) => one === 'begin'),
    ['begin', 'begin'],
  );
  decide({ verdict: 'UPHOLD' } as ReviewDecision);
  t.is(await handle().result(), 'CANCELLED');
});

test('a decision that arrives while a run ends is carried out by that run', async (t) => {
  const { refund, answered, decide, asked, handle, workflowId } = await grownLarge(t);
  decide({ verdict: 'UPHOLD' } as ReviewDecision);
  await eventually(async () => await isActivityTaken(workflowId), 'the decision is taken');
  refund.open();
  await answered;
  t.is(await handle().result(), 'CANCELLED');
  t.deepEqual(asked, ['begin', 'review', 'REFUND', 'close']);
});

const {
  EVENT_TYPE_ACTIVITY_TASK_COMPLETED,
  EVENT_TYPE_TIMER_FIRED,
  EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
} = proto.temporal.api.enums.v1.EventType;

/** Whether the workflow has gone on since the newest result of an activity. */
async function isActivityTaken(workflowId: string): Promise<boolean> {
  const types = await newestTypes(workflowId);
  const completed = types.indexOf(EVENT_TYPE_ACTIVITY_TASK_COMPLETED);
  return completed > 0 && types.slice(0, completed).includes(EVENT_TYPE_WORKFLOW_TASK_COMPLETED);
}

/** Whether a timer has fired, and the workflow has gone on since. */
async function hasTimerFired(workflowId: string): Promise<boolean> {
  const types = await newestTypes(workflowId);
  const fired = types.indexOf(EVENT_TYPE_TIMER_FIRED);
  return fired > 0 && types.slice(0, fired).includes(EVENT_TYPE_WORKFLOW_TASK_COMPLETED);
}

/** What the newest events of a workflow are, the newest first. */
async function newestTypes(workflowId: string) {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: 'default',
    execution: { workflowId },
    maximumPageSize: 20,
  });
  return (history?.events ?? []).map(({ eventType }) => eventType);
}
