import test from 'ava';
import { eventually } from '../helpers/eventually.ts';
import type { PartnerBackend } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { createScene, type Scene } from '../workflows/helpers/scene.ts';

let service: Service;
let scene: Scene;
test.before(async () => {
  service = await startService();
  scene = createScene(service);
});
test.after.always(() => service?.stop());

const setStatus = (partner: PartnerBackend, status: 'ACTIVE' | 'SUSPENDED') =>
  scene.admin.patch(`/partners/${partner.partnerId}`, { status });

/** Suspends a partner, and waits until its key is refused. */
async function suspend(partner: PartnerBackend): Promise<void> {
  await setStatus(partner, 'SUSPENDED');
  await eventually(
    async () => (await partner.purchase()).body.error?.code === 'PARTNER_NOT_ACTIVE',
    'the key is refused',
  );
}

const codeOf = (reply: { body: { error?: { code: string } } }) => reply.body.error?.code;

for (const mode of ['TEST', 'LIVE'] as const) {
  test(`${mode}: a suspension disables a partner’s keys within seconds until it is lifted`, async (t) => {
    const partner = await scene.partner(mode);
    t.is((await partner.purchase()).status, 201);
    await suspend(partner);
    for (const path of ['plans', 'usage', 'billing']) {
      const reply = await partner.send(undefined, {
        method: 'GET',
        path: `/api/v1/partner/${path}`,
      });
      t.is(reply.status, 403);
      t.is(codeOf(reply), 'PARTNER_NOT_ACTIVE');
    }
    await setStatus(partner, 'ACTIVE');
    t.true(
      await eventually(
        async () => (await partner.purchase()).status === 201,
        'the key is accepted',
      ),
    );
  });

  test(`${mode}: a suspended partner’s refund is still accepted, and the money is returned`, async (t) => {
    const partner = await scene.partner(mode, { fundingCents: 1_000 });
    const bought = await scene.funded(partner);
    await suspend(partner);
    const refund = await scene.refund(bought);
    t.is(refund.status, 201);
    t.is(refund.body.refund.status, 'CANCELLED');
    t.like(await scene.wallet(partner), { fundingCents: 1_000, reservedCents: 0 });
  });

  test(`${mode}: a suspended partner’s reward cannot be claimed until the suspension ends`, async (t) => {
    const partner = await scene.partner(mode);
    const bought = await scene.funded(partner);
    const claimed = await scene.funded(partner);
    t.is((await scene.claim(claimed)).status, 200);
    await setStatus(partner, 'SUSPENDED');
    const refused = await scene.claim(bought);
    t.is(refused.status, 409);
    t.is(codeOf(refused), 'PARTNER_SUSPENDED');
    t.like(await scene.rewardOf(bought), { status: 'PENDING' });
    // Repeating a successful claim still succeeds.
    t.is((await scene.claim(claimed)).status, 200);
    await setStatus(partner, 'ACTIVE');
    t.is((await scene.claim(bought)).status, 200);
  });
}

test('customers of a suspended partner cannot spend points', async (t) => {
  const partner = await scene.partner('LIVE');
  const bought = await scene.funded(partner);
  await scene.claim(bought);
  await service.carriedOut(partner);
  const { customerId } = await scene.rewardOf(bought);
  const spend = () =>
    scene.admin.post(`/customers/${customerId}/redemptions`, { points: 100, reference: 'till' });
  await setStatus(partner, 'SUSPENDED');
  const refused = await spend();
  t.is(refused.status, 409);
  t.is(codeOf(refused), 'PARTNER_SUSPENDED');
  t.like((await scene.admin.get(`/customers/${customerId}`)).body, { points: 499 });
  await setStatus(partner, 'ACTIVE');
  t.is((await spend()).status, 201);
});

test('a LIVE key of a partner that is not live is refused refunds too', async (t) => {
  const partner = await scene.partner('LIVE');
  const bought = await scene.funded(partner);
  await service.models.partners.updateOne(
    { _id: partner.partnerId },
    { $set: { 'goLive.state': 'IN_REVIEW' } },
  );
  const code = async () => codeOf(await scene.refund(bought));
  t.true(
    await eventually(async () => (await code()) === 'PARTNER_NOT_ACTIVE', 'the refund is refused'),
  );
});
