import test from 'ava';
import { createPlanVersion } from '../../models/commands/create-plan-version.ts';
import { publishPlanVersion } from '../../models/commands/publish-plan-version.ts';
import { subscribe } from '../../models/commands/subscribe.ts';
import { ensureSchedules, scheduleIdOf } from '../../platform/schedules.ts';
import { smallPlan } from '../helpers/billing.ts';
import { eventually } from '../helpers/eventually.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

test('the schedule closes the periods that are over and issues one invoice for each', async (t) => {
  const { models, temporal, config } = service;
  const { taskQueue } = config.temporal;
  const billing = temporal.schedule.getHandle(scheduleIdOf('billing', taskQueue));
  await ensureSchedules(temporal, taskQueue);
  t.teardown(() => billing.delete());
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const { _id } = await createPlanVersion({ models, now: Date.now }, smallPlan);
  await publishPlanVersion({ models, now: Date.now }, _id);
  const monthsAgo = new Date();
  monthsAgo.setUTCMonth(monthsAgo.getUTCMonth() - 3, 1);
  await subscribe(
    { models, now: () => monthsAgo.getTime() },
    { partnerId, planVersionId: _id, interval: 'MONTH' },
  );
  const isCurrent = async () =>
    await models.subscriptions.exists({ partnerId, currentPeriodEnd: { $gt: new Date() } });

  await billing.trigger();
  await eventually(isCurrent, 'the subscription stands in the current period');
  const invoices = await models.invoices.find({ partnerId }).lean();
  t.is(invoices.length, 3);

  await eventually(
    async () => (await billing.describe()).info.runningActions.length === 0,
    'the first round is over',
  );
  await billing.trigger();
  await eventually(
    async () => (await billing.describe()).info.recentActions.length >= 2,
    'a second round',
  );
  t.is(await models.invoices.countDocuments({ partnerId }), 3);
});
