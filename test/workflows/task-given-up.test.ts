import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import test from 'ava';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { eventually } from '../helpers/eventually.ts';
import {
  closeTheatre,
  type Door,
  dayMs,
  door,
  funded,
  inReview,
  openTheatre,
  type stage as Stage,
  stage,
  waiting,
} from './helpers/stage.ts';

/**
 * The engine gives a workflow task up while a local activity of it runs: because it took too long, or because
 * too many signals came meanwhile. The worker is given another one and goes on with the activity; in the
 * history, what came meanwhile stands before all that follows from either task. The last of the two is what
 * can be made to happen: the engine keeps no more than a hundred signals back.
 */
const tooManySignals = 120;

test.before(openTheatre);
test.after.always(closeTheatre);

const { WORKFLOW_BUNDLE } = process.env;
const workflows = WORKFLOW_BUNDLE
  ? { workflowBundle: { codePath: WORKFLOW_BUNDLE } }
  : { workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)) };

type Scene = Awaited<ReturnType<typeof Stage>>;

const eventsOf = async (scene: Scene) => (await scene.handle().fetchHistory()).events ?? [];

/** Has the task given up in which a step is held. */
async function giveUpTask(scene: Scene): Promise<void> {
  let sentMs = 0;
  await eventually(async () => {
    // A step that is held for too long is begun again, in another task.
    if (Date.now() - sentMs > 10_000) {
      await Promise.all(Array.from({ length: tooManySignals }, () => scene.signal('refunded')));
      sentMs = Date.now();
    }
    const events = await eventsOf(scene);
    const failed = events.findLastIndex((one) => one.workflowTaskFailedEventAttributes);
    return (
      failed !== -1 && events.slice(failed).some((one) => one.workflowTaskStartedEventAttributes)
    );
  }, 'the task is given up, and another one is taken up');
}

interface Held {
  /** What the first step leaves to be mailed. */
  mails?: Parameters<typeof Stage>[4];
  /** The step that is held. */
  step: string;
  reward: RewardSnapshot;
  /** Brings the workflow to the step. */
  lead?: (scene: Scene) => Promise<unknown>;
  /** The steps that are done by then, in whatever order and however often. */
  asked: string[];
}

const soon = () => funded({ claimExpiresAt: new Date(Date.now() + 500).toISOString() });
const claimLater = async (scene: Scene) => {
  await scene.askedFor('offer');
  await scene.signal('claimed');
};

const held: Record<string, Held> = {
  'the reward is created': {
    step: 'begin',
    reward: funded(),
    asked: ['begin', 'offer', 'carryOut'],
  },
  'the claim link is sent': {
    step: 'offer',
    reward: funded(),
    asked: ['begin', 'offer', 'carryOut'],
  },
  'messages are left to the mail queue': {
    step: 'offer',
    reward: funded(),
    mails: { unsent: ['EMAIL'], fundingNotice: { missingCents: null, lowBalanceCents: 1 } },
    asked: ['begin', 'offer', 'carryOut'],
  },
  'pending moves of an earlier run are carried out': {
    step: 'carryOut',
    reward: funded({ isPending: true }),
    asked: ['begin', 'carryOut', 'offer'],
  },
  'a signalled move is carried out': {
    step: 'carryOut',
    reward: funded(),
    lead: claimLater,
    asked: ['begin', 'offer', 'carryOut'],
  },
  'the claim window ends': {
    step: 'carryOut',
    reward: soon(),
    asked: ['begin', 'carryOut'],
  },
  'a review is opened': {
    step: 'openReview',
    reward: inReview(),
    asked: ['begin', 'openReview', 'review', 'carryOut'],
  },
  'a link is sent after a top-up': {
    step: 'offer',
    reward: waiting(),
    lead: async (scene) => {
      await scene.askedFor('begin');
      scene.move('FUND', {
        claimExpiresAt: new Date(Date.now() + dayMs).toISOString(),
        fundedAt: new Date().toISOString(),
      });
      await scene.signal('funded');
    },
    asked: ['begin', 'carryOut', 'offer'],
  },
};

for (const [when, { step, reward, mails, lead, asked }] of Object.entries(held)) {
  test(`a task abandoned while ${when} leaves a history that replays`, async (t) => {
    const at: Door = door();
    const scene = await stage(t, reward, { [step]: at }, {}, mails);
    await scene.start();
    await lead?.(scene);
    await at.reached;
    await giveUpTask(scene);
    at.open();
    const events = await eventually(async () => {
      const all = await eventsOf(scene);
      const completed = all.findLastIndex((one) => one.workflowTaskCompletedEventAttributes);
      const scheduled = all.findLastIndex((one) => one.workflowTaskScheduledEventAttributes);
      return asked.every((one) => scene.asked.includes(one)) && completed > scheduled && all;
    }, 'all steps are done, and no task is left');
    await t.notThrowsAsync(Worker.runReplayHistory(workflows, { events }));
  });
}

test('a message sent from an abandoned task is followed by the next one, and the history replays', async (t) => {
  const [email, carryOut] = [door(), door()];
  const doors: Partial<Record<string, Door>> = { 'take back EMAIL': email };
  const scene = await stage(t, inReview(), doors);
  await scene.start();
  await scene.askedFor('review');
  scene.move('UPHOLD');
  scene.completeReview();
  await email.reached;
  doors.carryOut = carryOut;
  await scene.signal('refunded');
  await carryOut.reached;
  email.open();
  await giveUpTask(scene);
  carryOut.open();
  t.is(await scene.handle().result(), 'CANCELLED');
  t.is(scene.asked.filter((one) => one.startsWith('take back')).length, 2);
  const events = await eventsOf(scene);
  await t.notThrowsAsync(Worker.runReplayHistory(workflows, { events }));
});
