import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ScheduleOverlapPolicy } from '@temporalio/client';
import test from 'ava';
import type { SealedPurchase } from '../../../domain/events.ts';
import { walletOf } from '../../../domain/events.ts';
import { ensureSchedules, scheduleIdOf } from '../../../platform/schedules.ts';
import { anotherOperator, type Operator } from '../../api/admin/helpers/operator.ts';
import { depositAsOperator } from '../../helpers/deeds.ts';
import { eventually } from '../../helpers/eventually.ts';
import { aPurchase, type PartnerBackend } from '../../helpers/partner-backend.ts';
import { type Service, startService } from '../../helpers/service.ts';

let service: Service;
let operator: Operator;
let partner: PartnerBackend;
let tester: PartnerBackend;
test.before(async () => {
  service = await startService();
  operator = await anotherOperator(service, 'Grace');
  partner = await service.partner({ mode: 'LIVE' });
  tester = await service.partner({ mode: 'TEST' });
});
test.after.always(() => service?.stop());

/** What the reward of a purchase costs, as the helpers make both. */
const rewardCents = 499;

async function addFunds(backend: PartnerBackend, amountCents: number): Promise<void> {
  const { partnerId, integrationId, mode } = backend;
  const { messenger } = service.activityDeps;
  const wallet = walletOf({ partnerId, integrationId, mode });
  await depositAsOperator(service, wallet, amountCents);
  await messenger.wakeWallet(wallet);
}

const rewardOf = (rewardId: string) => service.rewardOf(rewardId);

/** A purchase, as soon as the funding of its reward is decided. */
async function buy(backend: PartnerBackend) {
  const purchase = aPurchase();
  const { body } = await backend.purchase(purchase);
  await eventually(async () => {
    const { status, funded } = await rewardOf(body.reward.id);
    return funded || status === 'AWAITING_FUNDING';
  }, 'the accounting');
  return { order: purchase.externalOrderId, rewardId: body.reward.id, eventId: body.eventId };
}

async function claim({ eventId }: { eventId: string }): Promise<void> {
  const { sealed } = await service.models.orderEvents.findById(eventId).lean().orFail();
  const { claimToken } = JSON.parse(service.sealer.open(sealed, eventId)) as SealedPurchase;
  const { status } = await fetch(`${service.baseUrl}/claim/${claimToken}`, { method: 'POST' });
  if (status !== 200) throw new Error(`the claim was answered ${status}`);
}

async function decide(rewardId: string, decision: 'UPHOLD' | 'DISMISS'): Promise<void> {
  const review = await eventually(
    () => service.models.reviews.findOne({ rewardId }).lean(),
    'a review',
  );
  await operator.post(`/reviews/${review._id}/decision`, {
    decision,
    reasonCode: 'OTHER',
    reason: 'because',
  });
}

/** Purchases, claims, refunds, reviews and top-ups, many at once. */
async function live(backend: PartnerBackend): Promise<void> {
  const lives = Array.from({ length: 12 }, async (_, nth) => {
    const bought = await buy(backend);
    if ((await rewardOf(bought.rewardId)).status === 'AWAITING_FUNDING') return;
    if (nth % 4 !== 0) await claim(bought);
    if (nth % 2 === 0) await backend.refund({ externalOrderId: bought.order });
    if (nth % 4 === 2) await decide(bought.rewardId, nth % 8 === 2 ? 'UPHOLD' : 'DISMISS');
  });
  await Promise.all(lives);
}

test.serial(
  'the audit of a service at work finds no fault, and the schedule runs it',
  async (t) => {
    for (const backend of [partner, tester]) await addFunds(backend, 9 * rewardCents);
    await Promise.all([live(partner), live(tester)]);
    for (const backend of [partner, tester]) await addFunds(backend, 2 * rewardCents);

    const { taskQueue } = service.config.temporal;
    await ensureSchedules(service.temporal, taskQueue);
    await ensureSchedules(service.temporal, taskQueue);
    const schedule = service.temporal.schedule.getHandle(scheduleIdOf('audit', taskQueue));
    const { policies } = await schedule.describe();
    t.is(policies.overlap, ScheduleOverlapPolicy.SKIP);
    await schedule.trigger();
    const ran = await eventually(
      async () => (await schedule.describe()).info.recentActions[0]?.action.workflow,
      'the schedule started the audit',
    );
    const summary = await service.temporal.workflow.getHandle(ran.workflowId).result();
    await schedule.delete();
    const { body } = await operator.get('/audit-runs');
    const [run] = body.items;
    t.deepEqual(
      run.checks.filter(({ faults }: { faults: number }) => faults > 0),
      [],
    );
    t.regex(String(summary), /^Clean/);
    t.like(run, { faults: 0, partnerId: null, summary });
    t.regex(run.auditRunId, /^aur_/);
    t.true(run.lookedAt > 200);
  },
);

async function auditCommand(...args: string[]): Promise<{ code: number; stdout: string }> {
  const { config } = service;
  const env = {
    ...process.env,
    MONGODB_URI: config.mongodbUri,
    MASTER_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
    CUSTOMER_HASH_KEY: config.customerHashKey.toString('base64'),
  };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['cli/audit.ts', ...args], {
      env,
    });
    return { code: 0, stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout: stdout + stderr };
  }
}

test.serial('the command prints a table and exits 0, and 1 when it names a culprit', async (t) => {
  const clean = await auditCommand();
  t.is(clean.code, 0, clean.stdout);
  t.regex(clean.stdout, /chains are unbroken/);
  t.regex(clean.stdout, /Clean: \d+ checks, no fault\./);
  const { partnerId } = partner;
  const entry = await service.models.ledger.findOne({ partnerId, kind: 'CLAIM' }).lean().orFail();
  await service.models.ledger.updateOne({ _id: entry._id }, { $set: { kind: 'GIFT' } });
  // The other partner's books are right all the same.
  t.is((await auditCommand('--partner', tester.partnerId)).code, 0);
  const { code, stdout } = await auditCommand('--partner', partnerId);
  t.is(code, 1, stdout);
  for (const name of [entry._id, entry.rewardId, partnerId]) t.true(stdout.includes(String(name)));
  const { items } = (await operator.get('/audit-runs?limit=1')).body;
  t.true(items[0].faults > 0);
  t.true(items[0].summary.includes(entry._id));
});
