import test from 'ava';
import type { Mode } from '../../domain/mode.ts';
import { scopes } from '../../domain/partners.ts';
import type { PolicyTerms } from '../../domain/refund-policy.ts';
import { activatePolicy, createPolicy } from '../../operations/refund-policies.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import { Operator } from '../helpers/operator.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Town, townOf } from '../helpers/town.ts';

let service: Service;
let town: Town;
test.before(async () => {
  service = await startService();
  town = townOf(service);
});
test.after.always(() => service.stop());

const deps = () => ({ ...service, now: Date.now }) as never;

/** A partner with a policy in force. */
async function partnerWith(mode: Mode, terms: Partial<PolicyTerms> = {}) {
  const partner = await service.partner({ mode, scopes: [...scopes], fundingCents: 10_000 });
  const policy = await operate(deps(), createPolicy, {
    partnerId: partner.partnerId,
    mode,
    maxCents: 5_000,
    perCustomer: { count: 1, days: 90 },
    withinDays: 30,
    graceHours: 1,
    ...terms,
  });
  await operate(deps(), activatePolicy, { policyId: policy._id });
  return { partner, policyId: policy._id };
}

const reviewOf = (rewardId: string) => service.models.reviews.findOne({ rewardId }).orFail();

/** Lets the grace of a review end. */
async function endGrace(rewardId: string): Promise<void> {
  const past = new Date(Date.now() - 1_000);
  const { rewards, reviews } = service.models;
  await reviews.updateOne({ rewardId }, { $set: { 'policy.upholdsAt': past } });
  const { workflowId } = await rewards
    .findOneAndUpdate(
      { _id: rewardId },
      { $set: { 'review.policy.upholdsAt': past.toISOString() } },
    )
    .orFail();
  await eventually(async () => {
    // Until the refund has started it again, there is nothing to signal.
    await service.temporal.workflow
      .getHandle(workflowId)
      .signal('decided')
      .catch(() => undefined);
    return (await service.rewardOf(rewardId)).state !== 'IN_REVIEW';
  }, 'the policy takes the points back');
}

for (const mode of ['LIVE', 'TEST'] as const) {
  test(`${mode}: a refund that meets all conditions is upheld by the policy once its grace is over`, async (t) => {
    const { partner, policyId } = await partnerWith(mode);
    const { externalOrderId, rewardId } = await town.claimed(partner);
    const { body } = await partner.refund({ externalOrderId });
    t.is(body.refund.status, 'ADMIN_REVIEW');
    const review = await reviewOf(rewardId);
    t.like(review, { status: 'BY_POLICY', decision: null, policy: { policyId } });
    t.deepEqual(
      review.policy?.conditions.map(({ condition, isMet }) => [condition, isMet]),
      [
        ['HAS_POINTS', true],
        ['MAX_CENTS', true],
        ['PER_CUSTOMER', true],
        ['WITHIN_DAYS', true],
      ],
    );
    await endGrace(rewardId);
    t.like(await service.rewardOf(rewardId), { state: 'CANCELLED' });
    const { decision } = await reviewOf(rewardId);
    t.like(decision, { verdict: 'UPHOLD', reasonCode: 'POLICY', operatorId: policyId });
    const kinds = await service.models.ledger.distinct('kind', { rewardId });
    t.false(kinds.includes('WRITE_OFF'));
  });
}

test('what does not meet a condition, or is the customer’s second, goes to an operator', async (t) => {
  const { partner } = await partnerWith('LIVE');
  const [first, second] = [await town.claimed(partner), await town.claimed(partner)];
  await Promise.all([
    partner.refund({ externalOrderId: first.externalOrderId }),
    partner.refund({ externalOrderId: second.externalOrderId }),
  ]);
  const reviews = await Promise.all([reviewOf(first.rewardId), reviewOf(second.rewardId)]);
  t.deepEqual(reviews.map(({ status }) => status).toSorted(), ['BY_POLICY', 'OPEN']);
  const cheap = await partnerWith('LIVE', { maxCents: 498 });
  const dear = await town.claimed(cheap.partner);
  await cheap.partner.refund({ externalOrderId: dear.externalOrderId });
  t.like(await reviewOf(dear.rewardId), { status: 'OPEN', policy: undefined });
});

test('an operator dismisses it within the grace, and the points can be spent again', async (t) => {
  const { partner } = await partnerWith('LIVE');
  const { externalOrderId, rewardId } = await town.claimed(partner);
  await partner.refund({ externalOrderId });
  const balance = async () =>
    (
      await partner.send(
        { customer: { email: 'customer@example.com' } },
        { path: '/api/v1/partner/balances', idempotencyKey: undefined },
      )
    ).body.points;
  t.is(await balance(), 0);
  const { _id: reviewId } = await reviewOf(rewardId);
  const admin = new Operator(service, service.adminToken);
  const decision = { decision: 'DISMISS', reasonCode: 'GOODWILL' };
  const { status, text } = await admin.post(`/reviews/${reviewId}/decision`, decision);
  t.is(status, 200, text);
  t.like(await service.rewardOf(rewardId), { state: 'AVAILABLE' });
  t.is(await balance(), 499);
});

test('another refund of the order during the grace puts it to an operator', async (t) => {
  const { partner } = await partnerWith('LIVE');
  const { externalOrderId, rewardId } = await town.claimed(partner);
  await partner.refund({ externalOrderId, externalRefundId: 'R1', amountCents: 1_000 });
  t.like(await reviewOf(rewardId), { status: 'BY_POLICY' });
  await partner.refund({ externalOrderId, externalRefundId: 'R2', amountCents: 1_000 });
  t.like(await reviewOf(rewardId), { status: 'OPEN', amountCents: 2_000 });
  t.is((await service.rewardOf(rewardId)).review?.policy, undefined);
});

test('without a policy, an operator decides', async (t) => {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const { externalOrderId, rewardId } = await town.claimed(partner);
  await partner.refund({ externalOrderId });
  t.like(await reviewOf(rewardId), { status: 'OPEN', policy: undefined });
});
