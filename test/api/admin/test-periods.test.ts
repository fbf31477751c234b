import test from 'ava';
import { createPlanVersion } from '../../../operations/plans/create.ts';
import { publishPlanVersion } from '../../../operations/plans/publish.ts';
import { smallPlan } from '../../helpers/billing.ts';
import { eventually } from '../../helpers/eventually.ts';
import { operate } from '../../helpers/operate.ts';
import { type Service, startService } from '../../helpers/service.ts';
import { Operator } from './helpers/operator.ts';

let service: Service;
let ada: Operator;
test.before(async () => {
  service = await startService();
  ada = new Operator(service, service.adminToken);
});
test.after.always(() => service?.stop());

test('a TEST period with a purchase in it is ended and listed', async (t) => {
  const deps = { models: service.models, now: Date.now };
  const drafted = await operate(deps, createPlanVersion, smallPlan);
  const { _id: planVersionId } = await operate(deps, publishPlanVersion, {
    planVersionId: drafted._id,
  });
  const partner = await service.partner();
  const path = `/partners/${partner.partnerId}/test-periods`;
  const refused = await ada.post(path, {});
  t.deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT']);
  const { body } = await partner.purchase();
  await eventually(async () => (await service.rewardOf(body.reward.id)).funded, 'it is funded');
  const first = await ada.post(path, { planVersionId });
  t.is(first.status, 201, first.text);
  t.like(first.body, { number: 'TEST-0001', rewards: 1, points: 499, totalCents: 1_000 });
  const second = await ada.post(path, { planVersionId });
  t.like(second.body, { number: 'TEST-0002', rewards: 0, periodStart: first.body.periodEnd });
  const { items } = (await ada.get(path)).body;
  t.deepEqual(items, [second.body, first.body]);
});
