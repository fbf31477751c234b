import test from 'ava';
import { eraseOldTexts } from '../../../models/store/retention.ts';
import { eraseOldEvents } from '../../../models/store/sealed-events.ts';
import { openEvent } from '../../helpers/claim-token.ts';
import { type OwnService, startOwnService } from '../../helpers/own-service.ts';
import { type Bought, createScene, type Scene } from '../../workflows/helpers/scene.ts';

let service: OwnService;
let scene: Scene;
test.before(async () => {
  service = await startOwnService();
  scene = createScene(service);
});
test.after.always(() => service?.stop());

const days = 90;
const dayMs = 86_400_000;

async function isReadable({ eventId }: Bought): Promise<boolean> {
  const event = await service.models.orderEvents.findById(eventId).orFail();
  return openEvent(service, event) !== null;
}

/** Runs one round as if some days had passed. @returns the number of erased contacts */
async function round(inDays: number): Promise<number> {
  const now = new Date(Date.now() + inDays * dayMs);
  const before = new Date(now.getTime() - days * dayMs);
  const texts = await eraseOldTexts(service.models, before, now);
  return texts + (await eraseOldEvents(service.models, before, now));
}

test('contacts are deleted after their retention, but not before a customer’s open business ends', async (t) => {
  const shop = await scene.partner('LIVE', { fundingCents: 499 * 4 });
  const of = (name: string) => ({ customer: { email: `${name}@private.example` } });
  const [done, waiting, inReview, twice] = await Promise.all(
    ['done', 'waiting', 'review', 'twice'].map((name) => scene.funded(shop, of(name))),
  );
  if (!done || !waiting || !inReview || !twice) throw new Error('there should be four purchases');
  const short = await scene.buy(shop, of('short'));
  await scene.onceState(short, 'AWAITING_FUNDING');
  for (const bought of [done, inReview, twice]) await scene.claim(bought);
  await scene.refund(inReview);
  const reviewId = await scene.reviewOf(inReview);
  const again = await scene.buy(shop, of('twice'));
  await scene.onceState(again, 'AWAITING_FUNDING');
  const all = [done, waiting, inReview, twice, short];

  t.is(await round(days - 1), 0);
  t.is(await round(days + 1), 1);
  t.deepEqual(await Promise.all(all.map(isReadable)), [false, true, true, true, true]);
  t.is(await round(days + 1), 0, 'a repeat finds nothing left');

  await scene.decide(reviewId, 'DISMISS');
  await scene.onceState(inReview, 'AVAILABLE');
  await service.carriedOut(shop);
  t.is(await round(days + 1), 3, 'the contact, the refund, and the reason for the decision');
  t.deepEqual(await Promise.all(all.map(isReadable)), [false, true, false, true, true]);
});

test.serial('a purchase that has not begun is open business', async (t) => {
  const shop = await scene.partner('TEST');
  const bought = await scene.funded(shop);
  await scene.claim(bought);
  await service.carriedOut(shop);
  const { rewards } = service.models;
  const reward = await rewards.findById(bought.rewardId).orFail();
  await rewards.deleteOne({ _id: reward._id });
  await round(days + 1);
  t.true(await isReadable(bought));
  await rewards.collection.insertOne(reward);
  await round(days + 1);
  t.false(await isReadable(bought));
});
