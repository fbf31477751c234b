/**
 * The names under which the audit trail keeps what operators and partners' users do: one for each command,
 * and `review.decide`, `reward.cancel` and those of the TEST clock for what a workflow does when it is
 * asked.
 */

/**
 * These move money or points by themselves, once for each reference that an operator gives. The audit
 * looks in the books for what each of them says to have moved.
 */
export const movingActions = [
  'partner.top-up',
  'integration.test-funding',
  'customer.redeem',
] as const;

export type MovingAction = (typeof movingActions)[number];

export const isMovingAction = (action: string): action is MovingAction =>
  (movingActions as readonly string[]).includes(action);

/** Done once for each reference that an operator gives: the moving ones, and an erasure. */
export type ReferencedAction = MovingAction | 'customer.erase';

export const isReferencedAction = (action: string): action is ReferencedAction =>
  isMovingAction(action) || action === 'customer.erase';

/** These move nothing by themselves; who may do each say `domain/operator-roles.ts` and `partner-roles.ts`. */
export type OtherAction =
  | 'partner.create'
  | 'partner.update'
  | 'partner.request-go-live'
  | 'partner.approve-go-live'
  | 'partner.return-go-live'
  | 'integration.create'
  | 'credential.create'
  | 'credential.rotate'
  | 'credential.revoke-secret'
  | 'credential.revoke'
  | 'earning-rule.create'
  | 'earning-rule.activate'
  | 'earning-rule.deactivate'
  | 'plan.create'
  | 'plan.publish'
  | 'plan.archive'
  | 'subscription.create'
  | 'subscription.change'
  | 'subscription.cancel'
  | 'review.decide'
  | 'reward.cancel'
  | 'test-console.send'
  | 'test-clock.claim'
  | 'test-clock.expire'
  | 'test-clock.end-period'
  | 'operator.create'
  | 'operator.change-role'
  | 'operator.revoke'
  | 'operator.rotate-token'
  | 'operator.revoke-token'
  | 'operator.reset-second-factor'
  | 'own-token.rotate'
  | 'own-token.revoke'
  | 'proposal.create'
  | 'proposal.reject'
  | 'audit.close'
  | 'partner.invite'
  | 'user.invite'
  | 'user.accept-invitation'
  | 'user.revoke-invitation'
  | 'user.change-role'
  | 'user.remove'
  | 'user.reset-second-factor'
  | 'own-session.create'
  | 'own-session.revoke'
  | 'own-password.change'
  | 'own-second-factor.enroll'
  | 'own-second-factor.give';

/** These change nothing: an operator has read what is a customer's, or was sealed. */
export type ReadAction =
  | 'customer.read'
  | 'event.read'
  | 'review.read'
  | 'reward.read'
  | 'proposal.read'
  | 'refused-request.read';
