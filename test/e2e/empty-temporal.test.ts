import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import test from 'ava';
import { runAudit } from '../../audit/run.ts';
import type { TemporalServer } from '../../dev/servers/temporal.ts';
import { startTemporal, userCacheDir } from '../../dev/servers.ts';
import { throwawayFolder } from '../../dev/test/throwaway-folder.ts';
import { isDue } from '../../models/schemas/due.ts';
import { workerCommand } from '../../worker/command.ts';
import { type CuttableProxy, startCuttableProxy } from '../helpers/cuttable-proxy.ts';
import { eventually } from '../helpers/eventually.ts';
import { type OwnProcess, startOwnProcess } from '../helpers/own-process.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { type Bought, rewardCents, type Town, townOf } from '../helpers/town.ts';
import '../helpers/servers.ts';

let dataDir: string;
let proxy: CuttableProxy;
let empty: TemporalServer;
let service: OwnService;
let town: Town;
let worker: OwnProcess;
test.before(async () => {
  proxy = await startCuttableProxy(process.env.TEMPORAL_ADDRESS ?? '');
  service = await startOwnService({ TEMPORAL_ADDRESS: proxy.address }, { hasWorker: false });
  town = townOf(service);
  // A separate worker process, as in production.
  dataDir = await mkdtemp(join(throwawayFolder(), 'empty-temporal-test-'));
  worker = startOwnProcess(service, workerCommand, {
    RECONCILE_AFTER_SECONDS: '0',
    MESSAGE_DIR: join(dataDir, 'messages'),
  });
  const { TEMPORAL_ADDRESS: _, ...env } = process.env;
  const cacheDir = userCacheDir(env);
  const log = () => undefined;
  empty = await startTemporal({ dataDir, env, log, cacheDir, port: 0, uiPort: 0 });
});
test.after.always(async () => {
  await worker?.end();
  await service?.stop();
  await proxy?.stop();
  await empty?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test('with an empty Temporal, everything open or marked resumes and ends as it should', async (t) => {
  t.teardown(() => {
    if (!t.passed) t.log(worker.output());
  });
  const rich = await town.partner('LIVE');
  const tester = await town.partner('TEST');
  const poor = await town.partner('LIVE', { fundingCents: 1 });
  const [claimed, over, tested, upheld, dismissed, refunded, late] = (await Promise.all([
    ...[rich, rich, tester, rich, tester, rich].map((partner) => town.funded(partner)),
    town.boughtBriefly('LIVE', {}, ({ state }) => state === 'FUNDED', 20),
  ])) as [Bought, Bought, Bought, Bought, Bought, Bought, Bought];
  const waiting = await town.buy(poor);
  await town.onceState(waiting, 'AWAITING_FUNDING');
  for (const bought of [over, upheld, dismissed]) t.is((await town.claim(bought)).status, 200);
  for (const bought of [upheld, dismissed]) t.is((await town.refund(bought)).status, 201);
  await town.closed(over);
  const promised = (await town.rewardOf(claimed)).claimExpiresAt;
  // No purchase is pending before the outage, so those counted below are from it.
  await service.allStarted();

  proxy.cut();
  const marked = await Promise.all([rich, tester, poor].map((partner) => town.buy(partner)));
  const { models } = service;
  t.is(await models.orderEvents.countDocuments(isDue), 3);
  proxy.redirectTo(empty.address);
  proxy.mend();

  const connection = await Connection.connect({ address: empty.address });
  t.teardown(() => connection.close());
  const { workflow } = new Client({ connection });
  const statusThere = async (bought: Bought): Promise<string> => {
    const { workflowId } = await models.orderEvents.findById(bought.eventId).orFail();
    const found = await workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined);
    return found?.status.name ?? 'UNKNOWN';
  };
  const open = [claimed, tested, upheld, dismissed, refunded, waiting, ...marked];
  await eventually(
    async () => (await Promise.all(open.map(statusThere))).every((is) => is === 'RUNNING'),
    'the workflows of all open purchases run again',
  );
  t.is(await statusThere(over), 'UNKNOWN', 'a completed purchase’s workflow is not started again');
  const run = await eventually(
    () => models.reconciliationRuns.findOne({ startedAgain: { $gte: 6 } }),
    'the reconciliation run is stored',
  );
  t.is(run.failed, 0);

  await service.allStarted();
  t.deepEqual((await town.rewardOf(claimed)).claimExpiresAt, promised);
  for (const bought of [claimed, tested]) t.is((await town.claim(bought)).status, 200);
  t.is((await town.refund(refunded)).body.refund.status, 'CANCELLED');
  for (const [bought, verdict] of [
    [upheld, 'UPHOLD'],
    [dismissed, 'DISMISS'],
  ] as const) {
    const reviewId = await town.reviewOf(bought);
    await eventually(
      async () => (await town.decide(reviewId, verdict)).status === 200,
      'the decision is accepted',
    );
  }
  await town.topUp(poor, 2 * rewardCents);
  const ends = {
    AVAILABLE: [claimed, tested, dismissed],
    CANCELLED: [refunded, upheld],
    EXPIRED: [late],
    FUNDED: [waiting, ...marked],
  };
  for (const state of Object.keys(ends) as (keyof typeof ends)[]) {
    for (const bought of ends[state]) await town.onceState(bought, state);
  }
  for (const bought of ends.FUNDED) t.is((await town.claim(bought)).status, 200);
  const { summary, faults } = await runAudit(service);
  t.is(faults, 0, summary);
});
