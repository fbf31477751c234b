import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Client, WithStartWorkflowOperation } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { stopAllGuarded } from '../dev/guarded.ts';
import { startServers } from '../dev/servers.ts';
import { leave, orderly, untilStopped } from '../dev/until-stopped.ts';
import type { PurchaseCommand } from '../domain/events.ts';
import { createPartner } from '../models/commands/create-partner.ts';
import { createRule } from '../models/commands/create-rule.ts';
import { buildIndexes, createModels } from '../models/schemas/index.ts';
import { loadConfig } from '../platform/config.ts';
import { newId } from '../platform/ids.ts';
import { connectMongo } from '../platform/mongo.ts';
import { createActivityDeps } from '../worker/deps.ts';
import { answer, byLocalActivity, byOrdinaryActivity } from './answer/workflows.ts';

/**
 * `npm run bench:answer`: what an answer costs, by update-with-start and a local activity as the
 * service does it, and by its alternatives. Servers of its own, the real activity on a real database,
 * all ways in turn, so that whatever else the machine does falls on each of them.
 */
Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });

const rounds = 300;
const warmUps = 30;
const taskQueue = 'bench-answer';
const log = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function bench(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-answer-'));
  const { MONGODB_URI: _mongodb, TEMPORAL_ADDRESS: _temporal, ...env } = process.env;
  const ports = { mongodb: 0, temporal: 0, temporalUi: 0 };
  const servers = await startServers({ dataDir, env, ports, log });
  const config = loadConfig({
    MONGODB_URI: servers.mongodbUri,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    MASTER_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    CUSTOMER_HASH_KEY: randomBytes(32).toString('base64'),
  });
  const models = createModels(await connectMongo(config.mongodbUri));
  await buildIndexes(models);
  // A workflow is started eagerly on a worker that shares the client's connection.
  const connection = await NativeConnection.connect({ address: servers.temporalAddress });
  const client = new Client({ connection });
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('./answer/workflows.ts', import.meta.url)),
    activities: createActivities(createActivityDeps(config, models, client, async () => undefined)),
  });
  await worker.runUntil(async () => {
    const newCommand = await commands(models);
    report(await measure(waysOf(client), newCommand));
  });
  await connection.close();
  await models.connection.close();
  await stopAllGuarded();
  await rm(dataDir, { recursive: true, force: true });
}

type Way = (command: PurchaseCommand) => Promise<string>;

function waysOf(client: Client): Record<string, Way> {
  const options = () => ({ workflowId: randomUUID(), taskQueue });
  const updateWithStart =
    (workflow: typeof byLocalActivity): Way =>
    (command) =>
      client.workflow.executeUpdateWithStart(answer, {
        startWorkflowOperation: new WithStartWorkflowOperation(workflow, {
          ...options(),
          args: [command],
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      });
  const startThenUpdate =
    (requestEagerStart: boolean): Way =>
    async (command) => {
      const handle = await client.workflow.start(byLocalActivity, {
        ...options(),
        args: [command],
        requestEagerStart,
      });
      if (requestEagerStart && !handle.eagerlyStarted)
        throw new Error('it was not started eagerly');
      return await handle.executeUpdate(answer);
    };
  return {
    'update-with-start, local activity': updateWithStart(byLocalActivity),
    'update-with-start, ordinary activity': updateWithStart(byOrdinaryActivity),
    'eager start, then an update; local activity': startThenUpdate(true),
    'start, then an update; local activity': startThenUpdate(false),
  };
}

/** @returns the milliseconds of each answer, by way */
async function measure(
  ways: Record<string, Way>,
  newCommand: () => PurchaseCommand,
): Promise<Map<string, number[]>> {
  const timesMs = new Map(Object.keys(ways).map((name): [string, number[]] => [name, []]));
  for (let round = 0; round < warmUps + rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const command = newCommand();
      const startMs = performance.now();
      const recorded = await way(command);
      const ms = performance.now() - startMs;
      if (recorded !== 'RECORDED') throw new Error(`${name} answered ${recorded}`);
      if (round >= warmUps) timesMs.get(name)?.push(ms);
    }
  }
  return timesMs;
}

function report(timesMs: Map<string, number[]>): void {
  const quantile = (times: number[], part: number) =>
    times.toSorted((one, other) => one - other)[Math.floor(times.length * part)] ?? 0;
  const [first = []] = timesMs.values();
  log(`\n${rounds} answers each, in turn, one at a time:\n`);
  log('| way | median | 95 % | ratio of medians |');
  log('| --- | ---: | ---: | ---: |');
  for (const [name, times] of timesMs) {
    const ratio = quantile(times, 0.5) / quantile(first, 0.5);
    const ms = [0.5, 0.95].map((part) => `${quantile(times, part).toFixed(1)} ms`);
    log(`| ${name} | ${ms.join(' | ')} | ${ratio.toFixed(2)} |`);
  }
}

/** Purchases of one partner, each another order. */
async function commands(models: ReturnType<typeof createModels>): Promise<() => PurchaseCommand> {
  const deps = { models, now: () => Date.now() };
  const { _id: partnerId } = await createPartner(deps, { name: 'Bench' });
  const rule = await createRule(deps, partnerId, {
    ...{ mode: 'TEST', currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 },
  });
  return () => ({
    ...{ partnerId, integrationId: 'int_bench', credentialId: 'key_bench', mode: 'TEST' },
    requestId: newId('request'),
    idempotencyKeyHash: randomUUID(),
    payloadHash: randomUUID(),
    address: null,
    receivedAt: new Date().toISOString(),
    eventId: newId('event'),
    rewardId: newId('reward'),
    externalOrderId: randomUUID(),
    subtotalCents: 4_990,
    currency: 'USD',
    occurredAt: null,
    ruleId: rule._id,
    customerKey: 'cus_bench',
    claimTokenHash: randomUUID(),
    sealed: 'sealed',
  });
}

await orderly(untilStopped(), bench, 130);
await leave(0);
