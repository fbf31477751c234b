import { defaultPayloadConverter } from '@temporalio/common';
import test from 'ava';
import { workerCommand } from '../../worker/command.ts';
import { eventually } from '../helpers/eventually.ts';
import { type OwnProcess, startOwnProcess } from '../helpers/own-process.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { type Bought, createScene } from '../workflows/helpers/scene.ts';

let service: OwnService;
let worker: OwnProcess | undefined;
test.before(async () => {
  service = await startOwnService({}, { hasWorker: false });
});
test.after.always(async () => {
  await worker?.end();
  await service?.stop();
});

async function workflowOf({ eventId }: Bought) {
  const { workflowId } = await service.models.orderEvents.findById(eventId).orFail();
  return service.temporal.workflow.getHandle(workflowId);
}

/** The patches that a purchase's workflow recorded, and the activities that it scheduled. */
async function historyOf(bought: Bought) {
  const { events } = await (await workflowOf(bought)).fetchHistory();
  const patches = (events ?? []).flatMap(({ markerRecordedEventAttributes: marker }) => {
    const payload =
      marker?.markerName === 'core_patch' && marker.details?.['patch-data']?.payloads?.[0];
    return payload ? [defaultPayloadConverter.fromPayload<{ id: string }>(payload).id] : [];
  });
  const activities = (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: one }) => one?.activityType?.name ?? [],
  );
  return { patches, activities };
}

test('a worker that holds patches runs the old branch without recording any; the next worker takes over', async (t) => {
  const { partner, funded, claim, refund, reviewOf, decide } = createScene(service);
  const shop = await partner('TEST');
  async function inReview() {
    const bought = await funded(shop);
    await claim(bought);
    await refund(bought);
    const reviewId = await reviewOf(bought);
    await eventually(
      async () => (await historyOf(bought)).activities.includes('adminReview'),
      'the workflow waits for the review',
    );
    return { bought, reviewId };
  }
  /** @returns the patches, and whether the customer was notified, which no old branch does */
  async function upheld({ bought, reviewId }: Awaited<ReturnType<typeof inReview>>) {
    await decide(reviewId, 'UPHOLD');
    await (await workflowOf(bought)).result();
    const { patches, activities } = await historyOf(bought);
    return { patches, isNotified: activities.includes('sendTakenBack') };
  }

  worker = startOwnProcess(service, workerCommand, { WORKFLOW_PATCHES: 'held' });
  t.deepEqual(await upheld(await inReview()), { patches: [], isNotified: false });
  const begunWhileHeld = await inReview();
  t.deepEqual((await historyOf(begunWhileHeld.bought)).patches, []);
  await worker.end();

  worker = startOwnProcess(service, workerCommand);
  const notifying = 'tell of points taken back';
  t.deepEqual(await upheld(begunWhileHeld), { patches: [notifying], isNotified: true });
  t.deepEqual(await upheld(await inReview()), {
    patches: ['open the review before anything else goes on', notifying],
    isNotified: true,
  });
});
