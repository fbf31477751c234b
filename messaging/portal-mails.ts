import { nameInMessages } from '../domain/merchant-names.ts';
import { sha256Hex } from '../platform/hashing.ts';
import { newId } from '../platform/ids.ts';
import { bodiesOf, type MailContent } from './mail-body.ts';
import type { Mail } from './message.ts';

/** A mail with a token is named by its hash: the name of a file must not be a way in. */
const idOf = (kind: string, token: string): string => `${kind}-${sha256Hex(token).slice(0, 16)}`;

/** A way in that is sent by mail. */
interface WayIn {
  token: string;
  linkEndsAt: Date;
}

/** A mail in which the portal speaks, to somebody who signs in or who answers for a partner. */
export const portalMail = <Head extends { subject: string }>(
  head: Head,
  content: Omit<MailContent, 'house' | 'subject'>,
): Head & ReturnType<typeof bodiesOf> => ({
  ...head,
  ...bodiesOf({ house: 'Partner portal', subject: head.subject, ...content }),
});

/** The way in that somebody asked for. */
export function signInMail(portalUrl: string, to: string, { token, linkEndsAt }: WayIn): Mail {
  const head = { id: idOf('sign-in', token), to, linkEndsAt, subject: 'Your link to sign in' };
  return portalMail(head, {
    paragraphs: ['Sign in to the partner portal with this link. It works once, within 15 minutes.'],
    link: { text: 'Sign in', url: `${portalUrl}/sign-in/link/${token}` },
    notes: ['If you did not request it, you can ignore this email.'],
  });
}

/** The code by which somebody who is signed in proves that they read their email. */
export function emailCodeMail(
  to: string,
  { code, codeMinutes }: { code: string; codeMinutes: number },
): Mail {
  const head = {
    id: `email-code-${newId('request')}`,
    to,
    subject: 'Your code to set up the second factor',
  };
  return portalMail(head, {
    paragraphs: [
      `Somebody signed in to your account is setting up a second factor. If it is you, enter this code there within ${codeMinutes} minutes:`,
      code,
      'If it is not you, somebody knows your password: do not share the code, and change your password at once.',
    ],
  });
}

/** An invitation to the users of a partner. */
export function invitationMail(
  portalUrl: string,
  { to, partnerName, role }: { to: string; partnerName: string; role: string },
  { token, linkEndsAt }: WayIn,
): Mail {
  const head = {
    id: idOf('invitation', token),
    to,
    linkEndsAt,
    subject: `You are invited to ${nameInMessages(partnerName)}`,
  };
  return portalMail(head, {
    paragraphs: [
      `You are invited to the partner portal as ${role} of ${nameInMessages(partnerName)}.`,
      'Set your name and password within a week.',
    ],
    link: { text: 'Accept the invitation', url: `${portalUrl}/invitations/${token}` },
  });
}

/**
 * Tells somebody that their second factor was taken away: if nobody asked for it, somebody else is at
 * work.
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
      `Your second factor for the partner portal was reset on ${new Date(at).toUTCString()}, and you have been signed out everywhere. Sign in and set up a new one.`,
    ],
    link: { text: 'Set up a second factor', url: `${portalUrl}/second-factor/enroll` },
    notes: ['If you did not request this, tell an owner of your team or your operator at once.'],
  });
}

/**
 * Tells somebody what was changed about their account.
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
    paragraphs: [`${what} It happened on ${new Date(at).toUTCString()}, in the partner portal.`],
    link: { text: 'View your account', url: `${portalUrl}/account` },
    notes: ['If it was not you, tell an owner of your team or your operator at once.'],
  });
}

/**
 * Tells somebody that they signed in with a browser that is new.
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
    subject: 'You signed in with a new browser',
  };
  return portalMail(head, {
    paragraphs: [
      'Somebody signed in to your account with a new browser:',
      `${oneLine(browser)}, from ${address || 'an unknown address'}, on ${new Date(at).toUTCString()}`,
      'If it was you, there is nothing to do. If it was not, change your password and sign that browser out on your account page.',
    ],
    link: { text: 'View your account', url: `${portalUrl}/account` },
    more: [{ text: 'Choose your notices', url: `${portalUrl}/account/notices` }],
  });
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

/** The code that verifies a partner's contact address. Nothing in it is the partner's own text. */
export function contactCodeMail(
  to: string,
  { code, codeMinutes }: { code: string; codeMinutes: number },
): Mail {
  const head = {
    id: `contact-email-${newId('request')}`,
    to,
    subject: 'Your code for the partner portal',
  };
  return portalMail(head, {
    paragraphs: [
      `This address was entered as the contact of a partner. If it was you, enter this code there within ${codeMinutes} minutes:`,
      code,
      'If it was not, ignore this email; nothing more will be sent to you.',
    ],
  });
}
