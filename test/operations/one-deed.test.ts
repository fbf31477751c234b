import test from 'ava';
import { begin, refund } from '../../domain/facts.ts';
import type { Commit } from '../../models/commit.ts';
import { walletBalances } from '../../models/ledger/index.ts';
import type { OperatorActor } from '../../operations/actor.ts';
import { approve } from '../../operations/approve.ts';
import { redeem } from '../../operations/customers.ts';
import { execute } from '../../operations/execute.ts';
import { correctTopUp } from '../../operations/funding.ts';
import { decideReview } from '../../operations/reviews.ts';
import { cancelReward, reinstateReward } from '../../operations/rewards.ts';
import { topUp } from '../../operations/wallets.ts';
import { newId } from '../../platform/ids.ts';
import { aReward } from '../helpers/a-reward.ts';
import { openWorkplace, type Workplace } from './helpers/workplace.ts';

let work: Workplace;
let ada: OperatorActor;
let bob: OperatorActor;
test.before(async () => {
  work = await openWorkplace({
    FOUR_EYES: 'on',
    FOUR_EYES_REDEMPTION_CENTS: '1000',
    FOUR_EYES_REVIEW_CENTS: '1000',
  });
  [ada, bob] = await Promise.all([work.operator(), work.operator()]);
});
test.after.always(() => work?.close());

const conflict = (message?: RegExp) => ({ code: 'CONFLICT', ...(message && { message }) });

/** A LIVE reward of 100 points, which cost 1.00, funded and unclaimed. */
async function aFundedReward() {
  const { partnerId } = await work.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const wallet = { mode: 'LIVE', partnerId } as const;
  const rewardId = newId('reward');
  const claimExpiresAt = new Date(Date.now() + 86_400_000);
  const made = { ...aReward(wallet, { id: rewardId }), claimExpiresAt };
  const { customerId } = made;
  const reads = { partnerId, wallet, rewardIds: [rewardId], customerIds: [customerId] };
  await work.commit({ ...reads, decide: (draft, terms) => begin(draft, made, terms) });
  return {
    partnerId,
    rewardId,
    /** The shop refunds the whole order. */
    refunded: () =>
      work.commit({
        ...reads,
        decide: (draft, terms) =>
          refund(draft, draft.rewards.get(rewardId) ?? made, terms, {
            refundEventId: newId('event'),
            review: {
              reviewId: `rev_${newId('event').slice(4)}`,
              openedAt: terms.at.toISOString(),
              dueMs: 1_000,
            },
          }),
      }),
    stored: () => work.models.rewards.findById(rewardId).orFail(),
    entries: (action: string) =>
      work.models.auditEntries.find({ partnerId, action, status: 'DONE' }).sort({ _id: 1 }),
  };
}

test('the reference of a reinstatement repeats it only while it stands: after another refund it is a new deed', async (t) => {
  const { rewardId, refunded, stored, entries } = await aFundedReward();
  await refunded();
  const input = { rewardId, reference: 'R' };
  await work.approve(bob, await work.propose(reinstateReward, ada, input));
  t.is((await stored()).state, 'FUNDED');
  for (const by of [ada, bob]) {
    const repeated = await execute(work.deps, reinstateReward, by, input);
    t.like(repeated, { isDone: true, outcome: { state: 'FUNDED' } });
  }
  t.is((await entries('reward.reinstate')).length, 1, 'a repeat is the same deed');

  await refunded();
  const again = await execute(work.deps, reinstateReward, ada, input);
  t.false(again.isDone, 'it needs an approval of its own');
  t.is((await stored()).state, 'CANCELLED');
  await work.approve(bob, await work.propose(reinstateReward, ada, input));
  t.is((await stored()).state, 'FUNDED');
  const [first, second, ...others] = await entries('reward.reinstate');
  t.deepEqual(others, []);
  t.like(first, { approvedBy: bob.id, details: { reference: 'R', time: 1 } });
  t.like(second, { approvedBy: bob.id, details: { reference: 'R', time: 2 } });
});

test('an interrupted approval of a reinstatement carries out nothing once the reward was refunded again', async (t) => {
  const { rewardId, refunded, stored } = await aFundedReward();
  await refunded();
  const proposal = await work.propose(reinstateReward, ada, { rewardId, reference: 'R' });
  const commit: Commit = async (fact) => {
    await work.commit(fact);
    throw new Error('the process dies here');
  };
  const dying = approve({ ...work.deps, commit }, bob, proposal._id);
  await t.throwsAsync(dying, { message: 'the process dies here' });
  t.is((await stored()).state, 'FUNDED');
  await refunded();
  await t.throwsAsync(work.approve(bob, proposal), conflict(/has changed/));
  t.is((await stored()).state, 'CANCELLED');
});

test('a LIVE reward is cancelled by two operators, as it was shown to them', async (t) => {
  const { rewardId, stored, entries } = await aFundedReward();
  const input = { rewardId, reason: 'the order was a test' };
  const proposal = await work.propose(cancelReward, ada, input);
  t.like(proposal.shown, { points: 100, cents: 100, mode: 'LIVE' });
  t.false(JSON.stringify(await work.models.proposals.find()).includes(input.reason));
  t.is((await stored()).state, 'FUNDED');
  const other = { ...proposal.shown, cents: 99 };
  const by = { actor: ada, approvedBy: bob.id, shown: other, found: await stored(), idOf: newId };
  await t.throwsAsync(cancelReward.run(work.deps, input, by), conflict(/has changed/));
  await work.approve(bob, proposal);
  t.is((await stored()).state, 'CANCELLED');
  t.like(await execute(work.deps, cancelReward, ada, input), { isDone: true }, 'a repeat');
  const [entry, ...others] = await entries('reward.cancel');
  t.deepEqual(others, []);
  t.like(entry, { actorId: ada.id, approvedBy: bob.id, details: { mode: 'LIVE' } });
});

test('the reference of a top-up that was corrected repeats nothing', async (t) => {
  const { partnerId } = await work.partner({ mode: 'LIVE' });
  const wire = { partnerId, amountCents: 5_000, currency: 'USD', externalReference: 'wire' };
  const { done } = await work.approve(bob, await work.propose(topUp, ada, wire));
  const { entry } = (done?.outcome ?? {}) as { entry: { _id: string } };
  const correction = { ...wire, transactionId: entry._id, externalReference: 'mistake' };
  await work.approve(bob, await work.propose(correctTopUp, ada, correction));
  await t.throwsAsync(execute(work.deps, topUp, ada, wire), conflict(/was corrected by/));
  const funds = await walletBalances(work.models, { mode: 'LIVE', partnerId });
  t.is(funds.fundingCents, 0);
});

/** A review of a LIVE reward of 499 points: at first of one point, then of all. */
async function aGrowingReview() {
  const { partnerId } = await work.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const { review, reward } = await work.town.reviewed({ partnerId, mode: 'LIVE' });
  const { rewards, reviews } = work.models;
  const { points, liabilityCents, refundedCents } = reward;
  const about = { _id: review._id, partnerId };
  const { amountCents } = review;
  const rest = { points: 498, liabilityCents: 498, arithmetic: reward.arithmetic };
  await rewards.updateOne(
    { _id: reward._id, partnerId },
    { $set: { afterReview: rest, refundedCents: refundedCents - amountCents + 10 } },
  );
  await reviews.updateOne(about, { $set: { amountCents: 10, points: 1, liabilityCents: 1 } });
  return {
    partnerId,
    review,
    reward,
    amountCents,
    /** The shop refunds the rest of the order. */
    async grow() {
      await rewards.updateOne(
        { _id: reward._id, partnerId },
        { $set: { afterReview: null, refundedCents } },
      );
      await reviews.updateOne(about, { $set: { amountCents, points, liabilityCents } });
    },
  };
}

for (const decision of ['DISMISS', 'UPHOLD'] as const) {
  const reasonCode = decision === 'DISMISS' ? 'GOODWILL' : 'GOODS_RETURNED';
  test(`${decision}: a review that grew between what was counted and the commit is decided by nobody`, async (t) => {
    const { review, reward, amountCents, grow } = await aGrowingReview();
    const input = { reviewId: review._id, decision, reasonCode, reason: 'seen' } as const;
    const commit: Commit = async (fact) => {
      await grow();
      return await work.commit(fact);
    };
    const larger = execute(work.deps, decideReview, ada, { ...input, amountCents });
    await t.throwsAsync(larger, conflict(/is about more/), 'nobody says how much it is about');
    const raced = execute({ ...work.deps, commit }, decideReview, ada, input);
    await t.throwsAsync(raced, conflict(/is about more/));
    t.is((await work.models.rewards.findById(reward._id))?.state, 'IN_REVIEW');
  });
}

test('points count by what they pay for, if that is more than what they cost', async (t) => {
  const { partnerId } = await work.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const { review } = await work.town.reviewed({ partnerId, mode: 'LIVE' });
  const { customerId } = await work.town.claimed({ partnerId, mode: 'LIVE' });
  const redemptions = { isAllowed: true, pointsPerUnit: 1, maxPointsPerCustomerDay: null };
  await work.models.partners.updateOne({ _id: partnerId }, { $set: { redemptions } });
  const decision = { decision: 'DISMISS', reasonCode: 'GOODWILL', reason: 'seen' } as const;
  const decided = await work.propose(decideReview, ada, { reviewId: review._id, ...decision });
  t.like(decided.shown, { liabilityCents: 499, worstCents: 49_900 });
  const spent = await work.propose(redeem, ada, { customerId, points: 11, reference: 'r' });
  t.like(spent.shown, { cents: 11, worstCents: 1_100 });
});
