import { operations } from '../operations/index.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { isSensitive } from '../operations/operation.ts';
import { rowOf } from './roles-table.ts';

type Name = (typeof operations)[number]['name'];

const nothing = 'nothing: no money, key or role';
const ownAlone = 'their own account alone';
const testAlone = 'TEST alone, which is nobody’s money';
const ends = 'an interruption; nobody gains anything';

/** What the worst person can do with each operation alone, with four eyes on. A new operation does not compile without. */
const worst: Record<Name, string> = {
  'own-session.create': ownAlone,
  'own-password.change': ownAlone,
  'own-access-token.create': 'a token of their own, for TEST alone',
  'own-session.revoke': ownAlone,
  'own-email.send-code': ownAlone,
  'own-email.prove': ownAlone,
  'own-second-factor.enroll': ownAlone,
  'own-second-factor.give': ownAlone,
  'own-access-token.revoke': ownAlone,
  'own-notices.choose': ownAlone,
  'own-time-zone.choose': ownAlone,
  'own-saved-view.create': ownAlone,
  'own-saved-view.rename': ownAlone,
  'own-saved-view.delete': ownAlone,
  'own-token.revoke': ownAlone,
  'own-token.rotate': 'a second token of their own',
  'audit.close': 'closes an entry wrongly; the audit still compares the books',
  'credential.create':
    'an owner: LIVE keys of their own partner, whose funds bound them; an operator: TEST keys',
  'credential.rotate': 'an owner: a secret of their own partner’s key; an operator: TEST alone',
  'credential.revoke': ends,
  'credential.revoke-secret': ends,
  'customer.erase': `${nothing}; it takes two`,
  'customer.redeem':
    '`FOUR_EYES_REDEMPTION_CENTS` a day: of a customer, of a partner, and altogether',
  'earning-rule.activate':
    'an owner: their own funds, within the contract’s ceilings; an operator: TEST alone',
  'earning-rule.create': 'a draft, within the contract’s ceilings, which earns nothing',
  'earning-rule.deactivate': 'an owner: their own purchases are refused; an operator: TEST alone',
  'partner.approve-go-live': `${nothing}; it takes two`,
  'partner.request-go-live': nothing,
  'partner.return-go-live': ends,
  'integration.create': 'an integration without a key',
  'integration.update': 'customers are not told of their rewards, or by another way',
  'order-comparison.start': nothing,
  'back-test.start': nothing,
  'export.start':
    'a copy of what they read anyway; the audit log says of what, and who took it home',
  'invoice-pdf.start': nothing,
  'operator.change-role': 'takes a role away, but from the last two admins; a raise takes two',
  'operator.confirm':
    'calls somebody known who is not: a puppet of another admin, never of their own',
  'operator.create': 'a viewer, who reads; above that it takes two',
  'operator.reset-second-factor': 'a viewer’s factor; above that it takes two',
  'operator.revoke': 'others are locked out, but for the last two admins',
  'operator.revoke-token': ends,
  'partner.create': 'a partner in TEST',
  'partner.invite': 'a developer or a viewer of a partner, in TEST; an owner takes two',
  'partner.update':
    'a suspension, another rate limit or name; what points may be worth takes two, a currency in use stays',
  'partner.view-as': 'reads a partner’s portal for half an hour, in which nothing can be changed',
  'partner.view-as-end': nothing,
  'plan.archive': ends,
  'plan.create': 'a draft of a price',
  'plan.publish': 'a price that a partner is not yet billed by',
  'proposal.reject': ends,
  'review.add-note': nothing,
  'review.answer': 'an answer that is not true; operators decide',
  'review.ask': nothing,
  'review.assign': nothing,
  'review.decide': '`FOUR_EYES_REVIEW_CENTS` a day: of a customer, of a partner, and altogether',
  'reward.cancel': 'an unclaimed reward; its money goes back to the partner',
  'subscription.cancel': 'a plan’s fee, which is invoiced and not taken',
  'subscription.change': 'a plan’s fee, which is invoiced and not taken',
  'subscription.create': 'a plan’s fee, which is invoiced and not taken',
  'test-clock.claim': testAlone,
  'test-clock.end-period': testAlone,
  'test-clock.expire': testAlone,
  'test-console.send': testAlone,
  'branding.update': 'how messages to their own partner’s customers look',
  'branding.set-logo': 'a picture above them, made anew from its pixels',
  'branding.remove-logo': ends,
  'contact-email.begin': 'ten emails a day, with a code alone',
  'contact-email.confirm': 'emails of their own partner to an address that they read',
  'test-phone.begin': 'five text messages a quarter of an hour',
  'test-phone.confirm': testAlone,
  'test-phone.remove': testAlone,
  'user.accept-invitation': 'what the invitation says, for who has its email',
  'user.change-role': 'an owner: who acts for their own partner',
  'user.invite': 'an owner: who acts for their own partner',
  'user.remove': 'an owner: somebody of their own team, who is told',
  'user.reset-second-factor':
    'an owner’s factor: they are signed out and told; their password stays',
  'user.revoke-invitation': ends,
  'integration.test-funding': testAlone,
  'partner.top-up': `${nothing}; it takes two`,
  'service-account.create':
    'a program that reads what they read themselves, and outlives them; others of the team are told of LIVE',
  'service-account.rotate': 'another token for a program that reads',
  'service-account.revoke': ends,
  'webhook-endpoint.create': 'another address is told of ids, states and cents; of no customer',
  'webhook-endpoint.update': 'another address is told of ids, states and cents; of no customer',
  'webhook-endpoint.delete': ends,
  'webhook-endpoint.rotate-secret': 'webhooks that the partner’s receiver takes for real',
  'webhook-endpoint.test': nothing,
  'webhook-example.send': nothing,
  'webhook-listener.start': 'a terminal of a colleague’s is told of TEST',
  'webhook-endpoint.resend': nothing,
  'webhook-delivery.resend': nothing,
};

/** A row for every operation: who may, who approves, and the worst that one person does with it. */
export function threatRows(): string[][] {
  const all: readonly AnyOperation[] = operations;
  return all
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((one) => {
      const [name = '', operators = '', users = ''] = rowOf(one);
      const approval = isSensitive(one) ? 'another operator' : '';
      return [name, operators, users, approval, worst[one.name as Name]];
    });
}
