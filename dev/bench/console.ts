import { integrationEventOf } from '../../models/events/integration-events.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { OrderEventDoc } from '../../models/schemas/order-event.ts';
import type { ReviewDoc } from '../../models/schemas/review.ts';
import { system } from '../../operations/actor.ts';
import { execute } from '../../operations/execute.ts';
import { createFirstOperator } from '../../operations/operators/create-first.ts';
import { createOperatorUser } from '../../operations/operators/create-operator-user.ts';
import { createPartner } from '../../operations/partners/create.ts';
import { correspondingId, newId, reviewIdOf } from '../../platform/ids.ts';
import { hashes, measurePages, signIn } from './portal-pages.ts';
import { rewardOf } from './reward-of.ts';

/**
 * `npm run bench:console`: the response times of the operators' home, review queue and search, as complete
 * pages over HTTP, with 100 events and with 100,000. Of every ten events one has an open review and one a
 * reward waiting for funds. Needs a MongoDB (`MONGODB_URI`); creates its own databases and drops them. Fails
 * if the 95th percentile of a page exceeds a tenth of a second.
 */
const batch = 5_000;
const partnersCount = 50;
const hourMs = 3_600_000;

await measurePages('console', async (deps, events) => {
  const filled = await fill(deps.models, events);
  const { operator } = await execute(deps, createFirstOperator, system('seed'), {
    name: 'Ada',
    role: 'admin',
  });
  const { _id } = await createOperatorUser(deps, operator, { email: 'ada@bench.example' });
  const cookie = await signIn(deps, _id);
  return pagesOf(filled).map(([what, path]) => [what, path, cookie]);
});

/** The data that the pages are requested for. */
interface Filled {
  partnerId: string;
  /** The index of an event in the middle, and the event. */
  middle: number;
  event: OrderEventDoc;
}

function pagesOf({ partnerId, middle, event }: Filled): [what: string, path: string][] {
  const late = new Date(Date.now() + 24 * hourMs).getTime();
  const day = new Date().toISOString().slice(0, 10);
  const cursor = Buffer.from(`${late} rev_00000000000000000000000000`).toString('base64url');
  return [
    ['home', '/admin'],
    ['queue, first page', '/admin/reviews'],
    ['queue, page in the middle', `/admin/reviews?cursor=${cursor}`],
    ['queue, overdue only', '/admin/reviews?state=OVERDUE'],
    ['queue of one mode', '/admin/reviews?mode=TEST'],
    ['queue of one partner', `/admin/reviews?partner=${partnerId}`],
    ['search by order', `/admin/search?q=order-${middle}`],
    ['search by Idempotency-Key', `/admin/search?q=key-${middle}`],
    ['search by event', `/admin/search?q=${event._id}`],
    ['search by reward', `/admin/search?q=${event.rewardId}`],
    ['search by request', `/admin/search?q=${event.requestId}`],
    ['search by workflow', `/admin/search?q=${encodeURIComponent(event.workflowId)}`],
    ['search by an unknown id', `/admin/search?q=${newId('event')}`],
    ['search without results', '/admin/search?q=no+such+thing'],
    ['requests of all partners', '/admin/requests'],
    ['requests of a day', `/admin/requests?from=${day}&to=${day}`],
    ['rewards', '/admin/rewards'],
    ['rewards awaiting funding', '/admin/rewards?status=AWAITING_FUNDING'],
    ['rewards of one partner', `/admin/rewards?partner=${partnerId}`],
    ['rewards of a customer', `/admin/rewards?customer=cus_${'a'.repeat(32)}`],
    ['a reward’s order', `/admin/rewards?order=order-${middle}`],
    ['partners', '/admin/partners'],
    ['a partner, with health', `/admin/partners/${partnerId}`],
    ['ledger', '/admin/ledger'],
    ['audit log', '/admin/audit'],
    ['approvals', '/admin/approvals'],
  ];
}

async function fill(models: Models, events: number): Promise<Filled> {
  const partnerIds: string[] = [];
  for (let count = 0; count < partnersCount; count++) {
    const { _id } = await execute({ models, now: Date.now }, createPartner, system('seed'), {
      name: `Shop ${count}`,
    });
    partnerIds.push(_id);
  }
  await models.partners.updateMany(
    { _id: { $in: partnerIds.slice(0, 10) } },
    { $set: { 'goLive.state': 'IN_REVIEW', 'goLive.requestedAt': new Date() } },
  );
  for (let from = 0; from < events; from += batch) {
    const length = Math.min(batch, events - from);
    const accepted = Array.from({ length }, (_, index) => {
      const place = from + index;
      return anEvent(place, partnerIds[place % partnersCount] ?? '', events);
    });
    const insert = (
      model: { collection: Models['rewards']['collection'] },
      documents: unknown[],
    ) =>
      documents.length === 0
        ? undefined
        : model.collection.insertMany(documents as never[], { ordered: false });
    await insert(models.orderEvents, accepted);
    await insert(models.integrationEvents, accepted.map(aRequest));
    await insert(
      models.rewards,
      accepted.map((event, index) => aReward(event, from + index)),
    );
    await insert(
      models.reviews,
      accepted.flatMap((event, index) => aReview(event, from + index)),
    );
  }
  const middle = 10 * Math.floor(events / 20) + 1;
  const externalOrderId = `order-${middle}`;
  const event = await models.orderEvents.findOne({ externalOrderId }).lean().orFail();
  return { partnerId: partnerIds[7] ?? '', middle, event };
}

/** Spreads the events over a day, so about four percent are from the last hour. */
function anEvent(index: number, partnerId: string, events: number): OrderEventDoc {
  const receivedAt = new Date(Date.now() - Math.floor(((events - index) / events) * 24 * hourMs));
  const _id = newId('event', receivedAt.getTime());
  return {
    _id,
    partnerId,
    integrationId: 'int_bench',
    credentialId: 'key_bench',
    mode: index % 10 < 7 ? 'LIVE' : 'TEST',
    type: 'PURCHASE',
    externalOrderId: `order-${index}`,
    idempotencyKeyHash: hashes.ofIdempotencyKey(`key-${index}`),
    payloadHash: _id,
    requestId: correspondingId('request', _id),
    receivedAt,
    occurredAt: null,
    sealed: '',
    rewardId: correspondingId('reward', _id),
    purchaseEventId: _id,
    workflowId: `order-${index}/LIVE/bench`,
    request: { method: 'POST', path: '/api/v1/partner/purchases', status: 201 },
    answer: '{}',
    purchase: null,
    externalRefundId: null,
  };
}

/** Refuses every second request, more than on any real day. */
function aRequest(event: OrderEventDoc, index: number) {
  const accepted = integrationEventOf(event, null);
  if (index % 2 === 0) return accepted;
  const code = index % 3 === 0 ? 'INVALID_SIGNATURE' : 'VALIDATION_FAILED';
  return { ...accepted, status: 400, code, eventId: null };
}

function isInReview(index: number): boolean {
  return index % 10 === 1;
}

function aReward(event: OrderEventDoc, index: number) {
  const status = isInReview(index)
    ? 'ADMIN_REVIEW'
    : index % 10 === 2
      ? 'AWAITING_FUNDING'
      : 'AVAILABLE';
  return rewardOf(event, status, event.rewardId);
}

/** Due within two days, or overdue since yesterday. */
function aReview(event: OrderEventDoc, index: number): ReviewDoc[] {
  if (!isInReview(index)) return [];
  const { partnerId, mode, rewardId, externalOrderId, workflowId, receivedAt } = event;
  return [
    {
      _id: reviewIdOf(event._id),
      partnerId,
      mode,
      rewardId,
      refundEventId: event._id,
      externalOrderId,
      points: 499,
      workflowId,
      status: 'OPEN',
      openedAt: receivedAt,
      dueAt: new Date(receivedAt.getTime() + (index % 72) * hourMs),
      rounds: 1,
      decision: null,
    },
  ];
}
