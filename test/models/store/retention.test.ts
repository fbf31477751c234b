import test from 'ava';
import { eraseOldTexts } from '../../../models/store/retention.ts';
import { eraseOldEvents } from '../../../models/store/sealed-events.ts';
import { openEvent } from '../../helpers/claim-token.ts';
import { type OwnService, startOwnService } from '../../helpers/own-service.ts';
import { type Bought, type Town, townOf } from '../../helpers/town.ts';

let service: OwnService;
let town: Town;
test.before(async () => {
  service = await startOwnService();
  town = townOf(service);
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
  const shop = await town.partner('LIVE', { fundingCents: 499 * 4 });
  const of = (name: string) => ({ customer: { email: `${name}@private.example` } });
  const [done, waiting, inReview, twice] = await Promise.all(
    ['done', 'waiting', 'review', 'twice'].map((name) => town.funded(shop, of(name))),
  );
  if (!done || !waiting || !inReview || !twice) throw new Error('there should be four purchases');
  const short = await town.buy(shop, of('short'));
  await town.onceState(short, 'AWAITING_FUNDING');
  for (const bought of [done, inReview, twice]) await town.claim(bought);
  await town.refund(inReview);
  const reviewId = await town.reviewOf(inReview);
  const again = await town.buy(shop, of('twice'));
  await town.onceState(again, 'AWAITING_FUNDING');
  const all = [done, waiting, inReview, twice, short];

  t.is(await round(days - 1), 0);
  t.is(await round(days + 1), 1);
  t.deepEqual(await Promise.all(all.map(isReadable)), [false, true, true, true, true]);
  t.is(await round(days + 1), 0, 'a repeat finds nothing left');

  await town.decide(reviewId, 'DISMISS');
  await town.onceState(inReview, 'AVAILABLE');
  await service.carriedOut(shop);
  t.is(await round(days + 1), 3, 'the contact, the refund, and the reason for the decision');
  t.deepEqual(await Promise.all(all.map(isReadable)), [false, true, false, true, true]);
});

test.serial('a purchase that has not begun is open business', async (t) => {
  const shop = await town.partner('TEST');
  const bought = await town.funded(shop);
  await town.claim(bought);
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
