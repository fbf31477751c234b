import { fileURLToPath } from 'node:url';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import test from 'ava';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { eventually } from '../helpers/eventually.ts';
import {
  connect,
  dayMs,
  disconnect,
  funded,
  type Gate,
  gate,
  inReview,
  isolatedWorkflow,
  waiting,
} from './helpers/isolated-workflow.ts';
import '../helpers/servers.ts';

/**
 * Temporal abandons a workflow task during a local activity if the task takes too long or too many signals
 * arrive meanwhile. The worker gets another task and continues the activity; in the history, the signals come
 * before the results of either task. These tests use signals: Temporal buffers at most a hundred during a task.
 */
const tooManySignals = 120;

test.before(connect);
test.after.always(disconnect);

const { WORKFLOW_BUNDLE } = process.env;
const workflows = WORKFLOW_BUNDLE
  ? { workflowBundle: { codePath: WORKFLOW_BUNDLE } }
  : { workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)) };

type IsolatedWorkflow = Awaited<ReturnType<typeof isolatedWorkflow>>;

const eventsOf = async (workflow: IsolatedWorkflow) =>
  (await workflow.handle().fetchHistory()).events ?? [];

/** Makes Temporal abandon the task that runs the held activity. */
async function giveUpTask(workflow: IsolatedWorkflow): Promise<void> {
  let sentMs = 0;
  await eventually(async () => {
    // An activity that is held for too long is started again, in another task.
    if (Date.now() - sentMs > 10_000) {
      await Promise.all(Array.from({ length: tooManySignals }, () => workflow.signal('refunded')));
      sentMs = Date.now();
    }
    const events = await eventsOf(workflow);
    const failed = events.findLastIndex((one) => one.workflowTaskFailedEventAttributes);
    return (
      failed !== -1 && events.slice(failed).some((one) => one.workflowTaskStartedEventAttributes)
    );
  }, 'Temporal abandons the task and the worker starts another one');
}

interface Held {
  /** The messages that the first activity leaves to the mail queue. */
  mails?: Parameters<typeof isolatedWorkflow>[4];
  /** The activity that is held. */
  activity: string;
  reward: RewardSnapshot;
  /** Brings the workflow to the activity. */
  lead?: (workflow: IsolatedWorkflow) => Promise<unknown>;
  /** The activities called by the end, in any order and any number of times. */
  calls: string[];
}

const soon = () => funded({ claimExpiresAt: new Date(Date.now() + 500).toISOString() });
const lookLater = async (workflow: IsolatedWorkflow) => {
  await workflow.called('offer');
  await workflow.signal('claimed');
};

const held: Record<string, Held> = {
  'the reward is created': {
    activity: 'begin',
    reward: funded(),
    calls: ['begin', 'offer'],
  },
  'the claim link is sent': {
    activity: 'offer',
    reward: funded(),
    calls: ['begin', 'offer'],
  },
  'messages are left to the mail queue': {
    activity: 'offer',
    reward: funded({ fundingNotice: { missingCents: null, lowBalanceCents: 1 } }),
    mails: { isUnsent: true },
    calls: ['begin', 'offer', 'tell partner'],
  },
  'a signalled move is looked at': {
    activity: 'look',
    reward: funded(),
    lead: lookLater,
    calls: ['begin', 'offer', 'look'],
  },
  'the claim window ends': {
    activity: 'look',
    reward: soon(),
    calls: ['begin', 'look'],
  },
  'a review is found': {
    activity: 'look',
    reward: funded(),
    lead: async (workflow) => {
      await workflow.called('offer');
      workflow.store(inReview({ rewardId: workflow.reward.rewardId }));
      await workflow.signal('refunded');
    },
    calls: ['begin', 'look', 'review'],
  },
  'a link is sent after a top-up': {
    activity: 'offer',
    reward: waiting(),
    lead: async (workflow) => {
      await workflow.called('begin');
      workflow.move('FUND', {
        claimExpiresAt: new Date(Date.now() + dayMs).toISOString(),
        fundedAt: new Date().toISOString(),
      });
      await workflow.signal('funded');
    },
    calls: ['begin', 'look', 'offer'],
  },
};

for (const [when, { activity, reward, mails, lead, calls }] of Object.entries(held)) {
  test(`a task abandoned while ${when} leaves a history that replays`, async (t) => {
    const at: Gate = gate();
    const workflow = await isolatedWorkflow(t, reward, { [activity]: at }, {}, mails);
    await workflow.start();
    await lead?.(workflow);
    await at.reached;
    await giveUpTask(workflow);
    at.open();
    const events = await eventually(async () => {
      const all = await eventsOf(workflow);
      const completed = all.findLastIndex((one) => one.workflowTaskCompletedEventAttributes);
      const scheduled = all.findLastIndex((one) => one.workflowTaskScheduledEventAttributes);
      return calls.every((one) => workflow.calls.includes(one)) && completed > scheduled && all;
    }, 'all activities are called and the last task is completed');
    await t.notThrowsAsync(Worker.runReplayHistory(workflows, { events }));
  });
}

test('a message that is given up after its task was abandoned leaves a history that replays', async (t) => {
  const [message, look] = [gate(), gate()];
  const gates: Partial<Record<string, Gate>> = {};
  const workflow = await isolatedWorkflow(t, inReview(), gates, {
    async sendTakenBack() {
      await message.pass();
      throw ApplicationFailure.nonRetryable('there is no such address');
    },
  });
  await workflow.start();
  await workflow.called('review');
  workflow.move('UPHOLD');
  workflow.completeReview();
  await message.reached;
  gates.look = look;
  await workflow.signal('refunded');
  await look.reached;
  message.open();
  await giveUpTask(workflow);
  look.open();
  t.is(await workflow.handle().result(), 'CANCELLED');
  const events = await eventsOf(workflow);
  await t.notThrowsAsync(Worker.runReplayHistory(workflows, { events }));
});
