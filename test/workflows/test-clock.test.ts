import test from 'ava';
import { auditOf } from '../helpers/operator.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Town, townOf } from '../helpers/town.ts';

let service: Service;
let town: Town;
test.before(async () => {
  service = await startService();
  town = townOf(service);
});
test.after.always(() => service?.stop());

test('the test clock claims a TEST reward as if by its customer', async (t) => {
  const partner = await town.partner('TEST', { fundingCents: 1_000 });
  const bought = await town.funded(partner);
  const reply = await town.setTestClock(bought, 'CLAIM');
  t.is(reply.status, 200, reply.text);
  t.like(reply.body, { status: 'AVAILABLE', customerStatus: 'CLAIMED' });
  t.like(await town.wallet(partner), { reservedCents: 0, owedCents: 499 });
  await town.closed(bought);
  t.is((await town.claim(bought)).status, 200);
  t.is((await town.refund(bought)).body.refund.status, 'ADMIN_REVIEW');
});

test('the test clock expires a TEST reward: its money is returned, and its workflow closes', async (t) => {
  const partner = await town.partner('TEST', { fundingCents: 1_000 });
  const bought = await town.funded(partner);
  const reply = await town.setTestClock(bought, 'EXPIRE');
  t.is(reply.status, 200, reply.text);
  t.like(reply.body, { status: 'EXPIRED', customerStatus: 'CLAIM_EXPIRED', funded: false });
  t.like(await town.wallet(partner), { fundingCents: 1_000, reservedCents: 0 });
  await town.closed(bought);
  t.is((await town.claim(bought)).body.error.code, 'CLAIM_EXPIRED');
  t.is((await town.refund(bought)).body.refund.status, 'NO_ACTION');
});

test('a reward waiting for funds can be expired, but not claimed', async (t) => {
  const partner = await town.partner('TEST', { fundingCents: 1 });
  const bought = await town.buy(partner);
  await town.onceState(bought, 'AWAITING_FUNDING');
  const refused = await town.setTestClock(bought, 'CLAIM');
  t.is(refused.status, 409);
  t.regex(refused.body.error.message, /AWAITING_FUNDING.*funded and unclaimed/);
  t.is((await town.setTestClock(bought, 'EXPIRE')).body.status, 'EXPIRED');
  await town.topUp(partner, 1_000);
  t.is((await town.rewardOf(bought)).state, 'EXPIRED');
});

for (const move of ['CLAIM', 'EXPIRE'] as const) {
  test(`${move}, repeated, is one move and one operation`, async (t) => {
    const bought = await town.funded(await town.partner('TEST'));
    const replies = [await town.setTestClock(bought, move), await town.setTestClock(bought, move)];
    t.deepEqual(replies[1]?.body, replies[0]?.body);
    t.deepEqual(await town.movesOf(bought), ['FUND', move]);
    const { rewardId: targetId } = bought;
    const operations = await service.models.auditEntries.find({ targetId });
    t.is(operations.length, 1);
    t.like(operations[0], { action: `test-clock.${move.toLowerCase()}`, status: 'DONE' });
  });

  test(`${move} of a LIVE reward is refused, and changes nothing`, async (t) => {
    const partner = await town.partner('LIVE');
    const bought = await town.funded(partner);
    const stored = async () => {
      // The claim link may be sent meanwhile.
      const { sent: _, ...reward } = await town.rewardOf(bought);
      return [reward, await town.wallet(partner)];
    };
    const before = await stored();
    const reply = await town.setTestClock(bought, move);
    t.is(reply.status, 409);
    t.regex(reply.body.error.message, /is LIVE/);
    t.deepEqual(await stored(), before);
    const [entry] = await auditOf(service, reply);
    t.like(entry, { status: 'FAILED' });
  });
}

test('of a concurrent claim and expiry one succeeds, and the other is a conflict', async (t) => {
  const partner = await town.partner('TEST');
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      const bought = await town.funded(partner);
      const replies = await Promise.all([
        town.setTestClock(bought, 'CLAIM'),
        town.setTestClock(bought, 'EXPIRE'),
      ]);
      t.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409]);
      t.is((await town.movesOf(bought)).length, 2);
    }),
  );
});

test('a final or claimed reward cannot be expired', async (t) => {
  const partner = await town.partner('TEST');
  const [claimed, refunded] = [await town.funded(partner), await town.funded(partner)];
  await town.claim(claimed);
  await town.refund(refunded);
  for (const bought of [claimed, refunded]) {
    t.is((await town.setTestClock(bought, 'EXPIRE')).status, 409);
  }
  t.is((await town.setTestClock(refunded, 'CLAIM')).status, 409);
});

test('a suspended partner’s TEST reward cannot be claimed, but can be expired', async (t) => {
  const partner = await town.partner('TEST');
  const bought = await town.funded(partner);
  const { partnerId } = partner;
  await service.models.partners.updateOne({ _id: partnerId }, { status: 'SUSPENDED' });
  t.is((await town.setTestClock(bought, 'CLAIM')).body.error.code, 'PARTNER_SUSPENDED');
  t.is((await town.setTestClock(bought, 'EXPIRE')).body.status, 'EXPIRED');
});

test('an unknown move is refused, and an unknown reward not found', async (t) => {
  const bought = await town.funded(await town.partner('TEST'));
  const { rewardId } = bought;
  const wrong = await town.admin.post(`/rewards/${rewardId}/test-clock`, { move: 'FUND' });
  t.is(wrong.body.error.code, 'VALIDATION_FAILED');
  const nothing = await town.admin.post('/rewards/PNR_none/test-clock', { move: 'CLAIM' });
  t.is(nothing.status, 404);
});
