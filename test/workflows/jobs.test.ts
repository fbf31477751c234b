import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { jobWorkflowId } from '../../domain/workflow-names.ts';
import { compareOrderFile, findJob, orderFaultsCsv } from '../../jobs/index.ts';
import { eventually } from '../helpers/eventually.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { townOf } from '../helpers/town.ts';

let service: OwnService;

test.before(async () => {
  service = await startOwnService();
});
test.after.always(() => service.stop());

test('a comparison runs in the background, even after a lost start and an outage of the worker', async (t) => {
  const { models, messenger, temporal } = service;
  const town = townOf(service);
  const partner = await town.partner('TEST');
  const { partnerId, integrationId } = partner;
  const { externalOrderId } = await town.buy(partner);
  async function* file() {
    yield Buffer.from(`externalOrderId,subtotal\n${externalOrderId},49.90\nnever,1\n`);
  }
  const { _id: jobId } = await compareOrderFile(
    { models, now: Date.now },
    { partnerId, requestedBy: 'usr_1' },
    { mode: 'TEST', integrationId, range: null },
    file(),
  );
  await service.stopWorker();
  try {
    await messenger.startJob({ partnerId, jobId });
    await messenger.startJob({ partnerId, jobId });
    t.is((await findJob(models, partnerId, jobId))?.status, 'QUEUED');
  } finally {
    await service.startWorker();
  }
  const job = await eventually(async () => {
    const found = await findJob(models, partnerId, jobId);
    return found?.status === 'DONE' && found;
  }, 'the comparison is done');
  t.like(job.result, { matched: 1, faults: { MISSING: 1 } });
  const csv = (await buffer(orderFaultsCsv({ models }, partnerId, jobId))).toString('utf8');
  t.regex(csv, /"MISSING","never",3,,"was never reported"/);

  const handle = temporal.workflow.getHandle(jobWorkflowId(jobId));
  await handle.result();
  const history = JSON.stringify(await handle.fetchHistory());
  t.notRegex(history, /never reported|49\.90/, 'the history contains nothing from the file');
});
