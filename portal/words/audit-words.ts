import type { approvalsOff } from '../../domain/operators.ts';
import type { PointsLife } from '../../domain/points-end.ts';
import type { AuditEntryDoc } from '../../models/schemas/audit.ts';
import type { AuditedRead } from '../../operations/audit-log.ts';
import type { operations } from '../../operations/index.ts';
import { wordsOf } from '../components/components.ts';
import { moneyText, plural, pointsWords } from '../components/format.ts';
import { pointsLifeWords } from './points-end-words.ts';
import { wordsOfField } from './profile-words.ts';

/** What an audit entry can be about. */
export type AuditAction =
  | (typeof operations)[number]['name']
  | AuditedRead
  | 'proposal.create'
  | typeof approvalsOff;

type Details = Readonly<AuditEntryDoc['details']>;
type Words = string | ((details: Details) => string);

const text = (given: unknown): string => (typeof given === 'string' ? given : '');
const lower = (given: unknown): string => wordsOf(text(given)).toLowerCase();
const modeOf = ({ mode }: Details): string => (text(mode) === '' ? '' : `${text(mode)} `);
const amountOf = ({ amountCents, currency }: Details): string =>
  typeof amountCents === 'number' && typeof currency === 'string'
    ? moneyText(amountCents, currency)
    : 'money';

/** Each action as one asks for it, since an entry is written before the action and can fail. */
const auditWords: Readonly<Record<AuditAction, Words>> = {
  'approvals.off': 'Run without approvals: what needs two operators took one',
  'audit.close': ({ status }) =>
    `Close an entry: it was ${text(status) === 'DONE' ? 'done' : 'not done'}`,
  'back-test.start': 'Compare a rule with past orders',
  'branding.remove-logo': 'Remove the logo',
  'branding.set-logo': 'Set the logo',
  'branding.update': 'Change the branding',
  'connection.add-secret': 'Add a secret to a shop',
  'connection.create': ({ platform }) => `Connect a shop${of(platform)}`,
  'connection.end': 'Disconnect a shop',
  'connection.remove-read-key': 'Remove the key that reads a shop’s orders',
  'connection.remove-secret': 'Remove a secret of a shop',
  'connection.set-read-key': 'Save the key that reads a shop’s orders',
  'connection.update': ({ isPaused }) =>
    isPaused === undefined
      ? 'Change how a shop earns points'
      : isPaused === true
        ? 'Pause a shop'
        : 'Resume a shop',
  'contact-email.begin': 'Send a code to a new contact email',
  'contact-email.confirm': 'Confirm the contact email',
  'credential.create': (details) => `Generate a ${modeOf(details)}key`,
  'credential.revoke': 'Revoke a key',
  'credential.revoke-secret': 'Revoke a signing secret of a key',
  'credential.rotate': (details) => `Create another signing secret for a ${modeOf(details)}key`,
  'credential.show-secret': 'Show a signing secret once',
  'customer.erase': 'Erase a customer’s data',
  'customer.read': 'View a customer’s data',
  'customer.redeem': ({ points }) =>
    `Redeem ${typeof points === 'number' ? pointsWords(points) : 'points'} of a customer`,
  'due.retry': 'Retry what has failed',
  'earning-rule.activate': 'Activate an earning rule',
  'earning-rule.create': (details) => `Draft a ${modeOf(details)}earning rule`,
  'earning-rule.deactivate': 'Deactivate an earning rule',
  'event.read': 'View an event',
  'export.read': 'Download an export',
  'export.start': ({ list }) => `Export a list${of(list)}`,
  'failed-refund.settle': 'Settle a refund that failed at a shop’s platform',
  'integration.create': ({ name }) => `Create an integration${named(name)}`,
  'integration.update': ({ delivery }) =>
    text(delivery) === 'PARTNER'
      ? 'Let the partner deliver the claim links of an integration'
      : text(delivery) === ''
        ? 'Change an integration'
        : 'Let the service deliver the claim links of an integration',
  'invoice.record-payment': (details) =>
    `Record a payment of ${amountOf(details)} for invoice ${text(details.number)}`,
  'invoice.reverse-payment': (details) =>
    `Reverse a payment of ${amountOf(details)} for invoice ${text(details.number)}`,
  'invoice.void': ({ number }) => `Void invoice ${text(number)} by a credit note`,
  'operator.change-role': (details) => `Change an operator’s role${roles(details)}`,
  'operator.confirm': 'Confirm an operator',
  'operator.create': ({ name, role }) => `Create the operator ${text(name)} as ${text(role)}`,
  'operator.reset-second-factor': 'Reset an operator’s second factor',
  'operator.revoke': 'Revoke an operator’s access',
  'operator.revoke-token': 'Revoke an operator’s token',
  'order-comparison.start': 'Compare a list of orders',
  'own-access-token.create': 'Create an access token of their own',
  'own-access-token.revoke': 'Revoke an access token of their own',
  'own-email.prove': 'Prove their email',
  'own-email.send-code': 'Send a code to their email',
  'own-notices.choose': 'Choose their notices',
  'own-passkey.add': 'Add a passkey',
  'own-passkey.give': 'Confirm with a passkey',
  'own-passkey.remove': 'Remove a passkey',
  'own-password.change': 'Change their password',
  'own-second-factor.enroll': 'Set up their second factor',
  'own-second-factor.give': 'Confirm with the second factor',
  'own-session.create': 'Sign in',
  'own-session.revoke': 'End a session of their own',
  'own-time-zone.choose': 'Choose their time zone',
  'own-token.revoke': 'Revoke a token of their own',
  'own-token.rotate': 'Create another token of their own',
  'partner.approve-go-live': 'Approve a go-live',
  'partner.correct-top-up': (details) => `Take back ${amountOf(details)} of a top-up`,
  'partner.create': ({ name }) => `Create the partner ${text(name)}`,
  'partner.invite': ({ role }) => `Invite ${anyOf(role)} of the partner`,
  'partner.request-go-live': 'Request a go-live',
  'partner.return-go-live': 'Send a go-live back with notes',
  'partner.top-up': (details) => `Top up ${amountOf(details)}`,
  'partner.update': updateWords,
  'partner.view-as': 'View the partner’s portal',
  'partner.view-as-end': 'Stop viewing the partner’s portal',
  'partner.withdraw': (details) => `Pay back ${amountOf(details)}`,
  'plan.archive': 'Archive a plan',
  'plan.create': ({ name }) => `Draft the plan ${text(name)}`,
  'plan.publish': 'Publish a plan',
  'points-end.set': ({ after = null, ...details }) =>
    `Let ${modeOf(details)}points end: ${lowerFirst(pointsLifeWords(after as PointsLife | null))}`,
  'proposal.create': ({ action, target: _target, ...details }) =>
    `Propose: ${lowerFirst(wordsOfAction(text(action), details))}`,
  'proposal.read': 'View a proposal',
  'proposal.reject': 'Reject a proposal',
  'refused-request.read': 'View a refused request',
  'refund-policy.activate': 'Activate a refund policy',
  'refund-policy.create': (details) => `Draft a ${modeOf(details)}refund policy`,
  'refund-policy.deactivate': 'Deactivate a refund policy',
  'rehearsal.end': 'End a rehearsal',
  'rehearsal.start': ({ minutes }) =>
    `Start a rehearsal${typeof minutes === 'number' ? ` of ${plural(minutes, 'minute', 'minutes')}` : ''}`,
  'review.add-note': 'Add a note to a review',
  'review.answer': 'Answer a question about a refund',
  'review.ask': 'Ask the partner about a refund',
  'review.assign': ({ assigneeId }) =>
    text(assigneeId) === '' ? 'Assign a review to nobody' : 'Assign a review',
  'review.decide': ({ decision, reasonCode }) =>
    `${text(decision) === 'UPHOLD' ? 'Uphold' : 'Dismiss'} a refund: ${lower(reasonCode)}`,
  'review.read': 'View a review',
  'reward.cancel': (details) => `Cancel a ${modeOf(details)}reward`,
  'reward.correct-contact': (details) => `Correct the contact of a ${modeOf(details)}reward`,
  'reward.end-hold': (details) => `End the hold of a ${modeOf(details)}reward`,
  'reward.let-pass': 'Let others pass a reward that waits for funds',
  'reward.read': 'View a reward',
  'reward.reinstate': 'Reinstate a reward',
  'reward.send-again': 'Send a claim link again',
  'service-account.create': (details) => `Create a ${modeOf(details)}service account`,
  'service-account.revoke': 'Revoke a service account',
  'service-account.rotate': 'Create another token for a service account',
  'signing-key.retire': 'Retire the key that signs receipts',
  'statement-pdf.start': ({ fromDay, toDay }) =>
    text(fromDay) === ''
      ? 'Create the PDF of a statement'
      : `Create the PDF of the statement from ${text(fromDay)} to ${text(toDay)}`,
  'subscription.cancel': 'Cancel the subscription',
  'subscription.change': 'Change the plan',
  'subscription.create': 'Subscribe to a plan',
  'test-clock.claim': 'Claim a TEST reward at once',
  'test-clock.end-points': 'Move the end of TEST points',
  'test-clock.expire': 'Let a TEST reward expire',
  'test-clock.mature': 'End the hold of a TEST reward',
  'test-console.send': ({ type }) => `Send a TEST ${lower(type) || 'request'}`,
  'test-funding.add': (details) => `Add ${amountOf(details)} of test funding`,
  'user.accept-invitation': 'Accept an invitation',
  'user.change-role': (details) => `Change a user’s role${roles(details)}`,
  'user.invite': ({ role }) => `Invite ${anyOf(role)}`,
  'user.remove': 'Remove a user from the team',
  'user.reset-second-factor': 'Reset a user’s second factor',
  'user.revoke-invitation': 'Revoke an invitation',
  'webhook-delivery.resend': 'Resend a webhook delivery',
  'webhook-endpoint.create': (details) => `Create a ${modeOf(details)}webhook endpoint`,
  'webhook-endpoint.delete': 'Delete a webhook endpoint',
  'webhook-endpoint.resend': 'Resend what a webhook endpoint has missed',
  'webhook-endpoint.rotate-secret': 'Create another secret for a webhook endpoint',
  'webhook-endpoint.show-secret': 'Show the secret of a webhook endpoint once',
  'webhook-endpoint.test': 'Test a webhook endpoint',
  'webhook-endpoint.update': ({ status }) =>
    status === 'PAUSED'
      ? 'Pause a webhook endpoint'
      : status === 'ACTIVE'
        ? 'Resume a webhook endpoint'
        : 'Change a webhook endpoint',
  'webhook-example.send': 'Send an example to a webhook endpoint',
  'webhook-listener.start': 'Listen to webhooks in a terminal',
};

const of = (what: unknown): string => (text(what) === '' ? '' : ` (${lower(what)})`);
const roles = ({ from, to }: Details): string =>
  text(to) === '' ? '' : ` from ${text(from)} to ${text(to)}`;
const named = (name: unknown): string => (text(name) === '' ? '' : ` “${text(name)}”`);
const anyOf = (role: unknown): string =>
  text(role) === ''
    ? 'a user'
    : /^[aeio]/.test(text(role))
      ? `an ${text(role)}`
      : `a ${text(role)}`;
const lowerFirst = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

/** What an update of a partner is for, if it is for one thing; else the fields that were changed. */
function updateWords({ status, ...changes }: Details): string {
  const others = Object.keys(changes).length === 0 ? '' : `, change ${fieldNames(changes)}`;
  if (status === 'SUSPENDED') return `Suspend the partner${others}`;
  if (status === 'ACTIVE') return `Lift the suspension of the partner${others}`;
  const [only, ...more] = Object.keys(changes);
  if (more.length > 0) return `Change ${fieldNames(changes)}`;
  if (only === 'redemptions') return 'Change how customers pay with points';
  if (only === 'lowBalanceThresholdCents') return 'Change when low funds are reported';
  return `Change ${fieldNames(changes)}`;
}

const fieldNames = (changes: Details): string =>
  Object.keys(changes)
    .map((name) => wordsOfField(name).toLowerCase())
    .join(', ');

function wordsOfAction(action: string, details: Details): string {
  const words = (auditWords as Readonly<Record<string, Words>>)[action];
  if (words === undefined) return wordsOf(action.replaceAll(/[.-]/g, ' '));
  return typeof words === 'string' ? words : words(details);
}

/** What an audit entry is of, as `Suspend the partner`; whether it was done is its status. */
export function auditSentence({
  action,
  details,
}: Pick<AuditEntryDoc, 'action' | 'details'>): string {
  // How it ended, which says nothing of what it was.
  const { code: _code, closed: _closed, ...given } = details;
  return wordsOfAction(action, given);
}

/** Who did it, by name. The service itself has no id of a person. */
export const nameOfActor = (nameOf: ReadonlyMap<string, string>, actorId: string): string =>
  nameOf.get(actorId) ?? (actorId === 'system' ? 'The service' : actorId);
