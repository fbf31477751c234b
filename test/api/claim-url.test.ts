import test, { type ExecutionContext } from 'ava';
import type { Delivery } from '../../domain/purchase.ts';
import { updateIntegration } from '../../operations/integrations.ts';
import { newToken, sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import { aPurchase, type PartnerBackend } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service.stop());

const deliverBy = async (
  { partnerId, integrationId }: PartnerBackend,
  delivery: Delivery,
): Promise<unknown> =>
  await operate({ models: service.models, now: Date.now }, updateIntegration, {
    partnerId,
    integrationId,
    delivery,
  });

/** A partner that delivers its claim links itself. */
async function deliveringPartner(): Promise<PartnerBackend> {
  const partner = await service.partner();
  await deliverBy(partner, 'PARTNER');
  return partner;
}

/** The same partner on another API process, whose caches are empty. */
async function elsewhere(t: ExecutionContext, partner: PartnerBackend): Promise<PartnerBackend> {
  const api = await startAnotherApi(service, {});
  t.teardown(() => api.stop());
  return partner.changed(api);
}

test('an integration that delivers claim links gets them in its responses, and they claim', async (t) => {
  const partner = await deliveringPartner();
  const { body } = await partner.purchase(aPurchase({ customer: { phone: '+12025550123' } }));
  const { pathname } = new URL(body.reward.claimUrl);
  const token = await claimTokenOf(service, body.eventId);
  t.is(pathname, `/claim/${token}`);
  t.is((await service.claim(token)).body.reward.status, 'AVAILABLE');
});

test('a link works right after the response: until the reward exists, its page says that it is being prepared', async (t) => {
  const partner = await deliveringPartner();
  const { body } = await partner.purchase();
  const { models } = service;
  const event = await models.orderEvents.findById(body.eventId).orFail();
  // As stored between the response and the workflow's first step.
  const [_id, token] = [newId('event'), newToken()];
  await models.orderEvents.collection.insertOne({
    ...event,
    _id,
    purchaseEventId: _id,
    rewardId: newId('reward'),
    workflowId: _id,
    externalOrderId: _id,
    idempotencyKeyHash: sha256Hex(_id),
    purchase: { ...event.purchase, claimTokenHash: sha256Hex(token) },
  } as never);
  const page = await fetch(await service.claimLink(token));
  t.is(page.status, 200);
  t.regex(await page.text(), /being prepared/i);
  t.is((await service.openClaim(token)).body.reward.status, 'PENDING');
  const refused = await service.claim(token);
  t.is(refused.body.error.code, 'REWARD_NOT_CLAIMABLE');
  t.is((await service.openClaim(newToken())).status, 404);
});

test('no other integration gets a link', async (t) => {
  const { body } = await (await service.partner()).purchase();
  t.false('claimUrl' in body.reward);
});

test('a replay repeats the link byte for byte, whatever the integration’s delivery is by then and in any process', async (t) => {
  const partner = await deliveringPartner();
  const purchase = aPurchase();
  const options = { idempotencyKey: 'one' };
  const first = await partner.purchase(purchase, options);
  await service.allStarted(partner);
  await deliverBy(partner, 'SERVICE');
  for (const sender of [partner, await elsewhere(t, partner)]) {
    const again = await sender.purchase(purchase, options);
    t.is(again.text, first.text);
    t.is(again.headers.get('idempotent-replayed'), 'true');
  }
});

test('the link is never stored in clear', async (t) => {
  const partner = await deliveringPartner();
  const { body } = await partner.purchase();
  await service.allStarted(partner);
  const { models } = service;
  const event = await models.orderEvents.findById(body.eventId);
  const reward = await models.rewards.findById(body.reward.id);
  const token = await claimTokenOf(service, body.eventId);
  t.false(JSON.stringify([event, reward]).includes(token));
});

test('once the customer is erased, a replay leaves the link out', async (t) => {
  const partner = await deliveringPartner();
  const purchase = aPurchase();
  const first = await partner.purchase(purchase, { idempotencyKey: 'one' });
  await service.allStarted(partner);
  const { partnerId } = partner;
  await service.models.dataKeys.updateMany({ partnerId }, { $set: { wrapped: null } });
  const { claimUrl: _, ...reward } = first.body.reward;
  const again = await partner.purchase(purchase, { idempotencyKey: 'one' });
  t.deepEqual(again.body, { ...first.body, reward });
});

test('nothing is sent to the customer of a partner that delivers the links', async (t) => {
  const partner = await deliveringPartner();
  const { body } = await partner.purchase();
  await deliverBy(partner, 'SERVICE');
  // The email of a later purchase is sent after it.
  const mailed = await eventually(async () => {
    const later = await partner.purchase();
    return 'claimUrl' in later.body.reward ? undefined : later.body.reward.id;
  }, 'the API uses the new delivery');
  await eventually(
    async () => service.mails.some(({ id }) => id === mailed),
    'the later email is sent',
  );
  await service.carriedOut(partner);
  t.false(service.mails.some(({ id }) => id === body.reward.id));
});
