import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ScheduleOverlapPolicy } from '@temporalio/client';
import test from 'ava';
import { runAudit } from '../../audit/index.ts';
import { isFunded } from '../../domain/reward.ts';
import { formatMasterKey } from '../../platform/master-keys.ts';
import { ensureSchedules, scheduleIdOf } from '../../temporal/schedules.ts';
import { eventually } from '../helpers/eventually.ts';
import { anotherOperator, type Operator } from '../helpers/operator.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import type { PartnerBackend } from '../helpers/partner-backend.ts';
import { rewardCents, type Town, townOf } from '../helpers/town.ts';

let folder: string;
let auditLog: string;
let service: OwnService;
let town: Town;
let operator: Operator;
let partner: PartnerBackend;
let tester: PartnerBackend;
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-log-'));
  auditLog = join(folder, 'kept', 'audit.log');
  service = await startOwnService({ AUDIT_LOG: auditLog });
  town = townOf(service);
  operator = await anotherOperator(service, 'Grace');
  partner = await service.partner({ mode: 'LIVE' });
  tester = await service.partner({ mode: 'TEST' });
});
test.after.always(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

const rewardOf = (rewardId: string) => service.rewardOf(rewardId);

/** Buys, and waits until the reward is funded or in the queue. */
async function buy(backend: PartnerBackend) {
  const bought = await town.buy(backend);
  await eventually(async () => {
    const { state } = await rewardOf(bought.rewardId);
    return isFunded(state) || state === 'AWAITING_FUNDING';
  }, 'the reward is funded or in the queue');
  return bought;
}

async function decide(rewardId: string, decision: 'UPHOLD' | 'DISMISS'): Promise<void> {
  const opened = () => service.models.reviews.findOne({ rewardId });
  await town.decide((await eventually(opened, 'a review opens'))._id, decision);
}

/** Makes concurrent purchases, claims, refunds and decisions. */
async function generateActivity(backend: PartnerBackend): Promise<void> {
  const lives = Array.from({ length: 8 }, async (_, nth) => {
    const bought = await buy(backend);
    if ((await rewardOf(bought.rewardId)).state === 'AWAITING_FUNDING') return;
    if (nth % 4 !== 0) await town.claim(bought);
    if (nth % 2 === 0) await town.refund(bought);
    if (nth % 4 === 2) await decide(bought.rewardId, nth % 8 === 2 ? 'UPHOLD' : 'DISMISS');
  });
  await Promise.all(lives);
}

test.serial(
  'the audit of a running service finds no fault, and the schedule runs it',
  async (t) => {
    for (const backend of [partner, tester]) await town.topUp(backend, 6 * rewardCents);
    await Promise.all([generateActivity(partner), generateActivity(tester)]);
    for (const backend of [partner, tester]) await town.topUp(backend, rewardCents);

    const { taskQueue } = service.config.temporal;
    await ensureSchedules(service.temporal, taskQueue);
    await ensureSchedules(service.temporal, taskQueue);
    const schedule = service.temporal.schedule.getHandle(scheduleIdOf('audit', taskQueue));
    const { policies } = await schedule.describe();
    t.is(policies.overlap, ScheduleOverlapPolicy.SKIP);
    await schedule.trigger();
    const ran = await eventually(
      async () => (await schedule.describe()).info.recentActions[0]?.action.workflow,
      'the schedule starts the audit',
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
    t.true(run.lookedAt > 100);
  },
);

test.serial('an audit while the service is busy finds no fault', async (t) => {
  let isBusy = true;
  const activity = (async () => {
    for (const backend of [partner, tester]) await town.topUp(backend, 6 * rewardCents);
    await Promise.all([generateActivity(partner), generateActivity(tester)]);
  })().finally(() => {
    isBusy = false;
  });
  const { models, hashKey, checkpoints } = service.activityDeps;
  let audits = 0;
  while (isBusy) {
    const run = await runAudit({ models, hashKey, checkpoints });
    t.is(run.faults, 0, run.summary);
    audits += 1;
  }
  await activity;
  t.true(audits > 0);
});

async function auditCommand(...args: string[]): Promise<{ code: number; stdout: string }> {
  const { config } = service;
  const env = {
    ...process.env,
    MONGODB_URI: config.mongodbUri,
    MASTER_KEYS: config.masterKeys.map(formatMasterKey).join(),
    CUSTOMER_HASH_KEY: config.customerHashKey.export().toString('base64'),
  };
  try {
    const running = promisify(execFile)(process.execPath, ['cli/audit.ts', ...args], { env });
    running.child.stdin?.end(await readFile(auditLog));
    const { stdout } = await running;
    return { code: 0, stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout: stdout + stderr };
  }
}

test.serial(
  'the command prints a table, checks the checkpoints logged outside the database, and names missing ones',
  async (t) => {
    const lines = (await readFile(auditLog, 'utf8')).trim().split('\n');
    t.true(lines.length >= 2);
    const whole = await auditCommand('--log', auditLog);
    t.is(whole.code, 0, whole.stdout);
    t.regex(whole.stdout, /chains are unbroken/);
    t.regex(whole.stdout, /Clean: \d+ checks, no faults\./);
    t.regex(whole.stdout, new RegExp(`log: each of its checkpoints[^\\n]* ${lines.length} `));

    // As `ctl audit --log` has it: the folder with all files, or what stands in them on standard input.
    const inFolder = await auditCommand('--log', dirname(auditLog));
    t.is(inFolder.code, 0, inFolder.stdout);
    t.regex(inFolder.stdout, new RegExp(`log: each of its checkpoints[^\\n]* ${lines.length} `));

    const { auditCheckpoints } = service.models;
    const { partnerId } = partner;
    const taken = await auditCheckpoints.findOne({ partnerId, mode: 'LIVE' }).orFail();
    await auditCheckpoints.deleteOne({ _id: taken._id });
    const { code, stdout } = await auditCommand('--log', '-');
    t.is(code, 1, stdout);
    t.regex(stdout, /line \d+, partner prt_\w+/);
    await auditCheckpoints.collection.insertOne(taken);

    const empty = await auditCommand('--log', 'package.json');
    t.is(empty.code, 2, 'a log without checkpoints is an error');
    t.regex(empty.stdout, /package\.json contains no checkpoint of an audit/);
  },
);

test.serial(
  'the command audits one partner and exits with 0, or with 1 after naming a fault',
  async (t) => {
    const { partnerId } = partner;
    const entry = await service.models.ledger.findOne({ partnerId, kind: 'CLAIM' }).orFail();
    await service.models.ledger.updateOne({ _id: entry._id }, { $set: { kind: 'GIFT' } });
    // The other partner's ledger is unaffected.
    t.is((await auditCommand('--partner', tester.partnerId)).code, 0);
    const { code, stdout } = await auditCommand('--partner', partnerId);
    t.is(code, 1, stdout);
    for (const name of [entry._id, entry.rewardId, partnerId])
      t.true(stdout.includes(String(name)));
    const { items } = (await operator.get('/audit-runs?limit=1')).body;
    t.true(items[0].faults > 0);
    t.true(items[0].summary.includes(entry._id));
  },
);
