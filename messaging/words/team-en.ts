import { formatterOf, type ValuesOf } from './formatter.ts';

/** Texts of the portal's emails to its users, in English. */
export const team = {
  'team.sender': 'Partner Events',
  'team.ifNotYou': 'If this wasn’t you, tell an owner of your team or your operator immediately.',
  'team.viewAccount': 'View your account',
  'team.chooseNotices': 'Choose your notices',
  'signIn.subject': 'Your sign-in link',
  'signIn.text': 'Sign in to Partner Events with this link. It works once, within 15 minutes.',
  'signIn.button': 'Sign in',
  'signIn.ignore': 'If you didn’t request it, you can ignore this email.',
  'emailCode.subject': 'Your code to set up a second factor',
  'emailCode.text':
    'Someone signed in to your account is setting up a second factor. If it’s you, enter this code within {minutes, plural, one {# minute} other {# minutes}}:',
  'emailCode.notYou':
    'If it’s not you, someone knows your password: don’t share the code, and change your password immediately.',
  'invitation.subject': 'You’re invited to {partner}',
  'invitation.text': 'You’re invited to join {partner} on Partner Events as {role}.',
  'invitation.next': 'Accept within a week, and choose your name and password.',
  'invitation.button': 'Accept invitation',
  'factorReset.subject': 'Your second factor was reset',
  'factorReset.text':
    'Your second factor for Partner Events was reset on {time}. You were signed out everywhere, and your tokens were revoked. Sign in and set up a new second factor.',
  'factorReset.button': 'Set up a second factor',
  'factorReset.notYou':
    'If you didn’t request this, tell an owner of your team or your operator immediately.',
  'accountChange.subject': 'Your account was changed',
  'accountChange.text': '{what} This happened in Partner Events on {time}.',
  'newDevice.subject': 'New sign-in to your account',
  'newDevice.text': 'Someone signed in to your account with a browser we haven’t seen before:',
  'newDevice.where': '{browser}, from {address}, on {time}',
  'newDevice.unknownAddress': 'an unknown address',
  'newDevice.next':
    'If it was you, you don’t need to do anything. If not, change your password and sign that browser out on your account page.',
  'contactCode.subject': 'Your code for Partner Events',
  'contactCode.text':
    'This address was entered as a partner’s contact. If it was you, enter this code within {minutes, plural, one {# minute} other {# minutes}}:',
  'contactCode.ignore':
    'If it wasn’t you, ignore this email. We won’t send anything else to this address.',
  'notice.subject': '{count, plural, one {# notice} other {# notices}}',
  'notice.button': 'View in the portal',
  'notice.goLiveApproved': 'Your go-live request was approved. Create a LIVE key to start.',
  'notice.goLiveReturned': 'Your go-live request needs changes: {reason}',
  'notice.fundingLow': 'Your LIVE funding is down to {balance}, below {threshold}.',
  'notice.fundingLowLasting':
    'Your LIVE funding is down to {balance}, below {threshold}, and lasts {days, plural, =0 {less than a day} one {a day} other {# days}} at the current rate.',
  'notice.fundingRecovered': 'Your LIVE funding is back at {balance}, no longer below {threshold}.',
  'notice.fundingRecoveredLasting':
    'Your LIVE funding is back at {balance}, no longer below {threshold}, and lasts {days, plural, =0 {less than a day} one {a day} other {# days}} at the current rate.',
  'notice.fundingToppedUp': 'A top-up of {amount} was credited. Your LIVE funding is {balance}.',
  'notice.usageThreshold':
    '{percent, number}% of your plan’s points are used: {used, number} of {included, number}.',
  'notice.invoiceIssued': 'Invoice {number} for {total} was issued.',
  'notice.reviewAsked':
    'An operator has a question about the refund of order {order}. Answer it under Questions.',
  'notice.reviewDecided':
    'The review of order {order} was decided: the refund was {verdict, select, UPHOLD {upheld} other {dismissed}}.',
  'notice.keyCreated': 'The LIVE API key {key} was created.',
  'notice.keyRevoked': 'The LIVE API key {key} was revoked.',
  'notice.serviceAccount': 'The LIVE service account {account} was {change}.',
  'notice.waiting':
    '{rewards, plural, one {# reward is} other {# rewards are}} waiting for funds: {amount} in total.',
  'endpoint.failing.subject': 'Your {mode} webhook endpoint has been failing for a day',
  'endpoint.disabled.subject': 'Your {mode} webhook endpoint was disabled',
  'endpoint.failing':
    'It hasn’t responded to a single webhook with 2xx for a day. After five such days it is disabled.',
  'endpoint.gone': 'It responded 410 Gone, which asks us to stop.',
  'endpoint.disabled': 'It hasn’t responded to a single webhook with 2xx for five days.',
  'endpoint.kept': 'Undelivered events are kept for 30 days and can be sent again.',
  'endpoint.button': 'View your webhooks',
  'funding.low.subject': 'Your reward funding is down to {balance}',
  'funding.low':
    'Your reward funding has fallen below {threshold}. Top it up so that rewards are still funded at once.',
  'funding.low.lasting':
    'Your reward funding has fallen below {threshold}. At the current rate, it lasts {days, plural, =0 {less than a day} one {a day} other {# days}}. Top it up so that rewards are still funded at once.',
  'funding.short.subject': 'A {mode} reward is waiting for funding: {missing} is missing',
  'funding.short':
    'Your funding doesn’t cover the reward {rewardId}: {missing} is missing. Once you top up, the reward is funded and the customer can claim it. Rewards are funded first come, first served, so later ones are waiting too.',
  'funding.button': 'View your funding',
} as const;

type Key = keyof typeof team;
type Values<Of extends Key> = ValuesOf<(typeof team)[Of], string>;

const format = formatterOf<Key>(team, 'en');

/** A text for a user of the portal. */
export function teamText<Of extends Key>(
  key: Of,
  ...[values]: keyof Values<Of> extends never ? [] : [values: Values<Of>]
): string {
  return String(format(key, values));
}
