import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import test, { type ExecutionContext } from 'ava';
import type { Activities } from '../../activities/index.ts';
import type { Channel } from '../../domain/messages.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { applyMove, type RewardMove } from '../../domain/reward-states.ts';
import { type PurchaseSignal, purchaseWorkflow, slowQueueOf } from '../../domain/workflow-names.ts';
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
    customerId: 'cus_moments',
    claimExpiresAt: new Date(Date.now() + dayMs).toISOString(),
    version: 0,
    review: null,
    status: 'PENDING',
    customerStatus: 'AWAITING_CUSTOMER_CLAIM',
    funded: false,
    isPending: false,
    fundedAt: null,
    ...changes,
  };
}

const after = (reward: RewardSnapshot, move: RewardMove): RewardSnapshot => ({
  ...reward,
  ...applyMove(reward, move),
  version: reward.version + 1,
  isPending: true,
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

const newDecision = () => Promise.withResolvers<void>();

/** A workflow of its own, what it asks for, in its order, and the doors that its activities stand behind. */
async function stage(
  t: ExecutionContext,
  reward: RewardSnapshot,
  doors: Partial<Record<string, Door>> = {},
) {
  const asked: string[] = [];
  let stored = reward;
  let decision = newDecision();
  const store = (next: RewardSnapshot): void => {
    stored = next;
  };
  const steps = new Set<string>();
  /** What took too long, or was lost on its way here, is tried again, and is the same step. */
  const step = async (name: string): Promise<void> => {
    const { activityId, scheduledTimestampMs, workflowExecution } = activityInfo();
    const id = `${workflowExecution?.runId} ${activityId} ${scheduledTimestampMs}`;
    if (!steps.has(id)) asked.push(name);
    steps.add(id);
    await doors[name]?.pass();
  };
  const standIns: StandIns = {
    beginPurchase: async () => {
      await step('begin');
      return stored;
    },
    accountReward: async () => {
      await step('account');
      const decidedAt = new Date().toISOString();
      return { reward: stored, missingCents: null, lowBalanceCents: null, decidedAt };
    },
    tryClaimLink: async () => {
      await step('offer');
      return [];
    },
    sendClaimLink: async () => 'SENT',
    sendTakenBack: async (_reward: RewardSnapshot, channel: Channel) => {
      await step(`take back ${channel}`);
      return channel === 'EMAIL' ? 'NOBODY' : 'SENT';
    },
    sendReminder: async () => {
      await step('remind');
      return 'SENT';
    },
    carryOut: async () => {
      const looked = stored;
      await step('carryOut');
      stored = { ...stored, isPending: stored.version !== looked.version };
      return { ...looked, isPending: false };
    },
    endWindow: async () => {
      await step('endWindow');
      if (Date.parse(stored.claimExpiresAt) <= Date.now()) {
        stored = { ...after(stored, 'EXPIRE'), isPending: false };
      }
      return stored;
    },
    openReview: async () => undefined,
    adminReview: async () => {
      await step('review');
      await decision.promise;
    },
  };
  const taskQueue = `moments-${randomUUID()}`;
  const activities = standIns as never;
  const workers = await Promise.all([
    Worker.create({
      ...{ connection: native, taskQueue, activities },
      workflowBundle: { codePath: process.env.WORKFLOW_BUNDLE ?? '' },
    }),
    Worker.create({ connection: native, taskQueue: slowQueueOf(taskQueue, 'mail'), activities }),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  t.teardown(async () => {
    for (const one of Object.values(doors)) one?.open();
    decision.resolve();
    for (const worker of workers) worker.shutdown();
    await running;
  });
  const workflowId = `moments/${reward.externalOrderId}`;
  const ref = { partnerId: reward.partnerId, purchaseEventId: reward.purchaseEventId };
  const handle = () => client.workflow.getHandle(workflowId);
  return {
    asked,
    handle,
    /** What is stored of the reward from now on. */
    store,
    /** Somebody moves the reward. */
    move: (name: RewardMove, changes: Partial<RewardSnapshot> = {}) =>
      store({ ...after(stored, name), ...changes }),
    start: async () =>
      await client.workflow.start(purchaseWorkflow.type, { taskQueue, workflowId, args: [ref] }),
    /** Tells the workflow, as whoever moved the reward does. */
    signal: async (signal: PurchaseSignal) =>
      await client.workflow.signalWithStart(purchaseWorkflow.type, {
        ...{ taskQueue, workflowId, args: [ref], signal },
        workflowIdConflictPolicy: 'USE_EXISTING',
      }),
    completeReview: () => decision.resolve(),
    failReview: () => {
      const failing = decision;
      decision = newDecision();
      failing.reject(ApplicationFailure.nonRetryable('an operator failed it'));
    },
    /** Settles once a step was asked for so many times. */
    askedFor: async (name: string, times = 1) =>
      await eventually(
        async () => asked.filter((one) => one === name).length >= times,
        `${name} is asked for ${times} times`,
      ),
  };
}

const funded = (changes: Partial<RewardSnapshot> = {}) =>
  aReward({ funded: true, fundedAt: new Date().toISOString(), version: 1, ...changes });
const waiting = () => aReward({ status: 'AWAITING_FUNDING', version: 1 });
const review = { reviewId: 'rev_first', openedAt: new Date().toISOString(), dueMs: dayMs };
const inReview = (changes: Partial<RewardSnapshot> = {}) => ({
  ...after(after(funded(), 'CLAIM'), 'REFUND'),
  review,
  ...changes,
});

test('what happens while an earlier thing is carried out is carried out after it, and then it closes', async (t) => {
  const carryOut = door();
  const scene = await stage(t, funded(), { carryOut });
  await scene.start();
  await scene.askedFor('offer');
  scene.move('CLAIM');
  await scene.signal('claimed');
  await carryOut.reached;
  scene.move('REFUND', { review });
  await scene.signal('refunded');
  carryOut.open();
  await scene.askedFor('review');
  scene.move('DISMISS');
  scene.completeReview();
  t.is(await scene.handle().result(), 'AVAILABLE');
});

test('what was moved without a word is carried out by whoever starts the workflow', async (t) => {
  const scene = await stage(t, after(funded(), 'CLAIM'));
  await scene.start();
  t.is(await scene.handle().result(), 'AVAILABLE');
  t.deepEqual(scene.asked, ['begin', 'carryOut']);
});

test('a signal that came with the start is looked at once the reward is accounted for', async (t) => {
  const scene = await stage(t, waiting());
  await scene.signal('funded');
  await scene.askedFor('carryOut');
  t.deepEqual(scene.asked, ['begin', 'account', 'carryOut']);
});

test('a customer is told once of a window, and again of a new one', async (t) => {
  const scene = await stage(t, waiting());
  await scene.start();
  await scene.askedFor('account');
  const fundedAt = new Date().toISOString();
  scene.move('FUND', { claimExpiresAt: new Date(Date.now() + dayMs).toISOString(), fundedAt });
  await scene.signal('funded');
  await scene.askedFor('offer');
  await scene.signal('funded');
  await scene.askedFor('carryOut', 2);
  scene.move('REFUND');
  await scene.signal('refunded');
  t.is(await scene.handle().result(), 'CANCELLED');
  t.is(scene.asked.filter((one) => one === 'offer').length, 1);
});

/** Money was put behind a LIVE reward weeks ago, and its window ends in so long. */
const longAgo = (untilEndMs: number) =>
  funded({
    mode: 'LIVE',
    fundedAt: new Date(Date.now() - 27 * dayMs).toISOString(),
    claimExpiresAt: new Date(Date.now() + untilEndMs).toISOString(),
  });

test('who has not claimed is reminded once, three days before the window ends', async (t) => {
  const begin = door();
  const scene = await stage(t, longAgo(4 * dayMs), { begin });
  await scene.start();
  await begin.reached;
  scene.store(longAgo(3 * dayMs + 500));
  begin.open();
  await scene.askedFor('remind');
  await scene.signal('funded');
  await scene.askedFor('carryOut');
  scene.move('CLAIM');
  await scene.signal('claimed');
  t.is(await scene.handle().result(), 'AVAILABLE');
  t.is(scene.asked.filter((one) => one === 'remind').length, 1);
});

test('a run that begins after the reminder’s time reminds nobody, and ends the window', async (t) => {
  const scene = await stage(t, longAgo(1_000));
  await scene.start();
  t.is(await scene.handle().result(), 'EXPIRED');
  t.deepEqual(scene.asked, ['begin', 'account', 'endWindow']);
});

test('a window that ends by the timer, and was renewed meanwhile, goes on', async (t) => {
  const endWindow = door();
  const soon = funded({ claimExpiresAt: new Date(Date.now() + 500).toISOString() });
  const scene = await stage(t, soon, { endWindow });
  await scene.start();
  await endWindow.reached;
  scene.store({ ...soon, claimExpiresAt: new Date(Date.now() + dayMs).toISOString() });
  endWindow.open();
  scene.move('REFUND');
  await scene.signal('refunded');
  t.is(await scene.handle().result(), 'CANCELLED');
});

test('a review that fails is said aloud, and asked for again', async (t) => {
  const scene = await stage(t, inReview());
  await scene.start();
  await scene.askedFor('review');
  scene.failReview();
  await eventually(async () => {
    const { currentDetails } = await scene
      .handle()
      .query<{ currentDetails: string }>('__temporal_workflow_metadata');
    return currentDetails.includes('The review failed');
  }, 'the current details say so');
  await scene.askedFor('review', 2);
  scene.move('UPHOLD');
  scene.completeReview();
  t.is(await scene.handle().result(), 'CANCELLED');
});

test('who had claimed is told of points that are taken back, once, before the workflow closes', async (t) => {
  const telling = door();
  const scene = await stage(t, inReview(), { 'take back SMS': telling });
  await scene.start();
  await scene.askedFor('review');
  scene.move('UPHOLD');
  scene.completeReview();
  await telling.reached;
  // What comes meanwhile is looked at.
  const looks = scene.asked.filter((one) => one === 'carryOut').length;
  await scene.signal('refunded');
  await scene.askedFor('carryOut', looks + 1);
  t.is((await scene.handle().describe()).status.name, 'RUNNING');
  telling.open();
  t.is(await scene.handle().result(), 'CANCELLED');
  const told = scene.asked.filter((one) => one.startsWith('take back'));
  t.deepEqual(told, ['take back EMAIL', 'take back SMS']);
});

test('who had claimed nothing, and who may be told by an earlier run, are told of nothing taken back', async (t) => {
  const unclaimed = await stage(t, funded());
  await unclaimed.start();
  await unclaimed.askedFor('offer');
  unclaimed.move('REFUND');
  await unclaimed.signal('refunded');
  t.is(await unclaimed.handle().result(), 'CANCELLED');
  const again = await stage(t, after(inReview(), 'UPHOLD'));
  await again.signal('refunded');
  t.is(await again.handle().result(), 'CANCELLED');
  for (const { asked } of [unclaimed, again]) {
    t.false(asked.some((one) => one.startsWith('take back')));
  }
});

/** So many events make the tests' server ask for a new run. */
const manyEvents = 500;

test('a run that grew large begins anew where it stood, and nothing is lost or told twice', async (t) => {
  const scene = await stage(t, funded());
  const { firstExecutionRunId: runId } = await scene.start();
  await scene.askedFor('offer');
  for (let sent = 0; sent < manyEvents; sent += 100) {
    await Promise.all(Array.from({ length: 100 }, () => scene.signal('refunded')));
  }
  await eventually(
    async () => (await scene.handle().describe()).runId !== runId,
    'another run goes on',
  );
  scene.move('CLAIM');
  await scene.signal('claimed');
  t.is(await scene.handle().result(), 'AVAILABLE');
  t.is(scene.asked.filter((one) => one === 'offer').length, 1);
});

test('a run that grew large while the customer is told of points taken back ends that first', async (t) => {
  const telling = door();
  const scene = await stage(t, inReview(), { 'take back EMAIL': telling });
  const { firstExecutionRunId: runId } = await scene.start();
  await scene.askedFor('review');
  scene.move('UPHOLD');
  scene.completeReview();
  await telling.reached;
  for (let sent = 0; sent < manyEvents; sent += 100) {
    await Promise.all(Array.from({ length: 100 }, () => scene.signal('refunded')));
  }
  telling.open();
  t.is(await scene.handle().result(), 'CANCELLED');
  t.is((await scene.handle().describe()).runId, runId);
});

test('a review is before the operators in the run that goes on, and a word that comes meanwhile is heard', async (t) => {
  const scene = await stage(t, inReview());
  await scene.start();
  await scene.askedFor('review');
  for (let sent = 0; sent < manyEvents; sent += 100) {
    await Promise.all(Array.from({ length: 100 }, () => scene.signal('refunded')));
  }
  await scene.askedFor('review', 2);
  scene.move('UPHOLD');
  await scene.signal('decided');
  t.is(await scene.handle().result(), 'CANCELLED');
});
