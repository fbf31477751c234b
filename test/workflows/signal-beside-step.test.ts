import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CompleteAsyncError } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import test from 'ava';
import type { StepResult } from '../../activities/purchases.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { purchaseSignals } from '../../domain/reward.ts';
import { purchaseWorkflow } from '../../domain/workflow-names.ts';
import { connectTemporal } from '../../temporal/connection.ts';
import { purchaseStartOptions } from '../../temporal/purchase-start.ts';
import { eventually } from '../helpers/eventually.ts';
import { startService } from '../helpers/service.ts';
import '../helpers/quiet-runtime.ts';
import '../helpers/servers.ts';

const { WORKFLOW_BUNDLE } = process.env;
const workflows = WORKFLOW_BUNDLE
  ? { workflowBundle: { codePath: WORKFLOW_BUNDLE } }
  : { workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)) };

const reward: RewardSnapshot = {
  rewardId: 'rwd_1',
  partnerId: 'prt_1',
  integrationId: 'int_1',
  mode: 'TEST',
  externalOrderId: 'order',
  purchaseEventId: 'evt_1',
  customerId: 'cus_1',
  points: 1,
  liabilityCents: 1,
  state: 'IN_REVIEW',
  fundedAt: new Date().toISOString(),
  version: 3,
  claimExpiresAt: new Date().toISOString(),
  fundingNotice: null,
  correctedAt: null,
  takenBackPoints: null,
  review: { reviewId: 'rev_1', openedAt: new Date().toISOString(), dueMs: 60_000 },
};

test('a signal that arrives during a step leaves a history that replays', async (t) => {
  const { config, stop } = await startService();
  t.teardown(stop);
  const { address, namespace } = config.temporal;
  const taskQueue = `test_${randomUUID().slice(0, 8)}`;
  const temporal = connectTemporal(config.temporal);
  const { workflow } = temporal;
  const heading = { ...reward, workflowId: `purchase-${taskQueue}`, purchaseEventId: 'evt_1' };
  const handle = workflow.getHandle(heading.workflowId);
  const eventsOf = async () => (await handle.fetchHistory()).events ?? [];

  /** Outlasts the workflow task: the worker requests another one, which delivers the signal. */
  async function signalledMeanwhile(): Promise<StepResult> {
    const before = (await eventsOf()).length;
    await handle.signal(purchaseSignals.REFUND);
    await eventually(async () => {
      const events = (await eventsOf()).slice(before);
      const signalled = events.findIndex((one) => one.workflowExecutionSignaledEventAttributes);
      const started = events.findLastIndex((one) => one.workflowTaskStartedEventAttributes);
      return signalled !== -1 && started > signalled;
    }, 'the signal reaches the workflow');
    await delay(500);
    return { reward, offer: null };
  }

  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    ...workflows,
    connection,
    namespace,
    taskQueue,
    activities: {
      begin: signalledMeanwhile,
      look: signalledMeanwhile,
      async adminReview(): Promise<void> {
        throw new CompleteAsyncError();
      },
    },
  });
  const events = await worker.runUntil(async () => {
    await workflow.start(purchaseWorkflow.type, purchaseStartOptions(heading, taskQueue));
    const after = (steps: number) =>
      eventually(async () => {
        const all = await eventsOf();
        const markers = all.filter(
          (one) => one.markerRecordedEventAttributes?.markerName === 'core_local_activity',
        );
        const isRequested = all.some((one) => one.activityTaskScheduledEventAttributes);
        return markers.length === steps && isRequested && all;
      }, `the history has ${steps} steps and the request for a decision`);
    await after(1);
    await handle.signal(purchaseSignals.REFUND);
    return await after(2);
  });
  await handle.terminate();
  await connection.close();
  await temporal.connection.close();
  await t.notThrowsAsync(Worker.runReplayHistory(workflows, { events }));
});
