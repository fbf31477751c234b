import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import { centsTakenBack } from '../../domain/postings.ts';
import { allReviewReasons, maxReasonChars, reasonProblem } from '../../domain/review-reasons.ts';
import { customerHoldings } from '../../models/ledger/index.ts';
import { findReward } from '../../models/rewards/find-reward.ts';
import { countAlone, movedAlone } from '../../models/store/alone-sums.ts';
import { findReview } from '../../models/views/review-reasons.ts';
import type { OperationDeps } from '../deps.ts';
import { idField, longText } from '../fields.ts';
import { type Facts, sensitiveOperation } from '../operation.ts';
import { completeReview, type Decision } from './complete-review.ts';

/** The customer whose points a decision takes back. */
interface ReviewedCustomer {
  partnerId: string;
  customerId: string;
}

/** What operators take back alone is summed per customer, per partner and per operator. */
const takenBackScopes = ({ customerId, partnerId }: ReviewedCustomer, operatorId: string) => [
  `review operator:${operatorId}`,
  `review partner:${partnerId}`,
  `review customer:${customerId}`,
];

/** Whether a decision takes back points that are worth money. */
const takesBack = ({ mode, decision }: { mode: Mode; decision: Decision['decision'] }): boolean =>
  mode === 'LIVE' && decision === 'UPHOLD';

/** What operators took back alone today, in cents, as far as it limits this decision. */
export async function takenBackAlone(
  { models, now }: Pick<OperationDeps, 'models' | 'now'>,
  {
    partnerId,
    customerId,
    ...what
  }: ReviewedCustomer & { mode: Mode; decision: Decision['decision'] },
  operatorId: string,
): Promise<number> {
  if (!takesBack(what)) return 0;
  return await movedAlone(models, takenBackScopes({ partnerId, customerId }, operatorId), now());
}

interface DecisionFacts {
  mode: Mode;
  /** The reward's value, which is the most that the decision can move. */
  liabilityCents: number;
}

/** Decides whether a refund of points that were available already is upheld. */
export const decideReview = sensitiveOperation({
  name: 'review.decide',
  permission: { operator: 'review.decide', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<Omit<Decision, 'reason'> & { reviewId: string; reason?: string }>({
    reviewId: idField,
    decision: Joi.string().valid('UPHOLD', 'DISMISS').required(),
    reasonCode: Joi.string()
      .valid(...allReviewReasons)
      .required(),
    reason: longText(maxReasonChars),
  }).custom((input) => {
    const problem = reasonProblem(input.decision, input.reasonCode, input.reason ?? '');
    if (problem !== undefined) throw new ServiceError('VALIDATION_FAILED', problem);
    return input;
  }),
  async find({ models }, { reviewId }) {
    const { partnerId, mode, rewardId } = await findReview(models, reviewId);
    const { customerId, liabilityCents, points, currency } = await findReward(models, rewardId);
    return { partnerId, mode, customerId, liabilityCents, points, currency };
  },
  approval: {
    async facts({ models }, { reviewId, decision, reasonCode }, found) {
      const { partnerId, customerId, mode, liabilityCents, currency } = found;
      const held = mode === 'LIVE' ? await customerHoldings(models, found) : null;
      const cents =
        decision === 'UPHOLD' && held !== null
          ? centsTakenBack(found, held.owedCents, held.points)
          : 0;
      return {
        reviewId,
        partnerId,
        customerId,
        decision,
        reasonCode,
        mode,
        liabilityCents,
        cents,
        currency,
      };
    },
    async movedAlone(deps, facts: Facts, { id }) {
      const decided = facts as unknown as Parameters<typeof takenBackAlone>[1] & {
        reviewId: string;
      };
      // A repeat moves nothing.
      const isRepeat = (await findReview(deps.models, decided.reviewId)).decision !== null;
      return isRepeat ? 0 : await takenBackAlone(deps, decided, id);
    },
    needed: ({ mode, liabilityCents }: DecisionFacts, { reviewCents }, movedCents) =>
      mode === 'LIVE' && movedCents + liabilityCents > reviewCents,
    customerOf: (found) => found,
  },
  // The reason stays out of the audit log: it may name a customer, and is sealed with the review.
  audit: ({ reviewId, decision, reasonCode }, { partnerId }, { id }) => ({
    targetId: reviewId,
    partnerId,
    details: { decision, reasonCode },
    once: `${decision} by ${id}`,
  }),

  /**
   * @returns the review with this decision; the same for a repeat by the same operator
   * @throws ServiceError CONFLICT when it was decided otherwise, or when operators have in the meantime
   *   taken back more alone than they may
   */
  async run(
    deps: OperationDeps,
    { reviewId, reason = '', ...decision },
    { actor, approvedBy, found },
  ) {
    const { models, now, config } = deps;
    const isAlone = actor.kind === 'operator' && approvedBy === null && config.approvals.isOn;
    const isTakingBack = takesBack({ ...found, ...decision });
    if (isAlone && isTakingBack && (await findReview(models, reviewId)).decision === null) {
      const limitCents = config.approvals.reviewCents;
      const scopes = takenBackScopes(found, actor.id);
      await countAlone(models, scopes, { cents: found.liabilityCents, limitCents, at: now() });
    }
    return await completeReview(deps, { ...found, reviewId }, { ...decision, reason }, actor.id);
  },
});
