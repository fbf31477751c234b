import test from 'ava';
import { statusOf } from '../../domain/reward.ts';
import { isThorough } from '../helpers/places.ts';
import { type Service, startService } from '../helpers/service.ts';
import { createScene, rewardCents, type Scene } from './helpers/scene.ts';

let service: Service;
let scene: Scene;
test.before(async () => {
  service = await startService();
  scene = createScene(service);
});
test.after.always(() => service?.stop());

const rounds = isThorough ? 10 : 4;

/** Runs work for several rewards concurrently. */
async function each<T>(work: (round: number) => Promise<T>): Promise<T[]> {
  return await Promise.all(Array.from({ length: rounds }, (_, round) => work(round)));
}

test('a refund races a claim: the reward is cancelled or a review opens, and both responses agree', async (t) => {
  const partner = await scene.partner('LIVE', { fundingCents: rounds * rewardCents });
  const outcomes = await each(async (round) => {
    const bought = await scene.funded(partner);
    const [claimed, refunded] = await (round % 2
      ? Promise.all([scene.claim(bought), scene.refund(bought)])
      : Promise.all([scene.refund(bought), scene.claim(bought)]).then(([r, c]) => [c, r] as const));
    t.is(refunded.status, 201);
    const { state } = await scene.rewardOf(bought);
    if (claimed.status === 200) {
      t.is(refunded.body.refund.status, 'ADMIN_REVIEW');
      t.is(state, 'IN_REVIEW');
      t.deepEqual(await scene.movesOf(bought), ['FUND', 'CLAIM', 'REFUND']);
    } else {
      t.is(claimed.body.error.code, 'REWARD_NOT_CLAIMABLE');
      t.is(refunded.body.refund.status, 'CANCELLED');
      t.is(state, 'CANCELLED');
      t.deepEqual(await scene.movesOf(bought), ['FUND', 'REFUND']);
    }
    return claimed.status === 200;
  });
  const claims = outcomes.filter(Boolean).length;
  t.deepEqual(await scene.wallet(partner), {
    fundingCents: (rounds - claims) * rewardCents,
    reservedCents: 0,
    owedCents: claims * rewardCents,
  });
});

test('a refund races the expiry: the reward ends once, and the response says how', async (t) => {
  const funds = rounds * rewardCents;
  const partner = await scene.partner('LIVE', {
    fundingCents: funds,
    rule: { claimWindow: 'PT1S' },
  });
  await each(async () => {
    const bought = await scene.buy(partner);
    const { claimExpiresAt } = await scene.rewardOf(bought);
    const untilMs = claimExpiresAt.getTime() - Date.now() - 20 + Math.random() * 40;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, untilMs)));
    const { status, body } = await scene.refund(bought);
    t.is(status, 201);
    const reward = await scene.rewardOf(bought);
    t.is(body.reward.status, statusOf(reward.state));
    t.is(body.refund.status, reward.state === 'EXPIRED' ? 'NO_ACTION' : 'CANCELLED');
    await scene.closed(bought);
    t.is((await scene.movesOf(bought)).includes('EXPIRE'), reward.state === 'EXPIRED');
    t.is((await scene.rewardOf(bought)).state, reward.state);
  });
  t.deepEqual(await scene.wallet(partner), { fundingCents: funds, reservedCents: 0, owedCents: 0 });
});

test('two refunds race: both are recorded and accepted, and the reward is cancelled once', async (t) => {
  const partner = await scene.partner('LIVE', { fundingCents: rounds * rewardCents });
  await each(async () => {
    const bought = await scene.funded(partner);
    const replies = await Promise.all(
      ['one', 'two'].map((id) => scene.refund(bought, id + bought.rewardId)),
    );
    t.deepEqual(
      replies.map(({ status, body }) => [status, body.refund.status]),
      [
        [201, 'CANCELLED'],
        [201, 'CANCELLED'],
      ],
    );
    t.is(
      await service.models.orderEvents.countDocuments({
        rewardId: bought.rewardId,
        type: 'REFUND',
      }),
      2,
    );
  });
  t.is((await scene.wallet(partner)).fundingCents, rounds * rewardCents);
  const releases = { partnerId: partner.partnerId, kind: 'RELEASE' };
  t.is(await service.models.ledger.countDocuments(releases), rounds);
});

test('two refunds of a claimed reward race: one review', async (t) => {
  const bought = await scene.funded(await scene.partner('TEST'));
  await scene.claim(bought);
  const replies = await Promise.all(['one', 'two'].map((id) => scene.refund(bought, id)));
  t.deepEqual(
    replies.map(({ body }) => body.refund.status),
    ['ADMIN_REVIEW', 'ADMIN_REVIEW'],
  );
  await scene.reviewOf(bought);
  t.is(await service.models.reviews.countDocuments({ rewardId: bought.rewardId }), 1);
});

test('a top-up races refunds of waiting rewards: no money is left over', async (t) => {
  const partner = await scene.partner('LIVE', { fundingCents: 1 });
  const waiting = await each(async () => {
    const bought = await scene.buy(partner);
    await scene.onceState(bought, 'AWAITING_FUNDING');
    return bought;
  });
  await Promise.all([
    scene.topUp(partner, rounds * rewardCents),
    ...waiting.map((bought) => scene.refund(bought)),
  ]);
  for (const bought of waiting) {
    await scene.closed(bought);
    t.is((await scene.rewardOf(bought)).state, 'CANCELLED');
  }
  const { fundingCents, reservedCents, owedCents } = await scene.wallet(partner);
  t.deepEqual([fundingCents, reservedCents, owedCents], [1 + rounds * rewardCents, 0, 0]);
});

test('a purchase races its retry and its refund: one reward, and the refund finds it or gets an error', async (t) => {
  const partner = await scene.partner('TEST');
  await each(async (round) => {
    const externalOrderId = `racing-${round}`;
    const body = {
      externalOrderId,
      customer: { phone: '+14155550123' },
      order: { subtotalCents: 100 },
    };
    const options = { idempotencyKey: `racing-${round}` };
    const [first, retry, refund] = await Promise.all([
      partner.purchase(body, options),
      partner.purchase(body, options),
      scene.refund({ partner, externalOrderId }),
    ]);
    t.is(first.text, retry.text);
    t.true([201, 404].includes(refund.status));
    await service.allStarted(partner);
    t.is(await service.models.rewards.countDocuments({ externalOrderId }), 1);
  });
});
