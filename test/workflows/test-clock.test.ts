import test from 'ava';
import { auditOf } from '../api/admin/helpers/operator.ts';
import { type Service, startService } from '../helpers/service.ts';
import { createScene, type Scene } from './helpers/scene.ts';

let service: Service;
let scene: Scene;
test.before(async () => {
  service = await startService();
  scene = createScene(service);
});
test.after.always(() => service?.stop());

test('the test clock claims a TEST reward as if by its customer', async (t) => {
  const partner = await scene.partner('TEST', { fundingCents: 1_000 });
  const bought = await scene.funded(partner);
  const reply = await scene.setTestClock(bought, 'CLAIM');
  t.is(reply.status, 200, reply.text);
  t.like(reply.body, { status: 'AVAILABLE', customerStatus: 'CLAIMED' });
  t.like(await scene.wallet(partner), { reservedCents: 0, owedCents: 499 });
  await scene.closed(bought);
  t.is((await scene.claim(bought)).status, 200);
  t.is((await scene.refund(bought)).body.refund.status, 'ADMIN_REVIEW');
});

test('the test clock expires a TEST reward: its money is returned, and its workflow closes', async (t) => {
  const partner = await scene.partner('TEST', { fundingCents: 1_000 });
  const bought = await scene.funded(partner);
  const reply = await scene.setTestClock(bought, 'EXPIRE');
  t.is(reply.status, 200, reply.text);
  t.like(reply.body, { status: 'EXPIRED', customerStatus: 'CLAIM_EXPIRED', funded: false });
  t.like(await scene.wallet(partner), { fundingCents: 1_000, reservedCents: 0 });
  await scene.closed(bought);
  t.is((await scene.claim(bought)).body.error.code, 'CLAIM_EXPIRED');
  t.is((await scene.refund(bought)).body.refund.status, 'NO_ACTION');
});

test('a reward waiting for funds can be expired, but not claimed', async (t) => {
  const partner = await scene.partner('TEST', { fundingCents: 1 });
  const bought = await scene.buy(partner);
  await scene.onceState(bought, 'AWAITING_FUNDING');
  const refused = await scene.setTestClock(bought, 'CLAIM');
  t.is(refused.status, 409);
  t.regex(refused.body.error.message, /AWAITING_FUNDING.*funded and unclaimed/);
  t.is((await scene.setTestClock(bought, 'EXPIRE')).body.status, 'EXPIRED');
  await scene.topUp(partner, 1_000);
  t.is((await scene.rewardOf(bought)).state, 'EXPIRED');
});

for (const move of ['CLAIM', 'EXPIRE'] as const) {
  test(`${move}, repeated, is one move and one operation`, async (t) => {
    const bought = await scene.funded(await scene.partner('TEST'));
    const replies = [
      await scene.setTestClock(bought, move),
      await scene.setTestClock(bought, move),
    ];
    t.deepEqual(replies[1]?.body, replies[0]?.body);
    t.deepEqual(await scene.movesOf(bought), ['FUND', move]);
    const { rewardId: targetId } = bought;
    const operations = await service.models.auditEntries.find({ targetId });
    t.is(operations.length, 1);
    t.like(operations[0], { action: `test-clock.${move.toLowerCase()}`, status: 'DONE' });
  });

  test(`${move} of a LIVE reward is refused, and changes nothing`, async (t) => {
    const partner = await scene.partner('LIVE');
    const bought = await scene.funded(partner);
    const stored = async () => [await scene.rewardOf(bought), await scene.wallet(partner)];
    const before = await stored();
    const reply = await scene.setTestClock(bought, move);
    t.is(reply.status, 409);
    t.regex(reply.body.error.message, /is LIVE/);
    t.deepEqual(await stored(), before);
    const [entry] = await auditOf(service, reply);
    t.like(entry, { status: 'FAILED' });
  });
}

test('of a concurrent claim and expiry one succeeds, and the other is a conflict', async (t) => {
  const partner = await scene.partner('TEST');
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      const bought = await scene.funded(partner);
      const replies = await Promise.all([
        scene.setTestClock(bought, 'CLAIM'),
        scene.setTestClock(bought, 'EXPIRE'),
      ]);
      t.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409]);
      t.is((await scene.movesOf(bought)).length, 2);
    }),
  );
});

test('a final or claimed reward cannot be expired', async (t) => {
  const partner = await scene.partner('TEST');
  const [claimed, refunded] = [await scene.funded(partner), await scene.funded(partner)];
  await scene.claim(claimed);
  await scene.refund(refunded);
  for (const bought of [claimed, refunded]) {
    t.is((await scene.setTestClock(bought, 'EXPIRE')).status, 409);
  }
  t.is((await scene.setTestClock(refunded, 'CLAIM')).status, 409);
});

test('a suspended partner’s TEST reward cannot be claimed, but can be expired', async (t) => {
  const partner = await scene.partner('TEST');
  const bought = await scene.funded(partner);
  const { partnerId } = partner;
  await service.models.partners.updateOne({ _id: partnerId }, { status: 'SUSPENDED' });
  t.is((await scene.setTestClock(bought, 'CLAIM')).body.error.code, 'PARTNER_SUSPENDED');
  t.is((await scene.setTestClock(bought, 'EXPIRE')).body.status, 'EXPIRED');
});

test('an unknown move is refused, and an unknown reward not found', async (t) => {
  const bought = await scene.funded(await scene.partner('TEST'));
  const { rewardId } = bought;
  const wrong = await scene.admin.post(`/rewards/${rewardId}/test-clock`, { move: 'FUND' });
  t.is(wrong.body.error.code, 'VALIDATION_FAILED');
  const nothing = await scene.admin.post('/rewards/PNR_none/test-clock', { move: 'CLAIM' });
  t.is(nothing.status, 404);
});
