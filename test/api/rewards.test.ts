import test from 'ava';
import { newId } from '../../platform/ids.ts';
import { aPurchase, type PartnerBackend, type Reply } from '../helpers/partner-backend.ts';
import { refundedAfterClaim } from '../helpers/refunded.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service.stop());

const scopes: PartnerBackend['scopes'] = ['events:read', 'events:write'];

const read = (partner: PartnerBackend, rewardId: string, query = ''): Promise<Reply> =>
  partner.send(undefined, { method: 'GET', path: `/api/v1/partner/rewards/${rewardId}`, query });

test('a reward can be read right after its purchase’s response, before its workflow has started, and matches it', async (t) => {
  const partner = await service.partner({ scopes });
  const { body: bought } = await partner.purchase();
  const first = await read(partner, bought.reward.id);
  t.is(first.status, 200);
  t.like(first.body, { success: true, mode: 'TEST', reward: { refunds: [], review: null } });
  t.like(first.body.reward, { ...bought.reward, externalOrderId: bought.externalOrderId });

  // A purchase's event, for which no workflow starts.
  await service.allStarted(partner);
  const { orderEvents, rewards } = service.models;
  const event = await orderEvents.findById(bought.eventId).orFail();
  const other = { _id: newId('event'), rewardId: newId('reward'), externalOrderId: 'unstarted' };
  await orderEvents.collection.insertOne({ ...event, ...other, idempotencyKeyHash: 'x' });
  t.teardown(() => orderEvents.deleteOne({ _id: other._id }));
  const unstarted = await read(partner, other.rewardId);
  const { rewardId: id, externalOrderId } = other;
  const { createdAt } = first.body.reward;
  t.deepEqual(unstarted.body.reward, {
    ...bought.reward,
    id,
    externalOrderId,
    createdAt,
    updatedAt: createdAt,
    refunds: [],
    review: null,
  });
  t.is(await rewards.findById(id), null);
});

test('a reward shows each refund with its response, and the decision of its review', async (t) => {
  const partner = await service.partner({ scopes });
  const review = await refundedAfterClaim(service, partner);
  const { rewardId, externalOrderId } = review;
  const before = (await read(partner, rewardId)).body.reward;
  t.like(before, {
    status: 'ADMIN_REVIEW',
    customerStatus: 'CLAIMED',
    review: { status: 'OPEN', decidedAt: null },
  });
  await partner.refund({ externalOrderId, externalRefundId: 'second' });
  const decided = await fetch(`${service.adminUrl}/reviews/${review._id}/decision`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.adminToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ decision: 'UPHOLD', reasonCode: 'GOODS_RETURNED' }),
  });
  t.is(decided.status, 200);
  await partner.refund({ externalOrderId, externalRefundId: 'third' });

  const { reward } = (await read(partner, rewardId)).body;
  t.like(reward, { status: 'CANCELLED', customerStatus: 'CANCELLED', externalOrderId });
  const refunds: { externalRefundId: string; status: string; receivedAt: string }[] =
    reward.refunds;
  t.deepEqual(
    refunds.map(({ externalRefundId, status }) => [externalRefundId, status]),
    [
      [`refund:${externalOrderId}`, 'ADMIN_REVIEW'],
      ['second', 'ADMIN_REVIEW'],
      ['third', 'CANCELLED'],
    ],
  );
  t.deepEqual(
    refunds.map(({ receivedAt }) => receivedAt).toSorted(),
    refunds.map(({ receivedAt }) => receivedAt),
  );
  t.is(reward.review.status, 'UPHELD');
  t.true(reward.updatedAt >= reward.review.decidedAt);
});

test('other partners’ and unknown rewards are NOT_FOUND; a missing scope or a query is refused', async (t) => {
  const partner = await service.partner({ scopes });
  const { body } = await partner.purchase();
  const rewardId: string = body.reward.id;
  const stranger = await service.partner({ scopes });
  const { models, sealer } = service;
  await models.partners.updateOne({ _id: partner.partnerId }, { 'goLive.state': 'LIVE' });
  const live = await partner.withAnotherCredential(models, sealer, { mode: 'LIVE' });
  const outcome = ({ status, body }: Reply) => [status, body.error?.code];
  for (const when of ['before its workflow', 'after it has started']) {
    if (when === 'after it has started') await service.allStarted(partner);
    for (const other of [stranger, live]) {
      t.deepEqual(outcome(await read(other, rewardId)), [404, 'NOT_FOUND'], when);
    }
  }
  const ids = [newId('reward'), 'PNR_1', body.eventId, rewardId.toLowerCase(), '%00', '%', 'a%2Fb'];
  for (const id of ids) t.deepEqual(outcome(await read(partner, id)), [404, 'NOT_FOUND'], id);
  t.is((await read(partner, rewardId, '?a=1')).body.error.code, 'UNEXPECTED_QUERY');
  const writer = await partner.withAnotherCredential(models, sealer, { scopes: ['events:write'] });
  t.is((await read(writer, rewardId)).body.error.code, 'INSUFFICIENT_SCOPE');
  t.is(
    (
      await partner.changed({ secret: 'x' }).send(undefined, {
        method: 'GET',
        path: `/api/v1/partner/rewards/${rewardId}`,
      })
    ).body.error.code,
    'INVALID_SIGNATURE',
  );
});

test('concurrent reads of different rewards each get their own', async (t) => {
  const partner = await service.partner({ scopes });
  const bought = await Promise.all([1, 2, 3, 4].map(() => partner.purchase(aPurchase())));
  const ids: string[] = bought.map(({ body }) => body.reward.id);
  const all = await Promise.all([...ids, ...ids].map((id) => read(partner, id)));
  t.deepEqual(
    all.map(({ body }) => body.reward.id),
    [...ids, ...ids],
  );
});
