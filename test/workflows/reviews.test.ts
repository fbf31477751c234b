import test from 'ava';
import { startAnotherApi } from '../helpers/another-api.ts';
import { eventually } from '../helpers/eventually.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import type { PartnerBackend } from '../helpers/partner-backend.ts';
import { type Town, townOf } from '../helpers/town.ts';

let service: OwnService;
let town: Town;
test.before(async () => {
  service = await startOwnService();
  town = townOf(service);
});
test.after.always(() => service?.stop());

async function inReview(partner: PartnerBackend) {
  const bought = await town.funded(partner);
  await town.claim(bought);
  await town.refund(bought);
  return { bought, reviewId: await town.reviewOf(bought) };
}

test.serial(
  'a decision made while no worker runs is kept, and carried out once one runs',
  async (t) => {
    const { bought, reviewId } = await inReview(await town.partner('TEST'));
    await service.stopWorker();
    t.is((await town.decide(reviewId, 'UPHOLD')).status, 200);
    const workflow = await town.workflowOf(bought);
    t.is((await workflow.describe()).status.name, 'RUNNING');
    await service.startWorker();
    await town.closed(bought);
    const { events = [] } = await workflow.fetchHistory();
    const scheduled = events?.find(
      (event) => event.activityTaskScheduledEventAttributes?.activityId === reviewId,
    );
    const isCompleted = events?.some(
      ({ activityTaskCompletedEventAttributes: completed }) =>
        String(completed?.scheduledEventId) === String(scheduled?.eventId),
    );
    t.true(isCompleted, 'the activity that waits for the decision is completed');
    t.is((await town.decide(reviewId, 'UPHOLD')).status, 200);
    t.is((await town.rewardOf(bought)).state, 'CANCELLED');
  },
);

test.serial(
  'a review past its due time shows as overdue, is shown to operators again, and can be decided',
  async (t) => {
    const config = { ...service.config, reviewDueMs: 1_800 };
    const api = await startAnotherApi(service, { config });
    t.teardown(() => api.stop());
    const partner = (await town.partner('TEST')).changed({ baseUrl: api.baseUrl });
    const { bought, reviewId } = await inReview(partner);
    const review = await eventually(async () => {
      const { body } = await town.admin.get(`/reviews/${reviewId}`);
      return body.rounds >= 2 && body;
    }, 'a second round begins');
    t.like(review, { status: 'OPEN', overdue: true });
    t.is((await town.decide(reviewId, 'DISMISS')).status, 200);
    t.is((await town.rewardOf(bought)).state, 'AVAILABLE');
    t.like((await town.admin.get(`/reviews/${reviewId}`)).body, {
      status: 'DECIDED',
      overdue: false,
    });
  },
);
