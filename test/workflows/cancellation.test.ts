import test from 'ava';
import { auditOf } from '../api/admin/helpers/operator.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Bought, createScene, type Scene } from './helpers/scene.ts';

let service: Service;
let scene: Scene;
test.before(async () => {
  service = await startService();
  scene = createScene(service);
});
test.after.always(() => service?.stop());

const cancel = ({ rewardId }: Bought, reason = 'a mistake of the shop') =>
  scene.admin.post(`/rewards/${rewardId}/cancellation`, { reason });

for (const mode of ['TEST', 'LIVE'] as const) {
  test(`${mode}: an operator cancels a funded reward with a reason: its money is returned, and its workflow closes`, async (t) => {
    const partner = await scene.partner(mode, { fundingCents: 1_000 });
    const bought = await scene.funded(partner);
    const { status, body } = await cancel(bought);
    t.is(status, 200);
    t.like(body, { status: 'CANCELLED', customerStatus: 'CANCELLED', funded: false });
    t.is(body.cancellation.reason, 'a mistake of the shop');
    t.is(body.moves.at(-1).move, 'CANCEL');
    t.like(await scene.wallet(partner), { fundingCents: 1_000, reservedCents: 0 });
    t.is((await scene.claim(bought)).body.error.code, 'REWARD_NOT_CLAIMABLE');
    await scene.closed(bought);
  });

  test(`${mode}: a reward waiting for funds can be cancelled, and a later top-up does not change that`, async (t) => {
    const partner = await scene.partner(mode, { fundingCents: 1 });
    const bought = await scene.buy(partner);
    await scene.onceStatus(bought, 'AWAITING_FUNDING');
    t.is((await cancel(bought)).status, 200);
    await scene.topUp(partner, 1_000);
    t.like(await scene.rewardOf(bought), { status: 'CANCELLED', funded: false });
    t.like(await scene.wallet(partner), { fundingCents: 1_001, reservedCents: 0 });
  });
}

test('a claimed reward is the customer’s: only a refund and its review take it back', async (t) => {
  const bought = await scene.funded(await scene.partner('LIVE'));
  await scene.claim(bought);
  const { status, body } = await cancel(bought);
  t.is(status, 409);
  t.regex(body.error.message, /is AVAILABLE\. Only an unclaimed reward can be cancelled/);
  t.like(await scene.rewardOf(bought), { status: 'AVAILABLE', cancellation: null });
});

test('repeating a cancellation returns the same, a different one is a conflict', async (t) => {
  const bought = await scene.funded(await scene.partner('TEST'));
  const [first, again] = [await cancel(bought), await cancel(bought)];
  t.deepEqual([first.status, again.status], [200, 200]);
  t.deepEqual(again.body.cancellation, first.body.cancellation);
  t.is((await cancel(bought, 'another reason')).status, 409);
  t.is((await scene.rewardOf(bought)).moves.filter(({ move }) => move === 'CANCEL').length, 1);
});

test('a refund of a cancelled reward is recorded and changes nothing; a cancellation after a refund is refused', async (t) => {
  const partner = await scene.partner('TEST');
  const cancelled = await scene.funded(partner);
  await cancel(cancelled);
  t.is((await scene.refund(cancelled)).body.refund.status, 'CANCELLED');
  const refunded = await scene.funded(partner);
  await scene.refund(refunded);
  t.is((await cancel(refunded)).status, 409);
});

test('the reason is encrypted, and the audit log names who cancelled what', async (t) => {
  const bought = await scene.funded(await scene.partner('TEST'));
  const reply = await cancel(bought, 'Ann asked for it');
  const { cancellation } = await scene.rewardOf(bought);
  t.false(JSON.stringify(cancellation).includes('Ann'));
  const [entry] = await auditOf(service, reply);
  t.like(entry, { action: 'reward.cancel', targetId: bought.rewardId });
  t.false(JSON.stringify(entry).includes('Ann'));
});
