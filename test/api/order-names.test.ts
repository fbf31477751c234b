import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import test from 'ava';
import { searchAttributes } from '../../domain/workflow-names.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { textOf } from '../helpers/readable.ts';
import { type Service, startService } from '../helpers/service.ts';
import { partnerBrowser } from '../portal/helpers/people.ts';
import { startPortal, type TestPortal } from '../portal/helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const orderKey = defineSearchAttributeKey(
  searchAttributes.externalOrderId,
  SearchAttributeType.KEYWORD,
);

/** Reports, claims, refunds and reads a purchase through an API whose log lines are recorded. */
async function timelineOf(externalOrderId: string) {
  const lines: { externalOrderId?: string; text: string }[] = [];
  const record = (fields: object, text = '') => void lines.push({ ...fields, text });
  const logger = { info: record, warn: record, error: record, debug: record, child: () => logger };
  const api = await startAnotherApi(service, { log: logger as never });
  const shop = await service.partner({ mode: 'LIVE', fundingCents: 1_000_000 });
  const partner = shop.changed({ baseUrl: api.baseUrl });
  const bought = await partner.purchase(aPurchase({ externalOrderId }));
  await service.claim(await claimTokenOf(service, bought.body.eventId));
  await service.carriedOut(shop);
  const refunded = await partner.refund({ externalOrderId });
  const rewardId: string = bought.body.reward.id;
  await partner.send(undefined, { method: 'GET', path: `/api/v1/partner/rewards/${rewardId}` });
  const review = await eventually(
    () => service.models.reviews.findOne({ rewardId }),
    'the review is open',
  );
  await api.stop();
  const { workflowId } = await service.rewardOf(rewardId);
  const handle = service.temporal.workflow.getHandle(workflowId);
  const { raw, memo, typedSearchAttributes } = await handle.describe();
  const inTemporal = textOf({
    workflowId,
    raw,
    memo,
    history: await handle.fetchHistory(),
    metadata: await handle.query('__temporal_workflow_metadata'),
  });
  const logged = [...new Set(lines.flatMap((line) => line.externalOrderId ?? []))];
  const shown = typedSearchAttributes.get(orderKey);
  return { shop, bought, refunded, review, inTemporal, logged, lines, shown, workflowId };
}

for (const [externalOrderId, traces] of [
  ['jane.doe@private.example', ['jane', 'private.example']],
  ['+1 (415) 555-2671', ['555-2671', '5552671', '555_2671']],
] as const) {
  test(`the order id ${externalOrderId} appears in no log and nowhere in Temporal, and the order is still found`, async (t) => {
    const timeline = await timelineOf(externalOrderId);
    const { shop, bought, refunded, review, inTemporal, logged, shown } = timeline;
    t.is(bought.body.externalOrderId, externalOrderId, 'the partner’s responses contain it');
    t.is(refunded.status, 201, refunded.text);
    t.is(review.externalOrderId, externalOrderId, 'operators see it in the portal');
    t.is(logged.length, 1, 'the purchase, its refund and its reward have one name');
    t.regex(logged[0] ?? '', /^order-[a-z2-7]{26}$/);
    t.is(shown, logged[0]);
    t.true(timeline.workflowId.startsWith(`${logged[0]}/LIVE/`));
    t.true(inTemporal.includes(logged[0] ?? ''));
    for (const trace of traces) {
      t.false(inTemporal.includes(trace), `Temporal contains ${trace}`);
      t.false(JSON.stringify(timeline.lines).includes(trace), `a log line contains ${trace}`);
    }
    const owner = await partnerBrowser(portal, shop.partnerId);
    const found = await owner.open(`/find?q=${encodeURIComponent(externalOrderId)}`);
    t.true(found.html.includes(bought.body.eventId), 'the portal finds it');
  });
}

test('any other order id appears unchanged wherever an operator looks for it', async (t) => {
  const externalOrderId = `No. 1000234567 ${Date.now()}`;
  const { logged, shown, inTemporal } = await timelineOf(externalOrderId);
  t.deepEqual(logged, [externalOrderId]);
  t.is(shown, externalOrderId);
  t.true(inTemporal.includes(externalOrderId));
});
