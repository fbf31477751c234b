import type { operations } from './index.ts';

export type OperationName = (typeof operations)[number]['name'];

/** What an operation does at worst, in an operator's hands or, where none has it, in a user's. */
export interface Worst {
  /**
   * What it moves in LIVE: money as the larger of what points cost and what they pay for, in cents of the partner's
   * currency. Null for what moves nothing: it reads, writes words, ends something, or is about TEST or oneself.
   */
  moves: string | null;
  /** What takes it back, an operation or words; null for nothing. */
  undo: OperationName | (string & {}) | null;
  /** When it takes two operators; null for never. */
  two: string | null;
}

const nothing: Worst = { moves: null, undo: null, two: null };
export const inAllCases = 'always';
export const inLive = 'in LIVE';
export const aboveRedemptions = 'above `FOUR_EYES_REDEMPTION_CENTS` a day';
export const aboveReviews = 'above `FOUR_EYES_REVIEW_CENTS` a day';

/**
 * Every operation, what it moves at worst, and what takes that back. What moves something and has no undo takes two
 * operators, or counts against what one may move in a day (docs/operate/roles.md, At worst).
 */
export const atWorst: Record<OperationName, Worst> = {
  'audit.close': nothing,
  'back-test.start': nothing,
  'branding.remove-logo': nothing,
  'branding.set-logo': nothing,
  'branding.update': nothing,
  'connection.add-secret': nothing,
  'connection.create': nothing,
  'connection.end': nothing,
  'connection.remove-read-key': nothing,
  'connection.remove-secret': nothing,
  'connection.set-read-key': nothing,
  'connection.update': nothing,
  'contact-email.begin': nothing,
  'contact-email.confirm': nothing,
  'credential.create': {
    moves: 'all that the partner has, by who has the secret: an owner',
    undo: 'credential.revoke',
    two: inLive,
  },
  'credential.revoke': nothing,
  'credential.revoke-secret': nothing,
  'credential.rotate': {
    moves: 'all that the partner has, by who has the secret: an owner',
    undo: 'credential.revoke-secret',
    two: inLive,
  },
  'credential.show-secret': nothing,
  'customer.erase': { moves: 'a customer’s data', undo: null, two: inAllCases },
  'customer.redeem': {
    moves: 'the customer’s points',
    undo: null,
    two: aboveRedemptions,
  },
  'due.retry': nothing,
  'earning-rule.activate': {
    moves: 'the largest reward of each later order',
    undo: 'earning-rule.activate',
    two: inLive,
  },
  'earning-rule.create': nothing,
  'earning-rule.deactivate': {
    moves: 'the rewards of the purchases refused meanwhile',
    undo: 'earning-rule.activate',
    two: inLive,
  },
  'export.start': nothing,
  'failed-refund.settle': nothing,
  'integration.create': nothing,
  'test-funding.add': nothing,
  'integration.update': {
    moves: 'the claim links of later orders',
    undo: 'integration.update',
    two: inLive,
  },
  'invoice.record-payment': {
    moves: 'the amount',
    undo: 'invoice.reverse-payment',
    two: inAllCases,
  },
  'invoice.reverse-payment': {
    moves: 'the payment',
    undo: 'invoice.record-payment',
    two: inAllCases,
  },
  'invoice.void': { moves: 'the invoice’s total', undo: null, two: inAllCases },
  'operator.change-role': {
    moves: 'what the role may do',
    undo: 'operator.change-role',
    two: 'for a higher role',
  },
  'operator.confirm': nothing,
  'operator.create': {
    moves: 'what the role may do',
    undo: 'operator.revoke',
    two: 'above `viewer`',
  },
  'operator.reset-second-factor': {
    moves: 'what the role may do',
    undo: 'operator.revoke',
    two: 'above `viewer`',
  },
  'operator.revoke': nothing,
  'operator.revoke-token': nothing,
  'order-comparison.start': nothing,
  'own-access-token.create': nothing,
  'own-access-token.revoke': nothing,
  'own-email.prove': nothing,
  'own-email.send-code': nothing,
  'own-notices.choose': nothing,
  'own-passkey.add': nothing,
  'own-passkey.give': nothing,
  'own-passkey.remove': nothing,
  'own-password.change': nothing,
  'own-second-factor.enroll': nothing,
  'own-second-factor.give': nothing,
  'own-session.create': nothing,
  'own-session.revoke': nothing,
  'own-time-zone.choose': nothing,
  'own-token.revoke': nothing,
  'own-token.rotate': nothing,
  'partner.approve-go-live': {
    moves: 'all that the partner funds',
    undo: 'suspending the partner',
    two: inAllCases,
  },
  'partner.correct-top-up': { moves: 'the amount', undo: 'partner.top-up', two: inAllCases },
  'partner.create': nothing,
  'partner.invite': {
    moves: 'what the role may do',
    undo: 'user.remove',
    two: 'for an owner, and in LIVE',
  },
  'partner.request-go-live': nothing,
  'partner.return-go-live': nothing,
  'partner.top-up': { moves: 'the amount', undo: 'partner.correct-top-up', two: inAllCases },
  'partner.update': {
    moves: 'what points cost and pay for, and what customers are shown',
    undo: null,
    two: 'for the contract, what was reviewed, and to lift a suspension',
  },
  'partner.view-as': nothing,
  'partner.view-as-end': nothing,
  'partner.withdraw': { moves: 'the amount', undo: null, two: inAllCases },
  'plan.archive': nothing,
  'plan.create': nothing,
  'plan.publish': nothing,
  'points-end.set': {
    moves: 'when later points of customers end',
    undo: 'points-end.set',
    two: inLive,
  },
  'proposal.reject': nothing,
  'refund-policy.activate': {
    moves: 'what customers lose of later refunds',
    undo: 'refund-policy.deactivate',
    two: inLive,
  },
  'refund-policy.create': nothing,
  'refund-policy.deactivate': {
    moves: 'who decides later refunds',
    undo: 'refund-policy.activate',
    two: inLive,
  },
  'rehearsal.end': nothing,
  'rehearsal.start': nothing,
  'review.add-note': nothing,
  'review.answer': nothing,
  'review.ask': nothing,
  'review.assign': nothing,
  'review.decide': {
    moves: 'what the customer loses or keeps',
    undo: null,
    two: aboveReviews,
  },
  'reward.cancel': { moves: 'the reward', undo: null, two: inLive },
  'reward.correct-contact': { moves: 'the reward', undo: null, two: inLive },
  'reward.end-hold': nothing,
  'reward.let-pass': nothing,
  'reward.reinstate': { moves: 'the reward', undo: 'reward.cancel', two: inLive },
  'reward.send-again': nothing,
  'service-account.create': nothing,
  'service-account.revoke': nothing,
  'service-account.rotate': nothing,
  'signing-key.retire': nothing,
  'statement-pdf.start': nothing,
  'subscription.cancel': {
    moves: 'the plan from its next period on',
    undo: 'subscription.change',
    two: null,
  },
  'subscription.change': {
    moves: 'the new plan’s price, and overage',
    undo: 'invoice.void',
    two: inAllCases,
  },
  'subscription.create': {
    moves: 'the plan’s price, and overage',
    undo: 'invoice.void',
    two: inAllCases,
  },
  'test-clock.claim': nothing,
  'test-clock.end-points': nothing,
  'test-clock.expire': nothing,
  'test-clock.mature': nothing,
  'test-console.send': nothing,
  'user.accept-invitation': nothing,
  'user.change-role': nothing,
  'user.invite': nothing,
  'user.remove': nothing,
  'user.reset-second-factor': {
    moves: 'what the role may do',
    undo: 'user.remove',
    two: inLive,
  },
  'user.revoke-invitation': nothing,
  'webhook-delivery.resend': nothing,
  'webhook-endpoint.create': {
    moves: 'what is told of rewards',
    undo: 'webhook-endpoint.delete',
    two: inLive,
  },
  'webhook-endpoint.delete': { moves: 'what waits for the endpoint', undo: null, two: inLive },
  'webhook-endpoint.resend': nothing,
  'webhook-endpoint.rotate-secret': {
    moves: 'what its receiver believes',
    undo: 'webhook-endpoint.rotate-secret',
    two: inLive,
  },
  'webhook-endpoint.show-secret': nothing,
  'webhook-endpoint.test': nothing,
  'webhook-endpoint.update': {
    moves: 'what is told of rewards',
    undo: 'webhook-endpoint.update',
    two: 'in LIVE, for its address and events',
  },
  'webhook-example.send': nothing,
  'webhook-listener.start': nothing,
};
