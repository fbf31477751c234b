import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import test, { type ExecutionContext } from 'ava';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createActivities } from '../../activities/index.ts';
import type { Found } from '../../activities/reconciliation.ts';
import { runAudit } from '../../audit/run.ts';
import { holdWorkflowId } from '../../domain/workflow-names.ts';
import { reportRefund } from '../../events/refund.ts';
import { createCommit } from '../../models/commit.ts';
import { completeRequestLog } from '../../models/events/complete-request-log.ts';
import type { ReconciliationRunDoc } from '../../models/schemas/processes.ts';
import { claimReward } from '../../operations/rewards.ts';
import { newId } from '../../platform/ids.ts';
import { eventually } from '../helpers/eventually.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { patienceMs } from '../helpers/patience.ts';
import { textOf } from '../helpers/readable.ts';
import { type Bought, rewardCents, type Town, townOf } from '../helpers/town.ts';

const logger = new DefaultLogger('ERROR');

let service: OwnService;
let town: Town;
test.before(async () => {
  service = await startOwnService({ RECONCILE_AFTER_SECONDS: '0' });
  town = townOf(service);
});
test.after.always(() => service?.stop());

/** Runs one round. @returns its stored result */
async function reconcile(): Promise<ReconciliationRunDoc> {
  const { taskQueue } = service.config.temporal;
  const workflowId = `reconciliation-${randomUUID()}`;
  await service.temporal.workflow.execute('reconcileWorkflows', { taskQueue, workflowId });
  return await service.models.reconciliationRuns.findOne().sort({ _id: -1 }).orFail();
}

/** Terminates the purchases' workflows, as someone could in the Temporal UI. */
async function terminate(...all: Bought[]): Promise<void> {
  // Otherwise a start or signal that is still on its way would start it again.
  for (const { partner } of all) await service.carriedOut(partner);
  await service.stopRelay();
  await service.allTold();
  for (const bought of all) await (await town.workflowOf(bought)).terminate('by hand');
  service.startRelay();
}

async function isRunning(bought: Bought): Promise<boolean> {
  const { status } = await (await town.workflowOf(bought)).describe();
  return status.name === 'RUNNING';
}

async function isClean(t: ExecutionContext, { partner: { partnerId } }: Bought): Promise<void> {
  const { summary, faults } = await runAudit(service, { partnerId });
  t.is(faults, 0, summary);
}

async function inReview(): Promise<Bought> {
  const bought = await town.funded(await town.partner('LIVE'));
  await town.claim(bought);
  await town.refund(bought);
  return bought;
}

test.serial(
  'a terminated workflow of a PENDING reward is restarted, and the customer claims',
  async (t) => {
    const bought = await town.funded(await town.partner('LIVE'));
    const { claimExpiresAt } = await town.rewardOf(bought);
    await terminate(bought);
    const { startedAgain, rewardIds, summary } = await reconcile();
    t.is(startedAgain, 1);
    t.deepEqual(rewardIds, [bought.rewardId]);
    t.regex(summary, /1 workflow started again\. First: PNR_/);
    t.true(await isRunning(bought));
    t.deepEqual((await town.rewardOf(bought)).claimExpiresAt, claimExpiresAt);
    t.is((await town.claim(bought)).status, 200);
    await town.closed(bought);
    await isClean(t, bought);
  },
);

test.serial('a workflow whose tasks keep failing is restarted', async (t) => {
  const bought = await town.funded(await town.partner('LIVE'));
  await terminate(bought);
  const { workflowId } = await town.workflowOf(bought);
  const { taskQueue } = service.config.temporal;
  // An unknown workflow type blocks its task just like a history that does not replay.
  const stuck = await service.temporal.workflow.start('aWorkflowThatNobodyKnows', {
    workflowId,
    taskQueue,
    workflowTaskTimeout: '1 second',
  });
  await eventually(async () => {
    const { raw } = await stuck.describe();
    return (raw.pendingWorkflowTask?.attempt ?? 0) >= 5;
  }, 'five attempts of its task have failed');
  const { startedAgain, rewardIds } = await reconcile();
  t.is(startedAgain, 1);
  t.deepEqual(rewardIds, [bought.rewardId]);
  t.is((await town.claim(bought)).status, 200);
  await town.closed(bought);
  await isClean(t, bought);
});

test.serial('a terminated workflow is restarted, and ends the promised claim window', async (t) => {
  const bought = await town.boughtBriefly('LIVE', {}, ({ state }) => state === 'FUNDED');
  await terminate(bought);
  await reconcile();
  await town.onceState(bought, 'EXPIRED');
  await town.closed(bought);
  await isClean(t, bought);
});

test.serial(
  'a terminated workflow of an AWAITING_FUNDING reward is restarted, and is funded',
  async (t) => {
    const bought = await town.buy(await town.partner('LIVE', { fundingCents: 1 }));
    await town.onceState(bought, 'AWAITING_FUNDING');
    await terminate(bought);
    t.is((await reconcile()).startedAgain, 1);
    await town.topUp(bought.partner, rewardCents);
    await town.onceState(bought, 'FUNDED');
    t.is((await town.claim(bought)).status, 200);
    await isClean(t, bought);
  },
);

test.serial(
  'a terminated workflow of an ADMIN_REVIEW reward is restarted, and an admin decides',
  async (t) => {
    const bought = await inReview();
    const reviewId = await town.reviewOf(bought);
    await terminate(bought);
    t.is((await reconcile()).startedAgain, 1);
    await eventually(
      async () => (await town.decide(reviewId, 'UPHOLD')).status === 200,
      'the decision is accepted',
    );
    await town.onceState(bought, 'CANCELLED');
    await isClean(t, bought);
  },
);

/** The documents of a partner, to which its part of the database is restored. */
async function backUp({ partner: { partnerId } }: Bought): Promise<() => Promise<void>> {
  const { models } = service;
  const collections = Object.values(models.connection.models).map(({ collection }) => collection);
  const kept = await Promise.all(
    collections.map(async (collection) => ({
      collection,
      documents: await collection.find({ partnerId }).toArray(),
    })),
  );
  return async () => {
    for (const { collection, documents } of kept) {
      await collection.deleteMany({ partnerId });
      if (documents.length > 0) await collection.insertMany(documents);
    }
  };
}

for (const [title, isOver] of [
  ['can be claimed', false],
  ['ends once its window is over', true],
] as const) {
  test.serial(
    `a reward restored to PENDING, whose workflow waits for operators about a review that is gone, ${title}`,
    async (t) => {
      const bought = await town.funded(await town.partner('LIVE'));
      const { partnerId } = bought.partner;
      await service.carriedOut(bought.partner);
      const restore = await backUp(bought);
      await town.claim(bought);
      await town.closed(bought);
      await town.refund(bought);
      await town.reviewOf(bought);
      await service.carriedOut(bought.partner);
      await restore();
      if (isOver) {
        const claimExpiresAt = new Date(Date.now() - 7_200_000);
        await service.models.rewards.updateOne({ partnerId }, { $set: { claimExpiresAt } });
      }
      const { startedAgain, rewardIds } = await reconcile();
      t.is(startedAgain, 1);
      t.deepEqual(rewardIds, [bought.rewardId]);
      if (isOver) await town.onceState(bought, 'EXPIRED');
      else t.is((await town.claim(bought)).status, 200);
      await town.closed(bought);
      t.like(await town.wallet(bought.partner), { reservedCents: 0 });
      await isClean(t, bought);
    },
  );
}

test.serial(
  'a running workflow is not disturbed, and a closed one with nothing open stays closed',
  async (t) => {
    const partner = await town.partner('LIVE');
    const open = await town.funded(partner);
    const over = await town.funded(partner);
    await town.claim(over);
    await town.closed(over);
    const lookAt = async (bought: Bought) => {
      const { runId, status, historyLength } = await (await town.workflowOf(bought)).describe();
      return [runId, status.name, historyLength];
    };
    const looks = async () => await Promise.all([open, over].map(lookAt));
    const before = await looks();
    const { lookedAt, startedAgain, failed, summary } = await reconcile();
    t.true(lookedAt >= 1);
    t.deepEqual([startedAgain, failed], [0, 0]);
    t.regex(summary, /^Nothing lost: \d+ open rewards?, each with its workflow\.$/);
    t.deepEqual(await looks(), before);
  },
);

/** A process that dies right after each commit, before it tells anyone. */
const dying = () => {
  const { models, sealer, config, hashKey } = service;
  const now = Date.now;
  return {
    models,
    sealer,
    config,
    now,
    commit: createCommit({ patienceMs, models, hashKey, now }),
  };
};

test.serial('a claim whose workflow was lost is complete without it, and then told', async (t) => {
  const bought = await town.funded(await town.partner('LIVE'));
  await terminate(bought);
  await service.stopRelay();
  try {
    const { state } = await claimReward(dying(), await town.rewardOf(bought), {
      at: new Date(),
    });
    t.is(state, 'AVAILABLE');
    await isClean(t, bought);
    t.is((await reconcile()).startedAgain, 0);
  } finally {
    service.startRelay();
  }
  await service.carriedOut(bought.partner);
  await town.closed(bought);
  await isClean(t, bought);
});

for (const state of ['FUNDED', 'AVAILABLE'] as const) {
  test.serial(
    `a refund of a reward ${state} whose workflow was lost is told within seconds`,
    async (t) => {
      const bought = await town.funded(await town.partner('LIVE'));
      if (state === 'AVAILABLE') {
        await town.claim(bought);
        await town.closed(bought);
      } else await terminate(bought);
      const { partner, externalOrderId } = bought;
      const { models } = service;
      const purchase = await models.orderEvents.findById(bought.eventId).orFail();
      const { partnerId, integrationId, credentialId, mode } = purchase;
      const key = newId('event');
      const origin = {
        partnerId,
        integrationId,
        credentialId,
        mode,
        idempotencyKeyHash: key,
        payloadHash: key,
        requestId: key,
        receivedAt: new Date().toISOString(),
        request: { method: 'POST', path: '/api/v1/partner/refunds', status: 201 },
      };
      const ended = state === 'FUNDED' ? 'CANCELLED' : 'IN_REVIEW';
      await service.stopRelay();
      try {
        await reportRefund(dying(), origin, { externalOrderId }, { hasRefundPolicy: true });
        t.is((await town.rewardOf(bought)).state, ended);
        await isClean(t, bought);
      } finally {
        service.startRelay();
      }

      await service.carriedOut(partner);
      if (state === 'AVAILABLE') {
        await town.reviewOf(bought);
        t.true(await isRunning(bought));
      } else await town.closed(bought);
      const stored = await models.orderEvents
        .findOne({ partnerId, idempotencyKeyHash: key })
        .orFail();
      const { _id: eventId } = stored;
      const itsRow = { partnerId, eventId, code: 'ACCEPTED' };
      t.is(await models.requestLog.countDocuments(itsRow), 0, 'the process was killed before');
      for (const _ of [1, 2]) {
        await completeRequestLog(models, Date.now() + 120_000);
        t.is(await models.requestLog.countDocuments(itsRow), 1);
      }
      t.is(
        (await partner.refund({ externalOrderId })).body.error.code,
        'DUPLICATE_EXTERNAL_REFUND',
      );
      await isClean(t, bought);
    },
  );
}

test.serial(
  'a claim link that may not have been sent is sent again; one sent days ago is not',
  async (t) => {
    const partner = await town.partner('LIVE');
    const [fresh, old] = await Promise.all([town.funded(partner), town.funded(partner)]);
    const linksOf = ({ rewardId }: Bought) =>
      service.mails.filter(({ id }) => id === rewardId).length;
    await eventually(async () => linksOf(fresh) > 0 && linksOf(old) > 0, 'the links are sent');
    const fourDaysAgo = new Date(Date.now() - 4 * 86_400_000);
    await service.models.rewards.updateOne(
      { _id: old.rewardId },
      { $set: { 'moves.0.at': fourDaysAgo } },
    );
    await terminate(fresh, old);
    t.is((await reconcile()).startedAgain, 2);
    // The terminated run's email may still arrive, so the test looks in the new run's history.
    const sends = async (bought: Bought) =>
      textOf(await (await town.workflowOf(bought)).fetchHistory()).includes('"offer":"SENT"');
    await eventually(() => sends(fresh), 'the link is sent again');
    t.is((await town.claim(old)).status, 200);
    await town.closed(old);
    t.false(await sends(old));
  },
);

/** Runs one attempt of a round, which continues from the previous attempt's heartbeat. */
async function attempt(
  changes: Partial<ActivityDeps>,
  heartbeatDetails?: unknown,
): Promise<{ heartbeats: unknown[]; outcome: unknown }> {
  const environment = new MockActivityEnvironment({ heartbeatDetails }, { logger });
  const heartbeats: unknown[] = [];
  environment.on('heartbeat', (details) => heartbeats.push(details));
  const { reconciliationParts, reconcile, recordReconciliation } = createActivities({
    ...service.activityDeps,
    ...changes,
  });
  const [part] = await reconciliationParts();
  if (part === undefined) throw new Error('there should be a part');
  const outcome = await environment
    .run<Parameters<typeof reconcile>, Found, typeof reconcile>(reconcile, part)
    .then((found) => recordReconciliation(new Date().toISOString(), [found]))
    .catch((error: unknown) => error);
  return { heartbeats, outcome };
}

test.serial('an interrupted round continues where it was, in small pages', async (t) => {
  const partner = await town.partner('TEST');
  await Promise.all(Array.from({ length: 7 }, () => town.funded(partner)));
  const { reconciliation } = service.activityDeps;
  const asked: string[] = [];
  const limited = { ...reconciliation, maxNotStarted: 3 };
  const whole = await attempt({
    reconciliation: limited,
    workflows: {
      isProgressing: async (workflowId) => asked.push(workflowId) > 0,
      hasBegun: async () => true,
    },
  });
  t.regex(String((whole.outcome as ReconciliationRunDoc).summary), /^Nothing lost/);
  t.true(whole.heartbeats.length >= 3, 'each page is reported in a heartbeat');
  t.is(new Set(asked).size, asked.length, 'each workflow is checked once');

  const until = 4;
  let left = until;
  const first = await attempt({
    reconciliation: limited,
    workflows: {
      async isProgressing() {
        left -= 1;
        if (left < 0) throw new Error('Temporal is down');
        return true;
      },
      hasBegun: async () => true,
    },
  });
  t.regex(String(first.outcome), /Temporal is down/);
  const again: string[] = [];
  await attempt(
    {
      reconciliation: limited,
      workflows: {
        isProgressing: async (workflowId) => again.push(workflowId) > 0,
        hasBegun: async () => true,
      },
    },
    first.heartbeats.at(-1),
  );
  t.deepEqual(again.toSorted(), asked.slice(3).toSorted(), 'the first page is not checked again');
});

test.serial(
  'a workflow that cannot be started is counted and named, and does not hold up others',
  async (t) => {
    const partner = await town.partner('TEST');
    const [stuck, other] = await Promise.all([town.funded(partner), town.funded(partner)]);
    await terminate(stuck, other);
    const { messenger } = service;
    const { outcome } = await attempt({
      messenger: {
        ...messenger,
        async startPurchase(purchase) {
          if (purchase.rewardId === stuck.rewardId) throw new Error('refused');
          await messenger.startPurchase(purchase);
        },
      },
    });
    t.like(outcome, { startedAgain: 1, failed: 1 });
    t.regex(String((outcome as ReconciliationRunDoc).summary), /1 workflow could not be started/);
    t.true((outcome as ReconciliationRunDoc).summary.includes(stuck.rewardId));
    t.true(await isRunning(other));
    t.is((await reconcile()).startedAgain, 1);
    t.true(await isRunning(stuck));
  },
);

test.serial(
  'after a total loss workflows are restarted a page at a time, each once the previous page has started',
  async (t) => {
    const partner = await town.partner('TEST');
    await Promise.all(Array.from({ length: 5 }, () => town.funded(partner)));
    const started = new Set<string>();
    const startedWhenAsked: number[] = [];
    let isTakenUp = true;
    await attempt({
      reconciliation: { ...service.activityDeps.reconciliation, maxNotStarted: 2 },
      messenger: {
        ...service.messenger,
        startPurchase: async ({ rewardId }) => void started.add(rewardId),
      },
      workflows: {
        isProgressing: async () => false,
        async hasBegun() {
          startedWhenAsked.push(started.size);
          isTakenUp = !isTakenUp;
          return isTakenUp;
        },
      },
    });
    t.true(started.size >= 5);
    t.is(startedWhenAsked[0], 2, 'one page is started before the first check');
    startedWhenAsked.forEach((count, nth) => {
      t.true(
        count <= 2 * (Math.floor(nth / 2) + 1),
        `${count} workflows were started before check ${nth}`,
      );
    });
  },
);

test.serial('what is held comes back even if its workflow was terminated', async (t) => {
  const shop = await town.withPoints();
  const { partnerId } = shop;
  const request = { externalRedemptionId: 'till', customer: aPurchase().customer, points: 400 };
  const path = '/api/v1/partner/redemptions';
  const { body } = await shop.send({ ...request, hold: true }, { path });
  const { id } = body.redemption;
  await service.carriedOut(shop);
  await service.temporal.workflow.getHandle(holdWorkflowId(id)).terminate('by hand');
  await service.models.redemptions.updateOne(
    { partnerId, _id: id },
    { $set: { expiresAt: new Date(Date.now() - 120_000) } },
  );
  await reconcile();
  t.is((await service.models.redemptions.findById(id))?.status, 'EXPIRED');
  t.like(await service.models.customerBalances.findOne({ partnerId }), {
    points: 1_000,
    heldPoints: 0,
  });
  const { faults, summary } = await runAudit(service, { partnerId });
  t.is(faults, 0, summary);
});
