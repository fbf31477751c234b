import test from 'ava';
import { begin, recordTopUp } from '../../domain/facts.ts';
import type { RewardState } from '../../domain/reward.ts';
import { createCommit } from '../../models/commit.ts';
import { openEvent } from '../../models/store/sealed-events.ts';
import { eraseUpTo } from '../../operations/customers.ts';
import { newId } from '../../platform/ids.ts';
import { readEventDetails } from '../../views/event.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { readMonths } from '../../views/usage.ts';
import { aReward } from '../helpers/a-reward.ts';
import { eventually } from '../helpers/eventually.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Bought, rewardCents, type Town, townOf } from '../helpers/town.ts';

let service: Service;
let town: Town;

async function detailsOf(_id: string | null, eventId: string) {
  const { models, sealer } = service;
  const details = await readEventDetails(
    { models, sealer, now: Date.now },
    _id === null ? null : scopeOf({ _id }),
    eventId,
  );
  if (details === null) throw new Error(`there is no ${eventId}`);
  return details;
}

test.serial('an event’s page shows the whole life of its reward, with every cent', async (t) => {
  const partner = await town.partner('LIVE');
  const bought = await town.funded(partner, {
    customer: { email: 'anna.smith@example.com', phone: '+1 202 555 0199' },
    occurredAt: '2026-03-01T12:00:00+01:00',
    metadata: { note: 'for Anna Smith', basket: [{ sku: 'A1', price: 7 }] },
  });
  await town.claim(bought);
  await town.closed(bought);
  const refund = await town.refund(bought, 'return-1');
  await town.decide(await town.reviewOf(bought), 'UPHOLD');
  await town.onceState(bought, 'CANCELLED');
  await eventually(
    () => service.models.reviews.exists({ rewardId: bought.rewardId, status: 'DECIDED' }),
    'the review is decided',
  );
  await service.carriedOut(partner);

  const details = await detailsOf(partner.partnerId, bought.eventId);
  t.deepEqual(details.request, {
    externalOrderId: bought.externalOrderId,
    customer: { email: 'a•••@e•••.com', phone: '•••99' },
    order: { subtotalCents: 4_990, currency: 'USD' },
    occurredAt: '2026-03-01T11:00:00.000Z',
    metadata: { note: 'string', basket: [{ sku: 'string', price: 'number' }] },
    isErased: false,
  });
  t.is(details.answer.status, 201);
  t.is(JSON.parse(details.answer.body ?? '').eventId, bought.eventId);
  t.like(details.reward, { _id: bought.rewardId, state: 'CANCELLED' });
  t.is(details.review?.status, 'DECIDED');
  t.like(details.next, { waitsFor: 'NOBODY', until: null });
  t.regex(details.why.sentence, /499 points.* = \$4\.99/);

  // Messages are sent while everything else goes on.
  const isMessage = ({ kind }: { kind: string }) => kind === 'MESSAGE';
  const link = 'The claim link was sent, by email';
  await eventually(async () => {
    const { timeline } = await detailsOf(null, bought.eventId);
    return timeline.some((one) => isMessage(one) && one.what === link);
  }, 'the sent claim link is shown');
  const story = details.timeline.filter((one) => !isMessage(one));
  const entries = story.map(({ kind, what, status }) =>
    [kind, what, status].filter(Boolean).join(' '),
  );
  t.deepEqual(entries, [
    'EVENT The purchase was received and accepted',
    'MOVE The funds cover the reward: the customer can claim it PENDING',
    'MONEY RESERVE',
    'MOVE The customer claimed the reward AVAILABLE',
    'MONEY CLAIM',
    'EVENT The refund return-1 was received and accepted',
    'MOVE $49.90 of the order came back: the customer had claimed the points, so a review decides whether any are taken back ADMIN_REVIEW',
    'REVIEW A review was opened',
    'MOVE An operator upheld the refund: the reward is cancelled, and its points are taken back CANCELLED',
    'MONEY CLAWBACK',
  ]);
  const reserved = details.timeline.find(({ what }) => what === 'RESERVE')?.postings;
  t.deepEqual(
    reserved?.map(({ account, amount }) => [account, amount]),
    [
      ['funding', -rewardCents],
      ['reserved', rewardCents],
    ],
  );
  t.regex(reserved?.length === 2 ? (story[2]?.id ?? '') : '', /^txn_/);

  const ofRefund = await detailsOf(partner.partnerId, refund.body.eventId);
  t.deepEqual(
    ofRefund.timeline.filter((one) => !isMessage(one)),
    story,
  );
  t.deepEqual(ofRefund.request, {
    externalOrderId: bought.externalOrderId,
    externalRefundId: 'return-1',
    amountCents: 4_990,
    hasReason: false,
    occurredAt: null,
    metadata: null,
    isErased: false,
  });
  const pages = JSON.stringify([details.request, details.timeline, details.next, details.why]);
  t.notRegex(pages, /anna|smith|555\D?0199/i);
});

test.serial(
  'a purchase in TEST, and one whose workflow has not started, have a page',
  async (t) => {
    const partner = await town.partner('TEST');
    const bought = await town.funded(partner);
    const details = await detailsOf(null, bought.eventId);
    t.regex(details.next.sentence(String), /Then it expires\. A refund/);
    t.is(details.timeline.filter(({ kind }) => kind !== 'MESSAGE').length, 3);

    const waiting = await storeWaiting(bought);
    t.teardown(() => service.models.orderEvents.deleteOne({ _id: waiting }));
    const { reward, next, timeline, request } = await detailsOf(partner.partnerId, waiting);
    t.is(reward, null);
    t.truthy(request.customer?.email, 'the event has the key to its own data');
    t.is(next.waitsFor, 'SERVICE');
    t.is(timeline.length, 1);
  },
);

/** Stores a purchase like another one, but whose workflow has not started. @returns its event's id */
async function storeWaiting({ eventId }: Bought): Promise<string> {
  const { models, sealer } = service;
  const event = await models.orderEvents.findById(eventId).orFail();
  const _id = newId('event');
  const sealed = sealer.seal(openEvent(sealer, event) ?? '', _id);
  await models.orderEvents.create({
    ...event,
    _id,
    purchaseEventId: _id,
    rewardId: _id,
    externalOrderId: _id,
    idempotencyKeyHash: _id,
    sealed,
  });
  return _id;
}

test.serial('an open review has its due time', async (t) => {
  const partner = await town.partner('TEST');
  const bought = await town.funded(partner);
  await town.claim(bought);
  await town.refund(bought);
  const reviewId = await town.reviewOf(bought);
  const { next, review } = await detailsOf(partner.partnerId, bought.eventId);
  t.is(review?._id, reviewId);
  t.like(next, { waitsFor: 'OPERATOR', until: review?.dueAt.toISOString() });
});

test.serial(
  'after an erasure an event’s page still shows everything but the customer’s data',
  async (t) => {
    const bought = await town.funded(await town.partner('TEST'));
    const { partnerId, customerId } = await town.rewardOf(bought);
    const customer = { partnerId, customerId };
    const erasure = { ...customer, reference: 'request 1' };
    await eraseUpTo({ models: service.models, now: Date.now }, erasure, new Date());
    const { request, next } = await detailsOf(null, bought.eventId);
    t.like(request, { isErased: true, customer: { email: null, phone: null }, metadata: null });
    t.is(request.order?.subtotalCents, 4_990);
    t.is(next.waitsFor, 'CUSTOMER');
  },
);

test.serial('another partner’s event, and an unknown one, are not found', async (t) => {
  const bought = await town.buy(await town.partner('TEST'));
  const { models, sealer } = service;
  const deps = { models, sealer, now: Date.now };
  t.is(await readEventDetails(deps, scopeOf({ _id: newId('partner') }), bought.eventId), null);
  t.is(await readEventDetails(deps, null, newId('event')), null);
});

test.before(async () => {
  service = await startService();
  town = townOf(service);
});

test.after.always(async () => {
  await service.stop();
  await service?.stop();
});

const ofDay = (day: string) => `${day}T12:00:00.000Z`;

test('a month is compared with the same days of the previous month, which may be shorter', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const { models, hashKey } = service;
  const rewards: [day: string, state: RewardState][] = [
    ['2036-01-31', 'AVAILABLE'],
    ['2036-02-01', 'AVAILABLE'],
    ['2036-02-29', 'EXPIRED'],
    ['2036-03-01', 'AVAILABLE'],
    ['2036-03-01', 'IN_REVIEW'],
    ['2036-03-31', 'FUNDED'],
  ];
  for (const [day, state] of rewards) {
    const at = new Date(ofDay(day));
    const commit = createCommit({ models, hashKey, now: () => at.getTime() });
    const _id = newId('reward', at.getTime());
    const wallet = { mode: 'LIVE', partnerId } as const;
    await commit({
      partnerId,
      wallet,
      rewardIds: [_id],
      customerIds: [_id],
      decide(draft, terms) {
        const ofCustomer = { id: _id, customer: _id, points: 100, cents: 150 };
        const made = { ...aReward(wallet, ofCustomer), createdAt: at };
        recordTopUp(draft, wallet, { amountCents: 150, externalReference: _id }, terms);
        const reward = begin(draft, made, terms);
        draft.setReward({ ...reward, state });
      },
    });
  }
  const refused = [
    ['2036-02-29', { NOT_FOUND: 20_000 }],
    ['2036-03-01', { NOT_FOUND: 1, RATE_LIMITED: 1_000_000 }],
    ['2036-03-31', { NOT_FOUND: 2 }],
  ] as const;
  for (const [day, codes] of refused) {
    const _id = `${partnerId}/LIVE/${day}`;
    await models.refusalTotals.create({ _id, partnerId, mode: 'LIVE', day, codes });
  }
  const on = async (day: string) => {
    const now = () => Date.parse(ofDay(day));
    const months = await readMonths({ models, now }, scopeOf({ _id: partnerId }));
    const shown = ({ days, ...span }: (typeof months)['now']) => ({ ...span, days: days.length });
    return { now: shown(months.now), before: shown(months.before) };
  };
  t.deepEqual(await on('2036-03-31'), {
    now: {
      from: '2036-03-01',
      to: '2036-03-31',
      days: 31,
      points: 300,
      cents: 450,
      purchases: 3,
      claimed: 2,
      refusals: 1_000_003,
    },
    before: {
      from: '2036-02-01',
      to: '2036-02-29',
      days: 29,
      points: 200,
      cents: 300,
      purchases: 2,
      claimed: 1,
      refusals: 20_000,
    },
  });
  const { before } = await on('2036-03-01');
  t.like(before, { from: '2036-02-01', to: '2036-02-01', days: 1, points: 100, purchases: 1 });
});
