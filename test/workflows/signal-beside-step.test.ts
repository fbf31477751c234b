import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CompleteAsyncError } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import test from 'ava';
import type { StepResult } from '../../activities/purchases.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { purchaseSignals, purchaseWorkflow } from '../../domain/workflow-names.ts';
import { connectTemporal } from '../../temporal/connection.ts';
import { purchaseStartOptions } from '../../temporal/purchase-start.ts';
import { eventually } from '../helpers/eventually.ts';
import { startService } from '../helpers/service.ts';
import '../helpers/quiet-runtime.ts';

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
  status: 'ADMIN_REVIEW',
  customerStatus: 'CLAIMED',
  funded: true,
  fundedAt: new Date().toISOString(),
  version: 3,
  isPending: false,
  claimExpiresAt: new Date().toISOString(),
  review: { reviewId: 'rev_1', openedAt: new Date().toISOString(), dueMs: 60_000 },
};

test('a signal that arrives while the review is being opened leaves a history that replays', async (t) => {
  const { config, stop } = await startService();
  t.teardown(stop);
  const { address, namespace } = config.temporal;
  const taskQueue = `test_${randomUUID().slice(0, 8)}`;
  const temporal = connectTemporal(config.temporal);
  const { workflow } = temporal;
  const heading = { ...reward, workflowId: `purchase-${taskQueue}`, purchaseEventId: 'evt_1' };
  const handle = workflow.getHandle(heading.workflowId);
  const eventsOf = async () => (await handle.fetchHistory()).events ?? [];

  const opened = Promise.withResolvers<void>();

  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    ...workflows,
    connection,
    namespace,
    taskQueue,
    activities: {
      beginPurchase: async () => ({ reward, isUnsent: null, fundingNotice: null }),
      /** Completes only after the review is open, although it may start earlier. */
      async carryOut(): Promise<StepResult> {
        await opened.promise;
        await delay(500);
        return { reward, isUnsent: null };
      },
      async adminReview(): Promise<void> {
        throw new CompleteAsyncError();
      },
      /** Outlasts the workflow task: the worker requests another one, which delivers the signal. */
      async openReview(): Promise<void> {
        await handle.signal(purchaseSignals.REFUND);
        await eventually(async () => {
          const events = await eventsOf();
          const signalled = events.findIndex((one) => one.workflowExecutionSignaledEventAttributes);
          const started = events.findLastIndex((one) => one.workflowTaskStartedEventAttributes);
          return signalled !== -1 && started > signalled;
        }, 'the signal reaches the workflow');
        await delay(500);
        opened.resolve();
      },
    },
  });
  const events = await worker.runUntil(async () => {
    await workflow.start(purchaseWorkflow.type, purchaseStartOptions(heading, taskQueue));
    return await eventually(async () => {
      const all = await eventsOf();
      const markers = all.flatMap(({ markerRecordedEventAttributes }) =>
        markerRecordedEventAttributes?.markerName === 'core_local_activity' ? [1] : [],
      );
      const isRequested = all.some((one) => one.activityTaskScheduledEventAttributes);
      // One each for beginPurchase, openReview and carryOut.
      return markers.length === 3 && isRequested && all;
    }, 'the history has the three local activities and the request for a decision');
  });
  await handle.terminate();
  await connection.close();
  await temporal.connection.close();
  await t.notThrowsAsync(Worker.runReplayHistory(workflows, { events }));
});
