import { nameInMessages } from '../domain/branding.ts';
import { utc } from '../domain/time-zones.ts';
import { sha256Hex } from '../platform/hashing.ts';
import { newId } from '../platform/ids.ts';
import { bodiesOf, type MailContent } from './mailer.ts';
import type { Mail } from './message.ts';
import { localizerOf } from './words/localizer.ts';

/** Ids are file names in the message folder, so they contain the hash of the token instead of the token. */
const idOf = (kind: string, token: string): string => `${kind}-${sha256Hex(token).slice(0, 16)}`;

/** @param at milliseconds since the epoch */
const timeOf = (at: number): string => localizerOf('en', utc).time(new Date(at));

/** The token in a link that signs somebody in or accepts an invitation. */
interface LinkToken {
  token: string;
  linkEndsAt: Date;
}

/** An email from the portal, to one of its users or to a partner's contact. */
export const portalMail = <Head extends { subject: string }>(
  head: Head,
  content: Omit<MailContent, 'sender' | 'subject'>,
): Head & ReturnType<typeof bodiesOf> => ({
  ...head,
  ...bodiesOf({ sender: 'Partner Events', subject: head.subject, ...content }),
});

/** The sign-in link that a user requested. */
export function signInMail(portalUrl: string, to: string, { token, linkEndsAt }: LinkToken): Mail {
  const head = { id: idOf('sign-in', token), to, linkEndsAt, subject: 'Your sign-in link' };
  return portalMail(head, {
    paragraphs: ['Sign in to Partner Events with this link. It works once, within 15 minutes.'],
    link: { text: 'Sign in', url: `${portalUrl}/sign-in/link/${token}` },
    notes: ['If you didn’t request it, you can ignore this email.'],
  });
}

/** The code that proves that a signed-in user can read their email. */
export function emailCodeMail(
  to: string,
  { code, codeMinutes }: { code: string; codeMinutes: number },
): Mail {
  const head = {
    id: `email-code-${newId('request')}`,
    to,
    subject: 'Your code to set up a second factor',
  };
  return portalMail(head, {
    paragraphs: [
      `Someone signed in to your account is setting up a second factor. If it’s you, enter this code within ${minutesWords(codeMinutes)}:`,
      code,
      'If it’s not you, someone knows your password: don’t share the code, and change your password immediately.',
    ],
  });
}

/** An invitation to become a user of a partner. */
export function invitationMail(
  portalUrl: string,
  { to, partnerName, role }: { to: string; partnerName: string; role: string },
  { token, linkEndsAt }: LinkToken,
): Mail {
  const head = {
    id: idOf('invitation', token),
    to,
    linkEndsAt,
    subject: `You’re invited to ${nameInMessages(partnerName)}`,
  };
  return portalMail(head, {
    paragraphs: [
      `You’re invited to join ${nameInMessages(partnerName)} on Partner Events as ${role}.`,
      'Accept within a week, and choose your name and password.',
    ],
    link: { text: 'Accept invitation', url: `${portalUrl}/invitations/${token}` },
  });
}

/**
 * Notifies a user that their second factor was reset, so that they notice an attack.
 * @param at milliseconds since the epoch
 */
export function factorResetMail(
  portalUrl: string,
  to: string,
  { userId, at }: { userId: string; at: number },
): Mail {
  const head = {
    id: idOf('second-factor-reset', `${userId} ${at}`),
    to,
    subject: 'Your second factor was reset',
  };
  return portalMail(head, {
    paragraphs: [
      `Your second factor for Partner Events was reset on ${timeOf(at)}. You were signed out everywhere, and your tokens were revoked. Sign in and set up a new second factor.`,
    ],
    link: { text: 'Set up a second factor', url: `${portalUrl}/second-factor/enroll` },
    notes: ['If you didn’t request this, tell an owner of your team or your operator immediately.'],
  });
}

/**
 * Notifies a user of a change to their account.
 * @param what a sentence that describes the change
 * @param at milliseconds since the epoch
 */
export function accountChangeMail(
  portalUrl: string,
  to: string,
  { userId, what, at }: { userId: string; what: string; at: number },
): Mail {
  const head = {
    id: idOf('account-change', `${userId} ${what} ${at}`),
    to,
    subject: 'Your account was changed',
  };
  return portalMail(head, {
    paragraphs: [`${what} This happened in Partner Events on ${timeOf(at)}.`],
    link: { text: 'View your account', url: `${portalUrl}/account` },
    notes: ['If this wasn’t you, tell an owner of your team or your operator immediately.'],
  });
}

/**
 * Notifies a user of a sign-in with a new browser.
 * @param at milliseconds since the epoch
 */
export function newDeviceMail(
  portalUrl: string,
  to: string,
  {
    userId,
    browser,
    address,
    at,
  }: { userId: string; browser: string; address: string; at: number },
): Mail {
  const head = {
    id: idOf('new-device', `${userId} ${at}`),
    to,
    subject: 'New sign-in to your account',
  };
  return portalMail(head, {
    paragraphs: [
      'Someone signed in to your account with a browser we haven’t seen before:',
      `${oneLine(browser)}, from ${address || 'an unknown address'}, on ${timeOf(at)}`,
      'If it was you, you don’t need to do anything. If not, change your password and sign that browser out on your account page.',
    ],
    link: { text: 'View your account', url: `${portalUrl}/account` },
    more: [{ text: 'Choose your notices', url: `${portalUrl}/account/notices` }],
  });
}

const minutesWords = (minutes: number): string =>
  minutes === 1 ? '1 minute' : `${minutes} minutes`;

/** How many days something lasts. */
export const daysWords = (days: number): string =>
  days === 0 ? 'less than a day' : days === 1 ? 'a day' : `${days.toLocaleString('en')} days`;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

/** The code that verifies a partner's contact address. It contains no text of the partner's. */
export function contactCodeMail(
  to: string,
  { code, codeMinutes }: { code: string; codeMinutes: number },
): Mail {
  const head = {
    id: `contact-email-${newId('request')}`,
    to,
    subject: 'Your code for Partner Events',
  };
  return portalMail(head, {
    paragraphs: [
      `This address was entered as a partner’s contact. If it was you, enter this code within ${minutesWords(codeMinutes)}:`,
      code,
      'If it wasn’t you, ignore this email. We won’t send anything else to this address.',
    ],
  });
}
