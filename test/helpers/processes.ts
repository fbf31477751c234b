import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { ActivityDeps } from '../../activities/deps.ts';
import { type Activities, createActivities } from '../../activities/index.ts';
import type { PurchaseReport } from '../../domain/events.ts';
import { createUsage, type Usage } from '../../models/billing/index.ts';
import { createCheckpoints } from '../../models/checkpoints.ts';
import { createLedger, type Ledger } from '../../models/ledger/index.ts';
import { type Recording, recordPurchase } from '../../models/record-purchase.ts';
import { toEarningRule } from '../../models/rules.ts';
import { buildIndexes, createModels } from '../../models/schemas/index.ts';
import type { SendMail } from '../../platform/mailer.ts';
import type { Messenger } from '../../platform/messenger.ts';
import { createSealer } from '../../platform/sealing.ts';
import { connectPatiently } from './connect-patiently.ts';
import { makeInterruptible } from './meanwhile.ts';
import { type Fate, immortal, Killed, makeMortal, under } from './mortal.ts';

const logger = new DefaultLogger('ERROR');
const dayMs = 24 * 3_600_000;

/** What runs in one process: its activities, and its own view of the books. */
export interface Process {
  activities: Activities;
  ledger: Ledger;
  usage: Usage;
  /** What the API does with a purchase. */
  record(report: PurchaseReport, ruleId: string): Promise<Recording>;
}

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** A database of its own, in which processes die, and are overtaken, as they are told. */
export async function openDatabase() {
  const uri = new URL(process.env.MONGODB_URI ?? '');
  uri.pathname = `/test_${randomUUID().slice(0, 8)}`;
  const models = createModels(await connectPatiently(uri.href));
  await buildIndexes(models);
  makeMortal(models);
  makeInterruptible(models);
  return {
    models,
    customerHashKey: createSecretKey(randomBytes(32)),
    sealer: createSealer([{ id: 'test', key: createSecretKey(randomBytes(32)) }]),
    async close() {
      await models.connection.dropDatabase();
      await models.connection.close();
    },
  };
}

/** Worker processes side by side, each replaced when it dies. */
export function startProcesses(database: Database, messenger: Messenger) {
  const running = [0, 1].map(() => startProcess(database, messenger));

  /**
   * Does some work as Temporal does an activity: again and again until it is done.
   * @param isTwice whether it is done once more after that, because its answer was lost
   */
  return async function perform<T>(
    { place, fate, isTwice }: { place: number; fate: Fate; isTwice: boolean },
    work: (process: Process) => Promise<T>,
    workflowId = 'none',
  ): Promise<T> {
    const slot = place % running.length;
    let isAnsweredBefore = !isTwice;
    let life = fate.isDead ? immortal() : fate;
    for (;;) {
      const process = running[slot] ?? startProcess(database, messenger);
      try {
        const result = await under(life, () => asActivity(workflowId, () => work(process)));
        if (isAnsweredBefore) return result;
        isAnsweredBefore = true;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        if (running[slot] === process) {
          running[slot] = startProcess(database, messenger);
        }
        if (life.isDead) life = immortal();
      }
    }
  };
}

/** Does some work as an activity of a workflow. */
export function asActivity<T>(workflowId: string, work: () => Promise<T>): Promise<T> {
  const info = { workflowExecution: { workflowId, runId: 'run' } };
  return new MockActivityEnvironment(info, { logger }).run<[], T, () => Promise<T>>(work);
}

export function startProcess(
  { models, customerHashKey, sealer }: Database,
  messenger: Messenger,
  sendMail: SendMail = async () => undefined,
): Process {
  const ledger = createLedger(models, customerHashKey);
  const usage = createUsage(models, customerHashKey);
  const deps: ActivityDeps = {
    models,
    ledger,
    usage,
    checkpoints: createCheckpoints(customerHashKey),
    messenger,
    workflows: { isOpen: async () => true, hasBegun: async () => true },
    sealer,
    sendMail,
    sendMailAtOnce: sendMail,
    portalUrl: 'http://claims.example',
    reviewDueMs: dayMs,
    reconciliation: { afterMs: 0, perSecond: 1_000, maxInFlight: 4, maxUnbegun: 50 },
    contactRetentionDays: 365,
  };
  return {
    activities: createActivities(deps),
    ledger,
    usage,
    async record(report, ruleId) {
      const rule = await models.earningRules.findById(ruleId).lean().orFail();
      return await recordPurchase(models, report, toEarningRule(rule));
    },
  };
}
